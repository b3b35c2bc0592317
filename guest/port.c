// SPDX-License-Identifier: GPL-2.0-only
#include "guest/frame.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "guest/sys.h"

#define PORTS "/sys/class/virtio-ports"
#define OPEN_TIMEOUT_MS 5000
#define OPEN_RETRY_MS 10
/* The driver takes no more per write; staying below keeps @pending exact. */
#define WRITE_MAX (32u << 10)

static pthread_mutex_t send_lock = PTHREAD_MUTEX_INITIALIZER;

/* The device node of the port with our name, "" if there is none yet. */
static void port_find(char *path, size_t size)
{
	struct dirent *d;
	char name[64];
	DIR *dir;

	path[0] = '\0';
	dir = opendir(PORTS);
	if (!dir)
		return;
	while (!path[0] && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		if (sys_read_line(name, sizeof(name), PORTS "/%s/name", d->d_name) ||
		    strcmp(name, GUEST_PORT_NAME))
			continue;
		snprintf(path, size, "/dev/%s", d->d_name);
	}
	closedir(dir);
}

int port_open(struct port *port, struct err *e)
{
	char path[300];
	unsigned int ms;

	port->fd = -1;
	port->state = mmap(NULL, sizeof(*port->state), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (port->state == MAP_FAILED)
		return err_errno(e, -errno, "shared memory for the port");

	for (ms = 0; ms < OPEN_TIMEOUT_MS; ms += OPEN_RETRY_MS) {
		port_find(path, sizeof(path));
		if (path[0]) {
			port->fd = open(path, O_RDWR | O_CLOEXEC);
			if (port->fd >= 0)
				return 0;
			if (errno != ENOENT)
				return err_errno(e, -errno, "%s", path);
		}
		sys_sleep_ms(OPEN_RETRY_MS);
	}
	return err_set(e, -ENODEV, "no virtio-serial port named '%s' after %d ms", GUEST_PORT_NAME,
		       OPEN_TIMEOUT_MS);
}

static int port_write(struct port *port, const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len) {
		n = write(port->fd, p, MIN(len, WRITE_MAX));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		port->state->pending -= (u64)n;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int port_send(struct port *port, enum frame_type type, u32 cpu, const struct iovec *iov,
	      unsigned int n)
{
	u8 header[FRAME_HEADER_SIZE];
	u64 len = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++)
		len += iov[i].iov_len;
	if (len > FRAME_MAX_PAYLOAD)
		return -EMSGSIZE;

	pthread_mutex_lock(&send_lock);
	frame_encode(header, type, port->state->seq++, cpu, len);
	port->state->pending = sizeof(header) + len;
	ret = port_write(port, header, sizeof(header));
	for (i = 0; i < n && !ret; i++)
		ret = port_write(port, iov[i].iov_base, iov[i].iov_len);
	pthread_mutex_unlock(&send_lock);
	return ret;
}

int port_send_data(struct port *port, enum frame_type type, u32 cpu, const void *data, size_t len)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)data, .iov_len = len};

	return port_send(port, type, cpu, &iov, 1);
}

int port_answer(struct port *port, int timeout_ms, struct err *e)
{
	struct pollfd p = {.fd = port->fd, .events = POLLIN};
	char byte;
	int n;

	do {
		n = poll(&p, 1, timeout_ms);
	} while (n < 0 && errno == EINTR);
	if (!n)
		return err_set(e, -ETIMEDOUT, "the host did not answer within %d ms", timeout_ms);
	if (n < 0 || read(port->fd, &byte, 1) != 1)
		return err_errno(e, n < 0 ? -errno : -EIO, "the host's answer");
	return 0;
}

int port_repair(struct port *port)
{
	static const char zeros[4096];
	int ret = 0;

	while (port->state->pending && !ret)
		ret = port_write(port, zeros, MIN(port->state->pending, sizeof(zeros)));
	return ret;
}

void port_drain(struct port *port, int timeout_ms)
{
	struct pollfd p = {.fd = port->fd, .events = POLLIN};

	while (poll(&p, 1, timeout_ms) < 0 && errno == EINTR)
		;
}
