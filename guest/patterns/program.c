// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program of the user's, on the test file.  It and its libraries are in the
 * initramfs, so that only the test file costs disk reads; what it writes is kept.
 * It places no markers: which stream a page belongs to is for verify to infer.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "guest/pattern.h"
#include "guest/patterns/list.h"
#include "guest/sys.h"
#include "lib/contract.h"
#include "lib/words.h"

#define OUTPUT_KEPT (64u << 10) /* of its output; the rest is only counted */

extern char **environ;

static struct {
	char *text;
	size_t len;
	u64 bytes;
	int status; /* as from wait */
} program;

static int program_validate(const struct workload *w, struct err *e)
{
	char **words;
	size_t n;

	if (!*w->phase->program)
		return err_set(e, -EINVAL, "pattern program needs the key program");
	if (w->phase->threads != 1)
		return err_set(e, -EINVAL, "pattern program: threads are the program's own");
	words = words_split(w->phase->args, &n, e);
	if (!words)
		return err_prefix(e, -EINVAL, "args");
	words_free(words);
	return 0;
}

/* What it will ask for nobody knows. */
static u64 program_bytes(const struct workload *w __unused_arg)
{
	return 0;
}

static void keep(const char *data, size_t len)
{
	size_t n = MIN(len, OUTPUT_KEPT - program.len);

	memcpy(program.text + program.len, data, n);
	program.len += n;
	program.bytes += len;
}

/* Until every end of the pipe is closed: by the program, or by what it left behind. */
static int read_output(int fd)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf)))) {
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			keep(buf, (size_t)n);
	}
	return 0;
}

static char **make_argv(const struct workload *w, struct err *e)
{
	const char *slash = strrchr(w->phase->program, '/');
	char **words, **argv;
	size_t n;

	words = words_split(w->phase->args, &n, e);
	if (!words)
		return NULL;
	argv = xcalloc(n + 2, sizeof(*argv));
	argv[0] = xasprintf(PROGRAM_DIR "/%s", slash ? slash + 1 : w->phase->program);
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = word_with_file(words[i], w->files->path[0]);
	words_free(words);
	return argv;
}

static int start(char **argv, int out, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	int ret;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&fa, out, STDERR_FILENO);
	ret = posix_spawn(pid, argv[0], &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	return -ret;
}

static u64 time_ns(const struct timeval *tv)
{
	return (u64)tv->tv_sec * NSEC_PER_SEC + (u64)tv->tv_usec * 1000;
}

static int run_it(struct stream *s, char **argv)
{
	int fds[2], ret, error;
	struct rusage usage;
	pid_t pid;
	u64 begin;

	if (pipe2(fds, O_CLOEXEC))
		return stream_fail(s, -errno, "pipe");
	begin = sys_now_ns();
	ret = start(argv, fds[1], &pid);
	close(fds[1]);
	error = ret ? 0 : read_output(fds[0]);
	close(fds[0]);
	if (ret)
		return stream_fail(s, ret, "starting %s", argv[0]);
	if (wait4(pid, &program.status, 0, &usage) != pid)
		return stream_fail(s, -errno, "waiting for %s", argv[0]);
	s->busy_ns = sys_now_ns() - begin;
	s->user_ns = time_ns(&usage.ru_utime);
	s->system_ns = time_ns(&usage.ru_stime);
	return error ? stream_fail(s, error, "reading the output of %s", argv[0]) : 0;
}

/* Before the trace: neither the buffer nor the words may cost a fault in the phase. */
static char **prepared;

static int program_before_cold(struct workload *w, struct err *e)
{
	if (!program.text)
		program.text = xmalloc(OUTPUT_KEPT);
	memset(program.text, 0, OUTPUT_KEPT);
	program.len = 0;
	program.bytes = 0;
	words_free(prepared);
	prepared = make_argv(w, e);
	setenv("LD_LIBRARY_PATH", PROGRAM_DIR "/lib", 1);
	setenv("PATH", PROGRAM_DIR, 1);
	setenv("HOME", "/", 1);
	return prepared ? 0 : -EINVAL;
}

static int program_run(struct stream *s)
{
	return run_it(s, prepared);
}

static json_t *program_json(const struct workload *w __unused_arg)
{
	int status = program.status;
	json_t *argv = json_array(), *j;

	/* JSON is UTF-8, a program's output is anything; a newline stays one */
	for (size_t i = 0; i < program.len; i++) {
		unsigned char c = (unsigned char)program.text[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c > 0x7e)
			program.text[i] = '?';
	}
	for (size_t i = 0; prepared[i]; i++) {
		json_t *word = json_string(prepared[i]);

		json_array_append_new(argv, word ? word : json_string("(not UTF-8)"));
	}
	j = json_pack("{s:o, s:o, s:I}", "argv", argv, "output",
		      json_stringn(program.text, program.len), "output_bytes",
		      (json_int_t)program.bytes);
	if (WIFEXITED(status))
		json_object_set_new(j, "exit_status", json_integer(WEXITSTATUS(status)));
	else
		json_object_set_new(j, "signal", json_integer(WTERMSIG(status)));
	return j;
}

const struct pattern pattern_program = {
	.name = "program",
	.summary = "run a program of the user's on the file",
	.validate = program_validate,
	.bytes = program_bytes,
	.before_cold = program_before_cold,
	.run = program_run,
	.result_name = "program",
	.result = program_json,
};
