// SPDX-License-Identifier: GPL-2.0-only
#include "host/asok.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "lib/fileio.h"

#define ANSWER_MAX (8u << 20)
#define TIMEOUT_S 20

static int connect_to(int dirfd, const char *name, struct err *e)
{
	const struct timeval timeout = {.tv_sec = TIMEOUT_S};
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd, ret;

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/%s", dirfd, name);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_errno(e, -errno, "socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (const struct sockaddr *)&a, sizeof(a))) {
		ret = err_errno(e, -errno, "admin socket %s", name);
		close(fd);
		return ret;
	}
	return fd;
}

json_t *asok_parse(char *text, size_t len, struct err *e)
{
	char *to = text, *from = text, *end = text + len, *digits;
	json_error_t why;
	bool quoted = false;
	char number[24];
	json_t *j;
	size_t n;
	u64 v;

	while (from < end) {
		if (!quoted && isdigit((unsigned char)*from)) {
			for (digits = from; from < end && isdigit((unsigned char)*from); from++)
				;
			n = (size_t)(from - digits);
			/* 20 digits: a counter that went below 0, which takes no more of them */
			errno = 0;
			v = n == 20 ? strtoull(digits, NULL, 10) : 0;
			memmove(to, digits, n);
			if (v && !errno) {
				n = (size_t)snprintf(number, sizeof(number), "%lld", (long long)v);
				memcpy(to, number, n);
			}
			to += n;
			continue;
		}
		if (*from == '"')
			quoted = !quoted;
		else if (*from == '\\' && quoted && from + 1 < end)
			*to++ = *from++;
		*to++ = *from++;
	}
	j = json_loadb(text, (size_t)(to - text), 0, &why);
	if (j && !json_is_object(j)) {
		json_decref(j);
		j = NULL;
		snprintf(why.text, sizeof(why.text), "another type");
	}
	if (!j)
		err_set(e, -EPROTO, "expected a JSON object: %s at byte %d", why.text,
			why.position);
	return j;
}

int asok_command(int dirfd, const char *name, const char *prefix, json_t **out, struct err *e)
{
	char *request __cleanup_free = xasprintf("{\"prefix\": \"%s\"}", prefix);
	int fd __cleanup_close = connect_to(dirfd, name, e);
	char *answer __cleanup_free = NULL;
	u32 len;
	int ret;

	if (fd < 0)
		return fd;
	ret = fd_write_all(fd, request, strlen(request) + 1);
	if (ret)
		return err_errno(e, ret, "admin socket %s: %s", name, prefix);
	if (fd_read_full(fd, &len, sizeof(len)) != sizeof(len))
		return err_set(e, -EPROTO, "admin socket %s: no answer to '%s'", name, prefix);
	len = be32toh(len);
	if (len > ANSWER_MAX)
		return err_set(e, -EPROTO, "admin socket %s: an answer of %u bytes", name, len);
	answer = xmalloc((size_t)len + 1);
	if (fd_read_full(fd, answer, len) != (ssize_t)len)
		return err_set(e, -EPROTO, "admin socket %s: the answer to '%s' is cut", name,
			       prefix);
	answer[len] = '\0';
	*out = asok_parse(answer, len, e);
	return *out ? 0 : err_prefix(e, -EPROTO, "admin socket %s: %s", name, prefix);
}
