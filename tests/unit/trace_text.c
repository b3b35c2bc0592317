// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/trace_text.h"

#include <fcntl.h>
#include <string.h>

#include "lib/fileio.h"
#include "verify/input/dump.h"

static char directory[] = "/tmp/blkproof-test.XXXXXX";

int scratch_enter(void **state __unused_arg)
{
	if (mkdtemp(directory) && !chdir(directory))
		return 0;
	perror(directory);
	return -1;
}

int scratch_leave(void **state __unused_arg)
{
	if (!chdir("/") && !remove_tree(directory))
		return 0;
	perror(directory);
	return -1;
}

void put_file(const char *path, const void *data, size_t len)
{
	int fd __cleanup_close = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || fd_write_all(fd, data, len)) {
		perror(path);
		abort();
	}
}

char *trace_text(const char *path, unsigned int flags, int *ret, struct err *e)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	e->msg[0] = '\0';
	*ret = trace_dump(path, f, flags, e);
	fclose(f);
	return text;
}

unsigned int lines_with(const char *text, const char *word)
{
	unsigned int n = 0;
	const char *eol;

	for (; (text = strstr(text, word)); text = eol, n++) {
		eol = strchr(text, '\n');
		if (!eol)
			return n + 1;
	}
	return n;
}
