// SPDX-License-Identifier: GPL-2.0-only
#include "host/qemu_run.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "guest/patterns/list.h"
#include "host/console.h"
#include "host/initramfs.h"
#include "host/progress.h"
#include "host/spawn.h"
#include "lib/contract.h"
#include "lib/fileio.h"
#include "lib/size.h"

#define TICK_MS 200
#define HELLO_TIMEOUT_S 60   /* from the first frame to the first phase; and after the last */
#define OFF_TIMEOUT_MS 10000 /* for the guest to power off once everything is here */
#define END_GRACE_MS 3000
#define READ_BYTES (256u << 10)
#define PROMPT_SILENCE_MS 300
/* what the kernel says in between would break the login prompt's line */
#define ROOT_CMDLINE " quiet loglevel=1"

struct watch {
	struct boot *b;
	struct child qemu;
	struct console console;
	struct meter meter;
	char *console_path;
	char *output;  /* QEMU's stdout and stderr */
	int port;      /* our end of the agent's socket; -1: QEMU has closed its end */
	size_t shown;  /* phases whose end has been shown */
	bool booted;   /* the boot's end has been shown */
	bool prompted; /* the agent was told of the login prompt */
	u64 console_bytes, console_changed; /* when the console said something last, ns */
	u64 start, changed;		    /* CLOCK_MONOTONIC ns */
	u64 space_seen;			    /* when free space was last looked at */
	u64 changes;
};

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
}

int qemu_version(const struct arch *arch, char **version, struct err *e)
{
	const char *const argv[] = {arch->qemu, "--version", NULL};
	char *out __cleanup_free = NULL;
	const char *at;
	int ret;

	ret = run_output(argv, NULL, &out, e);
	if (ret == -ENOPKG)
		return err_set(e, ret, "%s is not installed (Debian: %s)", arch->qemu,
			       arch->qemu_package);
	if (ret)
		return ret;
	at = strstr(out, "version ");
	at = at ? at + strlen("version ") : out;
	*version = xstrndup(at, strcspn(at, "\n"));
	return 0;
}

/* ---- start ---- */

static bool option_set(const char *options, const char *name)
{
	char *copy __cleanup_free = xstrdup(options);
	char *save = NULL, *o;

	for (o = strtok_r(copy, ", ", &save); o; o = strtok_r(NULL, ", ", &save))
		if (!strcmp(o, name))
			return true;
	return false;
}

static bool direct_works(const char *path)
{
	int fd __cleanup_close = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	return fd >= 0;
}

static int build_args(struct boot *b, const char *initrd, const char *console, int fd,
		      struct err *e)
{
	/*
	 * On a busy host an emulated x86 guest's timer ticks come late, and some boots in a hundred
	 * end with "IO-APIC + timer doesn't work!", a check that is for broken boards.
	 */
	char *append __cleanup_free = xasprintf(
		"console=%s panic=-1%s%s%s%s", b->arch->console,
		strcmp(b->accel, "tcg") || b->arch->elf != EM_X86_64 ? "" : " no_timer_check",
		b->exp->root != ROOT_NONE ? ROOT_CMDLINE : "", *b->cmdline ? " " : "", b->cmdline);
	const struct qemu_guest g = {
		.arch = b->arch,
		.accel = b->accel,
		.cpus = b->exp->cpus,
		.memory = b->exp->memory,
		.kernel = b->image,
		.initrd = initrd,
		.append = append,
		.console = console,
		.port_fd = fd,
		.disk = b->disk,
		.disk_read_only = option_set(b->exp->mount_options, "ro"),
		.disk_write = b->fill,
		.disk_direct = b->disk && direct_works(b->disk),
		.net = b->servers,
		.disk_scratch = b->scratch,
		.disk_sector = b->sector,
		.plan = b->plan,
		.queue_size = b->exp->queue_size,
		.root = b->root,
		.log = b->log,
	};

	return qemu_guest_args(&b->args, &g, e);
}

static enum status start_qemu(struct watch *w, struct err *e)
{
	struct boot *b = w->b;
	char *initrd __cleanup_free = xasprintf("%s/initramfs", b->work);
	char *text __cleanup_free = experiment_text(b->exp);
	const struct cpio_entry fill = {.name = &GUEST_FILL[1], .mode = S_IFREG | 0644};
	char *args __cleanup_free = NULL;
	int out __cleanup_close = -1;
	int pair[2], ret;

	ret = initramfs_write(initrd, b->agent, b->arch->elf, text, b->fill ? &fill : b->files,
			      b->fill ? 1 : b->n_files, e);
	if (ret)
		return ret == -ENOENT || ret == -ENOEXEC ? STATUS_RESOURCES : STATUS_WRITE;
	out = open(w->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (out < 0) {
		err_errno(e, -errno, "%s", w->output);
		return STATUS_WRITE;
	}
	/* a socket pair has no name that could be left behind, and no one else can connect */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		err_errno(e, -errno, "socketpair");
		return STATUS_RESOURCES;
	}
	w->port = pair[0];
	ret = build_args(b, initrd, w->console_path, pair[1], e);
	if (!ret && b->verbose) {
		args = qemu_args_text(&b->args);
		fprintf(stderr, "%s\n", args);
	}
	if (!ret) {
		const struct spawn_options opt = {
			.out_fd = out,
			.keep_fds = &pair[1],
			.n_keep_fds = 1,
		};

		ret = child_start(&w->qemu, (const char *const *)b->args.argv, &opt, e);
	}
	close(pair[1]);
	if (ret == -ENOPKG)
		return STATUS_RESOURCES;
	return ret ? STATUS_QEMU : STATUS_OK;
}

/* ---- progress ---- */

static void meter_new(struct watch *w, const char *what)
{
	char label[sizeof(w->meter.label)];

	snprintf(label, sizeof(label), "%s: %s", w->b->label, what);
	meter_start(&w->meter, label);
}

static void meter_phase(struct watch *w)
{
	const char *name = recording_phase(&w->b->rec);
	char what[96];

	if (w->b->fill) {
		meter_new(w, "writing the test file");
		return;
	}
	snprintf(what, sizeof(what), name ? "phase %zu of %u %s" : "end", w->shown + 1,
		 w->b->exp->n_phases, name);
	meter_new(w, what);
}

/* How far the phase is: of the test file's bytes, or of a plan's requests. */
static void show_phase(struct watch *w)
{
	const struct recording *r = &w->b->rec;
	const struct phase *ph = &w->b->exp->phases[w->shown];
	char done[SIZE_TEXT_MAX], total[SIZE_TEXT_MAX];

	if (!r->progress.total)
		meter_update(&w->meter, "making the cache cold");
	else if (!strcmp(ph->pattern, "replay-block"))
		meter_update(&w->meter, "%llu of %llu requests",
			     (unsigned long long)r->progress.done,
			     (unsigned long long)r->progress.total);
	else
		meter_update(&w->meter, "%s of %s", size_text(r->progress.done >> 20 << 20, done),
			     size_text(r->progress.total, total));
}

static void show(struct watch *w)
{
	const struct recording *r = &w->b->rec;
	char done[SIZE_TEXT_MAX], total[SIZE_TEXT_MAX];

	if (!r->hello) {
		if (r->progress.total)
			meter_update(&w->meter, "writing the test file: %s of %s",
				     size_text(r->progress.done >> 20 << 20, done),
				     size_text(r->progress.total, total));
		else
			meter_update(&w->meter, "booting");
		return;
	}
	if (!w->booted) {
		meter_end(&w->meter, "the agent is up");
		w->booted = true;
		meter_phase(w);
	}
	while (w->shown < json_array_size(r->phases)) {
		meter_end(&w->meter, "done");
		w->shown++;
		meter_phase(w);
	}
	if (w->b->fill)
		meter_update(&w->meter, "%s of %s", size_text(r->progress.done >> 20 << 20, done),
			     size_text(r->progress.total, total));
	else if (!recording_phase(r))
		meter_update(&w->meter, "%llu MiB of trace",
			     (unsigned long long)(r->pages_bytes >> 20));
	else
		show_phase(w);
}

/* ---- what went wrong ---- */

/* "in phase X", "before the first phase" */
static const char *where(const struct watch *w, char *buf, size_t size)
{
	const struct recording *r = &w->b->rec;
	const char *phase = recording_phase(r);

	if (!r->hello)
		snprintf(buf, size, "before its first phase");
	else if (!phase)
		snprintf(buf, size, "after its last phase");
	else
		snprintf(buf, size, "in phase %s", phase);
	return buf;
}

static bool in_root_phase(const struct watch *w)
{
	const struct recording *r = &w->b->rec;
	size_t phase = json_array_size(r->phases);

	return r->hello && phase < r->exp->n_phases &&
	       (!strcmp(r->exp->phases[phase].pattern, ROOT_BOOT) ||
		!strcmp(r->exp->phases[phase].pattern, ROOT_SESSION));
}

static enum status panicked(struct watch *w, struct err *e)
{
	const char *text = w->console.panic;
	char at[96];

	if (!w->b->rec.alive) {
		err_set(e, -EIO, "guest did not boot: %s", text);
		return STATUS_BOOT;
	}
	/* PID 1 is the agent until it hands over */
	if (strstr(text, "Attempted to kill init") && in_root_phase(w)) {
		err_set(e, -EIO, "the root file system's init ended %s: %s",
			where(w, at, sizeof(at)), text);
		return STATUS_PANIC;
	}
	if (strstr(text, "Attempted to kill init")) {
		err_set(e, -EIO, "the agent crashed %s: %s", where(w, at, sizeof(at)), text);
		return STATUS_AGENT;
	}
	err_set(e, -EIO, "guest panicked %s: %s", where(w, at, sizeof(at)), text);
	return STATUS_PANIC;
}

static enum status agent_failed(struct watch *w, struct err *e)
{
	const char *crash = str_after(w->b->rec.error, "agent crashed");
	char at[96];

	if (crash)
		err_set(e, -EIO, "the agent crashed %s%s", where(w, at, sizeof(at)), crash);
	else
		err_set(e, -EIO, "the agent failed: %s", w->b->rec.error);
	return STATUS_AGENT;
}

static enum status ended_early(struct watch *w, struct err *e)
{
	char status[STATUS_TEXT_MAX], at[96];
	char *output __cleanup_free = NULL;
	char *line;
	size_t len;

	console_poll(&w->console, w->console_path);
	if (w->console.panic)
		return panicked(w, e);
	if (w->qemu.status) {
		if (file_read(w->output, 1u << 20, &output, &len, e) || !len)
			output = xstrdup("it said nothing");
		output[strcspn(output, "\r\n")] = '\0';
		for (line = output; *line; line++)
			if ((unsigned char)*line < ' ')
				*line = '?';
		err_set(e, -EIO, "QEMU ended with %s: %s", status_text(w->qemu.status, status),
			output);
		return STATUS_QEMU;
	}
	if (!w->b->rec.alive) {
		err_set(e, -EIO, "guest did not boot: it ended before the agent's first word");
		return STATUS_BOOT;
	}
	err_set(e, -EIO, "guest ended %s", where(w, at, sizeof(at)));
	return STATUS_AGENT;
}

static enum status too_late(struct watch *w, struct err *e)
{
	const struct recording *r = &w->b->rec;
	u64 idle = (now_ns() - w->changed) / NSEC_PER_SEC, limit = HELLO_TIMEOUT_S;
	const char *phase = recording_phase(r);
	char at[96];

	if (!r->alive) {
		if (idle < w->b->alive_timeout_s)
			return STATUS_OK;
		err_set(e, -ETIMEDOUT, "guest did not boot: no sign of the agent for %u s%s",
			w->b->alive_timeout_s,
			w->console.bytes ? "" : ", and nothing on the console");
		return STATUS_BOOT;
	}
	if (r->hello && phase)
		limit = r->exp->phases[json_array_size(r->phases)].timeout_s;
	if (idle < limit)
		return STATUS_OK;
	err_set(e, -ETIMEDOUT, "guest hung %s: no progress for %llu s", where(w, at, sizeof(at)),
		(unsigned long long)limit);
	return STATUS_HANG;
}

/* ---- the loop ---- */

static enum status read_port(struct watch *w, u8 *buf, struct err *e)
{
	struct recording *r = &w->b->rec;
	bool was_alive = r->alive;
	ssize_t n;
	int ret;

	n = recv(w->port, buf, READ_BYTES, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return STATUS_OK;
	if (n <= 0) {
		close(w->port);
		w->port = -1;
		return STATUS_OK;
	}
	ret = recording_feed(r, buf, (size_t)n, e);
	if (ret == -EBADMSG)
		return STATUS_AGENT;
	if (ret)
		return STATUS_WRITE;
	if (r->alive && !was_alive)
		w->b->alive_ns = now_ns() - w->start;
	return STATUS_OK;
}

/* QEMU goes on when its log can't be written, and the guest may wait for it until its time is up.
 */
static bool out_of_space(struct watch *w, struct err *e)
{
	u64 now = now_ns();

	if (now - w->space_seen < NSEC_PER_SEC)
		return false;
	w->space_seen = now;
	if (!disk_is_full(w->b->work))
		return false;
	err_set(e, -ENOSPC, "%s: no space left on the device", w->b->work);
	return true;
}

/* The guest waits for the answer. */
static enum status read_counters(struct watch *w, struct err *e)
{
	struct recording *r = &w->b->rec;
	json_t *counters;
	int ret;

	if (!w->b->servers) {
		err_set(e, -EBADMSG,
			"the guest asks for counters of servers that it does not have");
		return STATUS_AGENT;
	}
	ret = w->b->servers->counters(w->b->servers_ctx, &counters, e);
	if (ret)
		return STATUS_SERVER;
	recording_counters(r, counters);
	if (w->port >= 0)
		send(w->port, "", 1, MSG_NOSIGNAL);
	return STATUS_OK;
}

static enum status check_servers(struct watch *w, struct err *e)
{
	const struct boot_servers *s = w->b->servers;
	char at[96];

	if (!s || !s->check(w->b->servers_ctx, e))
		return STATUS_OK;
	err_prefix(e, -ECHILD, "%s", where(w, at, sizeof(at)));
	return STATUS_SERVER;
}

/*
 * A login prompt is the last thing that a booting system says, and then it
 * waits: a line of the boot that happens to look like it goes on.
 */
static void watch_prompt(struct watch *w)
{
	static const char prompt = HOST_PROMPT;
	const struct recording *r = &w->b->rec;
	size_t phase = json_array_size(r->phases);

	if (w->console.bytes != w->console_bytes) {
		w->console_bytes = w->console.bytes;
		w->console_changed = now_ns();
	}
	if (w->prompted || w->port < 0 || !r->hello || phase >= r->exp->n_phases ||
	    strcmp(r->exp->phases[phase].pattern, ROOT_BOOT) || !console_at_login(&w->console) ||
	    now_ns() - w->console_changed < PROMPT_SILENCE_MS * 1000000ull)
		return;
	w->prompted = send(w->port, &prompt, 1, MSG_NOSIGNAL) == 1;
}

/* One look at everything; true when the boot is over, one way or the other. */
static bool step(struct watch *w, u8 *buf, enum status *status, struct err *e)
{
	struct recording *r = &w->b->rec;
	struct pollfd fds[3] = {
		{.fd = w->port, .events = POLLIN},
		{.fd = w->qemu.pidfd, .events = POLLIN},
		{.fd = interrupt_fd(), .events = POLLIN},
	};

	poll(fds, ARRAY_SIZE(fds), TICK_MS);
	if (interrupt_signal()) {
		err_set(e, -EINTR, "interrupted");
		*status = STATUS_INTERRUPTED;
		return true;
	}
	/* what QEMU sent before it ended is still in the socket: read first, then look */
	if (w->port >= 0)
		*status = read_port(w, buf, e);
	if (*status)
		return true;
	if (r->error) {
		*status = agent_failed(w, e);
		return true;
	}
	if (r->counters_due)
		*status = read_counters(w, e);
	else
		*status = check_servers(w, e);
	if (*status)
		return true;
	if (r->changes != w->changes) {
		w->changes = r->changes;
		w->changed = now_ns();
	}
	if (out_of_space(w, e)) {
		*status = STATUS_WRITE;
		return true;
	}
	show(w);
	if (r->done)
		return true;
	console_poll(&w->console, w->console_path);
	if (w->console.panic) {
		*status = panicked(w, e);
		return true;
	}
	watch_prompt(w);
	if (w->port < 0 && child_ended(&w->qemu)) {
		*status = ended_early(w, e);
		return true;
	}
	*status = too_late(w, e);
	return *status != STATUS_OK;
}

/* The agent waits for a byte before it powers off; the log is complete when QEMU has ended. */
static enum status finish(struct watch *w, struct err *e)
{
	if (w->port >= 0)
		send(w->port, "", 1, MSG_NOSIGNAL);
	if (child_wait(&w->qemu, OFF_TIMEOUT_MS) == -EINTR) {
		err_set(e, -EINTR, "interrupted");
		return STATUS_INTERRUPTED;
	}
	child_end(&w->qemu, END_GRACE_MS);
	return STATUS_OK;
}

enum status boot_run(struct boot *b, struct err *e)
{
	struct watch w = {.b = b, .port = -1};
	u8 *buf __cleanup_free = xmalloc(READ_BYTES);
	enum status status;

	recording_init(&b->rec, b->exp, b->work);
	b->rec.n_phases = b->fill ? 0 : b->exp->n_phases;
	console_init(&w.console);
	w.console_path = xasprintf("%s/" CAPTURE_CONSOLE, b->dir);
	w.output = xasprintf("%s/qemu.out", b->work);
	b->log = xasprintf("%s/requests.log", b->work);
	w.start = w.changed = now_ns();
	meter_new(&w, "boot");
	status = start_qemu(&w, e);
	while (!status && !step(&w, buf, &status, e))
		;
	if (status)
		meter_clear(&w.meter);
	else
		status = finish(&w, e);
	child_end(&w.qemu, END_GRACE_MS);
	if (!status)
		meter_end(&w.meter, "done");
	b->total_ns = now_ns() - w.start;
	console_free(&w.console);
	cleanup_close(&w.port);
	free(w.console_path);
	free(w.output);
	return status;
}

void boot_free(struct boot *b)
{
	recording_free(&b->rec);
	qemu_args_free(&b->args);
	free(b->log);
	b->log = NULL;
}
