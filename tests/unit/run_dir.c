// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/run_dir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "lib/contract.h"
#include "lib/fileio.h"
#include "tests/unit/make_trace.h"

static const char experiment_ini[] =
	"[experiment]\nsummary = two phases\nfile_size = 1G\nfilesystem = ext4\n"
	"read_ahead_kb = 8192\nmemory = 2G\ncpus = 2\ntrace_buffer = 64M\n"
	"[kernel base]\n[kernel patched]\npatches = patches\n"
	"[phase one]\npattern = piece-copy\nthreads = 1\npiece = 8M\norder = tail-first\n"
	"[phase two]\npattern = pread-copy\nthreads = 1\npiece = 8M\n"
	"[expect base one]\ndata-intact = violated\n";

static const char run_json[] =
	"{\"schema\": 1, \"experiment\": \"piece-copy\", \"date\": \"2026-01-02T03:04:05Z\",\n"
	" \"blkproof_version\": \"0.1\", \"command\": \"make boot-and-trace\",\n"
	" \"host\": {\"cpu\": \"Example\", \"cpus\": 2, \"uname\": \"Linux 6.1\"},\n"
	" \"qemu\": {\"version\": \"7.2.0\"},\n"
	" \"accelerator\": {\"asked\": \"auto\", \"used\": \"tcg\", \"reason\": \"KVM: no "
	"hello\"},\n"
	" \"kernels\": [\n"
	"  {\"name\": \"base\", \"version\": \"7.3.4\", \"source\": \"linux-source-7.3\",\n"
	"   \"config_hash\": \"01\", \"image_sha256\": \"02\", \"patches\": []},\n"
	"  {\"name\": \"patched\", \"version\": \"7.3.4\", \"source\": \"linux-source-7.3\",\n"
	"   \"config_hash\": \"01\", \"image_sha256\": \"03\", \"patches\": [\n"
	"    {\"file\": \"0001.patch\", \"id\": \"8b47\", \"subject\": \"mm: x\", "
	"\"base_commit\": null,\n"
	"     \"change_id\": null}]}],\n"
	" \"captures\": [\"patched-1\", \"base-1\"], \"repeat\": 1}\n";

/* the kernel; how many bytes of phase one are wrong */
static const char capture_json[] =
	"{\"schema\": 1, \"kernel\": \"%s\", \"repeat\": 1, \"accelerator\": \"tcg\",\n"
	" \"uname\": \"7.3.4\", \"cmdline\": \"console=ttyS0\", \"cpu_model\": \"QEMU\",\n"
	" \"libc\": \"glibc 2.36\", \"tunables\": null, \"cpus\": 2, \"page_size\": 4096,\n"
	" \"memory_bytes\": 2147483648, \"trace_clock\": \"mono\",\n"
	" \"test_device\": {\"name\": \"vda\", \"major\": 254, \"minor\": 0, \"size_bytes\": "
	"2147483648,\n"
	"  \"queue_size\": 256, \"seg_max\": 254, \"scheduler\": null},\n"
	" \"test_file\": {\"path\": \"/mnt/testfile\", \"major\": 254, \"minor\": 1, \"ino\": 12,\n"
	"  \"size\": 1073741824, \"filesystem\": \"ext4\", \"block_size\": 4096},\n"
	" \"knobs\": {\"read_ahead_kb\": 8192, \"transparent_hugepage\": \"always\"},\n"
	" \"events\": [], \"events_missing\": [], \"qemu\": {\"argv\": []},\n"
	" \"phases\": [\n"
	"  {\"name\": \"one\", \"pattern\": \"piece-copy\", \"params\": {}, \"begin_ns\": 1000,\n"
	"   \"end_ns\": 2000, \"bytes_asked\": 4096, \"elapsed_ns\": 900, \"wall_ns\": 950,\n"
	"   \"cold\": {\"method\": \"cachestat\", \"cached_pages\": 0, \"attempts\": 1},\n"
	"   \"data\": {\"checked_bytes\": 4096, \"bad_bytes\": %d, \"first_bad_offset\": %s},\n"
	"   \"vmstat\": {\"before\": {\"pgfault\": 100, \"pgmajfault\": 10, \"pgpgin\": 1000},\n"
	"              \"after\": {\"pgfault\": 150, \"pgmajfault\": 13, \"pgpgin\": 1400}},\n"
	"   \"cachestat\": {\"before\": {}, \"after\": {}},\n"
	"   \"cpu_time\": {\"user_ns\": 5, \"system_ns\": 6},\n"
	"   \"loss\": {\"per_cpu\": [\n"
	"    {\"cpu\": 0, \"entries_read\": 9, \"overrun\": 1, \"commit_overrun\": 2, "
	"\"dropped\": 3, \"unread\": 4},\n"
	"    {\"cpu\": 1, \"entries_read\": 9, \"overrun\": 10, \"commit_overrun\": 20, "
	"\"dropped\": 30, \"unread\": 40}]},\n"
	"   \"clock\": {\"offset_ns\": -77, \"uncertainty_ns\": 7, \"pairs\": 70}},\n"
	"  {\"name\": \"two\", \"pattern\": \"pread-copy\", \"params\": {}, \"begin_ns\": 3000,\n"
	"   \"end_ns\": 4000, \"bytes_asked\": 8192, \"elapsed_ns\": 901,\n"
	"   \"data\": {\"checked_bytes\": 8192, \"bad_bytes\": 0, \"first_bad_offset\": null},\n"
	"   \"vmstat\": {\"before\": {\"pgfault\": 1, \"pgmajfault\": 1},\n"
	"              \"after\": {\"pgfault\": 1, \"pgmajfault\": 1}},\n"
	"   \"loss\": {\"per_cpu\": [{\"cpu\": 0, \"overrun\": 0, \"commit_overrun\": 0, "
	"\"dropped\": 0, \"unread\": 0}]}\n"
	"  }],\n"
	" \"end\": {\"status\": \"ok\"}}\n";

void run_dir_write(const char *run, const char *name, const char *data, size_t len)
{
	char *path __cleanup_free = xasprintf("%s/%s", run, name);
	struct err e;

	if (file_write_atomic(path, data, len, &e))
		fail_msg("%s", e.msg);
}

/* Both phases' markers, at times that capture.json agrees with. */
static void write_trace(const char *run, const char *kernel)
{
	char *path __cleanup_free = xasprintf("%s/%s-1/" CAPTURE_TRACE, run, kernel);
	struct trace_builder *tb = tb_new(TB_V6);

	tb_marker(tb, 0, 1100, 42, MARKER_PREFIX MARKER_PHASE_BEGIN "one");
	tb_marker(tb, 0, 1900, 42, MARKER_PREFIX MARKER_PHASE_END "one");
	tb_marker(tb, 0, 3100, 42, MARKER_PREFIX MARKER_PHASE_BEGIN "two");
	tb_marker(tb, 0, 3900, 42, MARKER_PREFIX MARKER_PHASE_END "two");
	tb_write(tb, path);
	tb_free(tb);
}

/* blktrace's record, version 7, as blktrace_api.h has it: a read was queued, before any phase */
static const struct {
	u32 magic, sequence;
	u64 time, sector;
	u32 bytes, action, pid, device, cpu;
	u16 error, pdu_len;
} record = {.magic = 0x65617407, .sequence = 1, .time = 1, .bytes = 4096, .action = 1 << 16 | 1};

static void write_capture(const char *run, const char *kernel, int bad)
{
	char *json __cleanup_free = xasprintf(capture_json, kernel, bad, bad ? "16" : "null");
	char *sub __cleanup_free = xasprintf("%s/%s-1", run, kernel);
	char *name;

	mkdir(sub, 0777);
	name = xasprintf("%s-1/" CAPTURE_JSON, kernel);
	run_dir_write(run, name, json, strlen(json));
	free(name);
	name = xasprintf("%s-1/" CAPTURE_BLKTRACE, kernel);
	run_dir_write(run, name, (const char *)&record, sizeof(record));
	free(name);
	write_trace(run, kernel);
}

void run_dir_make(const char *run)
{
	remove_tree(run);
	mkdir(run, 0777);
	run_dir_write(run, RUN_JSON, run_json, strlen(run_json));
	run_dir_write(run, RUN_EXPERIMENT, experiment_ini, strlen(experiment_ini));
	write_capture(run, "base", 8);
	write_capture(run, "patched", 0);
}

void run_dir_replace(const char *run, const char *name, const char *from, const char *to)
{
	char *path __cleanup_free = xasprintf("%s/%s", run, name);
	char *text __cleanup_free = NULL, *out __cleanup_free = NULL, *at;
	struct err e;

	if (file_read(path, 1 << 20, &text, NULL, &e))
		fail_msg("%s", e.msg);
	at = strstr(text, from);
	if (!at)
		fail_msg("%s: there is no %s", name, from);
	out = xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	run_dir_write(run, name, out, strlen(out));
}
