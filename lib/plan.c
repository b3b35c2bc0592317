// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fileio.h"

/* Reads are of this size and alignment, as O_DIRECT wants them. */
#define CHUNK (256u << 10)
#define ALIGN 4096u

const char *const plan_kind_names[] = {"access", "block", NULL};

/* ---- reading ---- */

int plan_bad(const struct plan_reader *r, struct err *e, const char *fmt, ...)
{
	char text[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, -EBADMSG, "%s:%llu: %s", r->name, (unsigned long long)r->number, text);
}

/* A whole line in the buffer: 1, 0 at the file's end. */
static int fill(struct plan_reader *r, u8 **newline, struct err *e)
{
	size_t left = (size_t)(r->end - r->at);
	u8 *start = r->buf + ALIGN;
	ssize_t n;

	*newline = left ? memchr(r->at, '\n', left) : NULL;
	if (*newline || left >= PLAN_LINE_MAX)
		return 1;
	/* the rest of a line goes right before what is read next */
	memmove(start - left, r->at, left);
	r->at = start - left;
	do {
		n = read(r->fd, start, CHUNK);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_errno(e, -errno, "%s", r->name);
	r->end = start + n;
	left += (size_t)n;
	*newline = left ? memchr(r->at, '\n', left) : NULL;
	return n || *newline ? 1 : 0;
}

/* 1 with a line, 0 at the end of the file. */
static int raw_line(struct plan_reader *r, char **line, struct err *e)
{
	u8 *newline = NULL;
	int ret;

	do {
		ret = fill(r, &newline, e);
		if (ret <= 0)
			return ret;
	} while (!newline && r->end - r->at < PLAN_LINE_MAX);
	r->number++;
	if (!newline || newline - r->at >= PLAN_LINE_MAX)
		return plan_bad(r, e, "expected a line of at most %d bytes", PLAN_LINE_MAX);
	if (memchr(r->at, '\0', (size_t)(newline - r->at)))
		return plan_bad(r, e, "expected text, found a NUL byte");
	if (newline > r->at && newline[-1] == '\r')
		return plan_bad(r, e, "expected lines that end with a newline alone, found CR LF");
	*newline = '\0';
	*line = (char *)r->at;
	r->at = newline + 1;
	return 1;
}

static int first_line(struct plan_reader *r, char *line, struct err *e)
{
	const char *magic = plan_word(&line), *version = plan_word(&line), *kind;
	int i;

	if (!magic || strcmp(magic, PLAN_MAGIC) || !version)
		return plan_bad(r, e,
				"expected \"" PLAN_MAGIC " %d KIND\"; bin/replay-plan makes "
				"plans of traces",
				PLAN_VERSION);
	if (strcmp(version, "1"))
		return plan_bad(r, e, "version %.20s of the format; this program knows %d", version,
				PLAN_VERSION);
	kind = plan_word(&line);
	for (i = 0; i < PLAN_KINDS; i++)
		if (kind && !strcmp(kind, plan_kind_names[i])) {
			r->kind = (enum plan_kind)i;
			return plan_word(&line) ? plan_bad(r, e, "expected no more than the kind")
						: 0;
		}
	return plan_bad(r, e, "expected kind access or block, found '%.20s'", kind ? kind : "");
}

int plan_open(struct plan_reader *r, const char *path, bool direct, struct err *e)
{
	char *line;
	int ret;

	*r = (struct plan_reader){.name = path, .fd = -1};
	r->fd = open(path, O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0));
	if (r->fd < 0)
		return err_errno(e, -errno, "%s", path);
	r->buf = aligned_alloc(ALIGN, ALIGN + CHUNK);
	if (!r->buf)
		return err_set(e, -ENOMEM, "%s: no memory", path);
	r->at = r->end = r->buf + ALIGN;
	ret = raw_line(r, &line, e);
	if (!ret) {
		r->number = 1;
		return plan_bad(r, e, "expected a plan, the file is empty or has no line");
	}
	return ret < 0 ? ret : first_line(r, line, e);
}

static int last_line(struct plan_reader *r, char *rest, struct err *e)
{
	u64 lines;
	int ret = plan_number(r, &rest, "lines", UINT64_MAX, &lines, e);

	if (ret)
		return ret;
	if (lines != r->body || plan_word(&rest))
		return plan_bad(r, e,
				"expected \"end %" PRIu64 "\", the number of lines since "
				"\"begin\": lines are missing or added",
				r->body);
	r->ended = true;
	return 0;
}

int plan_next(struct plan_reader *r, char **line, struct err *e)
{
	char *rest;
	int ret;

	if (r->ended)
		return 0;
	ret = raw_line(r, line, e);
	if (ret < 0)
		return ret;
	if (!ret) {
		r->number++;
		return plan_bad(r, e,
				"expected \"end\" before the file's end: the plan was cut "
				"off");
	}
	if (!r->in_body) {
		r->in_body = !strcmp(*line, "begin");
		return !r->in_body;
	}
	if (!strncmp(*line, "end ", 4)) {
		rest = *line + 4;
		return last_line(r, rest, e);
	}
	r->body++;
	return 1;
}

int plan_no_more(struct plan_reader *r, struct err *e)
{
	u8 *newline;
	int ret = r->at < r->end ? 1 : fill(r, &newline, e);

	if (ret <= 0)
		return ret;
	r->number++;
	return plan_bad(r, e, "expected the file's end after \"end\"");
}

void plan_close(struct plan_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->buf);
	r->buf = NULL;
	r->fd = -1;
	r->ended = true;
}

char *plan_word(char **at)
{
	char *word = *at + strspn(*at, " "), *end = word + strcspn(word, " ");

	if (word == end)
		return NULL;
	*at = end;
	if (*end) {
		*end = '\0';
		*at = end + 1;
	}
	return word;
}

int plan_number(const struct plan_reader *r, char **at, const char *what, u64 max, u64 *value,
		struct err *e)
{
	const char *word = plan_word(at), *p = word;
	u64 v = 0;

	if (!word)
		return plan_bad(r, e, "expected %s, found the line's end", what);
	do {
		if (*p < '0' || *p > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(*p - '0'), &v))
			break;
	} while (*++p);
	if (*p || v > max)
		return plan_bad(r, e, "expected %s, a number from 0 to %llu, found '%.40s'", what,
				(unsigned long long)max, word);
	*value = v;
	return 0;
}

/* ---- writing ---- */

int plan_create(struct plan_writer *w, const char *path, enum plan_kind kind, struct err *e)
{
	char *slash, *dir __cleanup_free = NULL;
	struct stat st;
	int ret;

	*w = (struct plan_writer){.path = path, .kind = kind, .fd = -1, .body_fd = -1};
	w->buf = xmalloc(CHUNK);
	w->header = open_memstream(&w->header_text, &w->header_len);
	if (!w->header)
		return err_set(e, -ENOMEM, "no memory");
	/* /dev/stdout, a pipe: nothing to be renamed */
	if (path && !stat(path, &st) && !S_ISREG(st.st_mode)) {
		w->fd = open(path, O_WRONLY | O_CLOEXEC);
		if (w->fd < 0)
			return err_errno(e, -errno, "%s", path);
	}
	dir = xstrdup(path && w->fd < 0 ? path : "/tmp/.");
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	w->body_fd = open(slash ? dir : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (w->body_fd < 0)
		return err_errno(e, -errno, "%s: a temporary file beside it", path ? path : dir);
	if (path && w->fd < 0) {
		w->tmp = xasprintf("%s.XXXXXX", path);
		w->fd = mkostemp(w->tmp, O_CLOEXEC);
		ret = -errno;
		if (w->fd < 0) {
			free(w->tmp);
			w->tmp = NULL;
			return err_errno(e, ret, "%s", path);
		}
	}
	return 0;
}

static void flush(struct plan_writer *w)
{
	if (!w->error && w->n)
		w->error = fd_write_all(w->body_fd, w->buf, w->n);
	w->n = 0;
}

char *plan_room(struct plan_writer *w)
{
	if (w->n + PLAN_LINE_MAX > CHUNK)
		flush(w);
	return w->buf + w->n;
}

void plan_put(struct plan_writer *w, size_t len)
{
	w->n += len;
	w->lines++;
}

char *plan_digits(char *to, u64 value)
{
	char digits[20];
	unsigned int n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		*to++ = digits[--n];
	return to;
}

static int copy_body(struct plan_writer *w, int out)
{
	ssize_t n;

	if (lseek(w->body_fd, 0, SEEK_SET) < 0)
		return -errno;
	while ((n = fd_read_full(w->body_fd, w->buf, CHUNK)) > 0) {
		int ret = fd_write_all(out, w->buf, (size_t)n);

		if (ret)
			return ret;
	}
	return (int)n;
}

static int write_out(struct plan_writer *w, int out)
{
	char line[64];
	int ret;

	snprintf(line, sizeof(line), PLAN_MAGIC " %d %s\n", PLAN_VERSION, plan_kind_names[w->kind]);
	ret = fd_write_all(out, line, strlen(line));
	if (!ret)
		ret = fd_write_all(out, w->header_text, w->header_len);
	if (!ret)
		ret = fd_write_all(out, "begin\n", 6);
	if (!ret)
		ret = copy_body(w, out);
	snprintf(line, sizeof(line), "end %llu\n", (unsigned long long)w->lines);
	return ret ? ret : fd_write_all(out, line, strlen(line));
}

int plan_finish(struct plan_writer *w, struct err *e)
{
	mode_t mask;
	int ret;

	flush(w);
	ret = w->error;
	if (fclose(w->header) && !ret)
		ret = -ENOMEM;
	w->header = NULL;
	if (!ret)
		ret = write_out(w, w->path ? w->fd : STDOUT_FILENO);
	if (!ret && w->tmp) {
		umask(mask = umask(0));
		if (fchmod(w->fd, 0666 & ~mask) || fsync(w->fd) || rename(w->tmp, w->path))
			ret = -errno;
		if (!ret) {
			free(w->tmp);
			w->tmp = NULL;
		}
	}
	if (ret)
		err_errno(e, ret, "%s", w->path ? w->path : "standard output");
	plan_abandon(w);
	return ret;
}

void plan_abandon(struct plan_writer *w)
{
	if (w->header)
		fclose(w->header);
	if (w->tmp)
		unlink(w->tmp);
	if (w->fd >= 0)
		close(w->fd);
	if (w->body_fd >= 0)
		close(w->body_fd);
	free(w->tmp);
	free(w->header_text);
	free(w->buf);
	*w = (struct plan_writer){.fd = -1, .body_fd = -1};
}
