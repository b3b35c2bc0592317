/* SPDX-License-Identifier: GPL-2.0-only */
/* Encoding of frames, and the virtio-serial port that they leave by. */
#ifndef BP_GUEST_FRAME_H
#define BP_GUEST_FRAME_H

#include <sys/uio.h>

#include "lib/contract.h"
#include "lib/err.h"

#define FRAME_HEADER_SIZE 24

/* Writes the header of lib/contract.h in its byte order, whatever ours is. */
void frame_encode(u8 out[FRAME_HEADER_SIZE], enum frame_type type, u32 seq, u32 cpu, u64 len);

/* The payload of FRAME_PROGRESS: 24 bytes. */
#define PROGRESS_SIZE 24
void progress_encode(u8 out[PROGRESS_SIZE], const struct progress *p);

/*
 * What PID 1 and its worker share: where the stream of frames stands.  A worker
 * that dies in the middle of a frame leaves @pending bytes of it unsent; PID 1
 * fills them up, so that its own FRAME_ERROR is still found by the host.
 */
struct port_state {
	u32 seq;     /* of the next frame */
	u64 pending; /* bytes of the current frame that are not written yet */
};

struct port {
	int fd;
	struct port_state *state; /* in memory shared over fork() */
};

/*
 * Opens the virtio-serial port GUEST_PORT_NAME, waiting up to 5 s for it to
 * appear.  Needs sysfs and devtmpfs mounted.
 */
int port_open(struct port *port, struct err *e) __must_check;

/*
 * Sends one frame; @iov is its payload.  May be called by any thread of one
 * process at a time.  Returns 0 or -errno; -EMSGSIZE above FRAME_MAX_PAYLOAD.
 */
int port_send(struct port *port, enum frame_type type, u32 cpu, const struct iovec *iov,
	      unsigned int n);

/* The same with one buffer. */
int port_send_data(struct port *port, enum frame_type type, u32 cpu, const void *data, size_t len);

/* Waits for the byte that the host answers the last frame with; -ETIMEDOUT and a line. */
int port_answer(struct port *port, int timeout_ms, struct err *e) __must_check;

/* Completes a frame that a dead worker left unfinished. */
int port_repair(struct port *port);

/*
 * Waits until the host has answered the last frame (with a byte, or by closing
 * its end), at most @timeout_ms.  write() returns as soon as the data is in
 * the virtqueue, and a guest that powers off then loses what the host has not
 * taken out of it.
 */
void port_drain(struct port *port, int timeout_ms);

#endif
