/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decodes the agent's frames (lib/contract.h) from whatever pieces the socket
 * delivers them in.  The guest's kernel may be broken, so nothing in a header
 * is trusted.
 */
#ifndef BP_FRAMES_H
#define BP_FRAMES_H

#include "lib/contract.h"
#include "lib/err.h"

struct frame {
	u32 type; /* enum frame_type */
	u32 cpu;
	const u8 *data; /* valid during the callback; a NUL follows the last byte */
	size_t len;
};

/* Returns 0 or a negative errno and a line; decoding stops there. */
typedef int (*frame_fn)(void *arg, const struct frame *f, struct err *e);

struct frames {
	u8 header[sizeof(struct frame_header)];
	size_t have; /* bytes of the header, then of the payload */
	bool in_payload;
	struct frame_header h;
	u8 *payload;
	size_t size; /* allocated */
	u32 next_seq;
	u64 offset; /* in the stream, for messages */
	int error;  /* sticky: nothing after damage can be trusted */
};

/*
 * Takes @len bytes; calls @fn for each frame that they complete.  Returns 0,
 * -EBADMSG and a line for a stream that is damaged, or what @fn returned.
 */
int frames_feed(struct frames *d, const void *data, size_t len, frame_fn fn, void *arg,
		struct err *e) __must_check;

/* At the end of the stream: was it cut inside a frame?  0 or -EBADMSG and a line. */
int frames_end(const struct frames *d, struct err *e) __must_check;

void frames_free(struct frames *d);

const char *frame_type_name(u32 type); /* NULL for a type that does not exist */

#endif
