// SPDX-License-Identifier: GPL-2.0-only
/* run.json and capture.json: the first byte of the input chooses which it is. */
#include <string.h>
#include <sys/stat.h>

#include "verify/rundir.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void load_capture(char *dir)
{
	struct capture c = {.path = dir};
	struct err e;

	if (!capture_json_load(&c, &e) && !c.n_phases)
		abort(); /* read as good, and nothing in it */
	capture_json_free(&c);
}

static void load_run(const char *dir)
{
	struct run *run = xcalloc(1, sizeof(*run));
	struct run_json j = {.n_captures = 0};
	struct err e;

	run->path = xstrdup(dir);
	if (!run_json_load(run, &j, &e) && (!run->n_kernels || !j.n_captures))
		abort();
	free(j.captures);
	run_close(run);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static char dir[] = "/tmp/fuzz_run_json.XXXXXX";
	static bool made;
	char *path __cleanup_free = NULL;
	FILE *f;

	if (!made && !mkdtemp(dir))
		abort();
	made = true;
	if (!size)
		return 0;
	path = xasprintf("%s/%s", dir, data[0] & 1 ? RUN_JSON : CAPTURE_JSON);
	f = fopen(path, "w");
	if (!f || fwrite(data + 1, 1, size - 1, f) != size - 1 || fclose(f))
		abort();
	if (data[0] & 1)
		load_run(dir);
	else
		load_capture(dir);
	unlink(path);
	return 0;
}
