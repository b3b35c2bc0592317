// SPDX-License-Identifier: GPL-2.0-only
#include "host/run_json.h"

#include <jansson.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "host/version.h"
#include "lib/contract.h"
#include "lib/fileio.h"

char *capture_name(const char *kernel, unsigned int repeat)
{
	return xasprintf("%s-%u", kernel, repeat);
}

/* Text from patches may be in any encoding; JSON is UTF-8. */
static json_t *text_json(const char *text)
{
	json_t *j = json_string(text ? text : "");
	char *copy, *p;

	if (j)
		return j;
	copy = xstrdup(text);
	for (p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	j = json_string(copy);
	free(copy);
	return j;
}

static json_t *host_json(void)
{
	char *info __cleanup_free = NULL;
	char *model = NULL;
	char *uts_text __cleanup_free = NULL;
	struct utsname uts;
	struct err ignored;

	if (!file_read("/proc/cpuinfo", 16u << 20, &info, NULL, &ignored)) {
		model = strstr(info, "model name");
		model = model ? strchr(model, ':') : NULL;
		if (model) {
			model += 1 + strspn(model + 1, " ");
			model[strcspn(model, "\n")] = '\0';
		}
	}
	if (!uname(&uts))
		/* without the machine's name */
		uts_text = xasprintf("%s %s %s", uts.sysname, uts.release, uts.machine);
	return json_pack("{s:o, s:I, s:o}", "cpu", text_json(model), "cpus",
			 (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "uname", text_json(uts_text));
}

/* What the report counts to say whether the changed path was hit. */
static void add_functions(json_t *p, const struct patch_functions *f)
{
	json_t *list = json_array(), *o;

	for (size_t i = 0; i < f->n; i++) {
		o = json_pack("{s:o, s:o, s:b}", "file", text_json(f->list[i].file), "function",
			      text_json(f->list[i].name), "added", f->list[i].added);
		if (f->list[i].called_from)
			json_object_set_new(o, "called_from", text_json(f->list[i].called_from));
		json_array_append_new(list, o);
	}
	json_object_set_new(p, "touched", list);
	json_object_set_new(p, "unnamed_hunks", json_integer(f->unnamed_hunks));
}

static json_t *patches_json(const struct kernel_image *img)
{
	json_t *list = json_array(), *p;
	size_t i;

	for (i = 0; i < img->n_patches; i++) {
		const struct kernel_patch *k = &img->patches[i];

		p = json_pack("{s:o, s:o, s:o}", "file", text_json(k->file), "id", text_json(k->id),
			      "subject", text_json(k->subject));
		json_object_set_new(p, "fuzz", json_integer(k->fuzz));
		if (k->base_commit)
			json_object_set_new(p, "base_commit", text_json(k->base_commit));
		if (k->change_id)
			json_object_set_new(p, "change_id", text_json(k->change_id));
		add_functions(p, &k->functions);
		json_array_append_new(list, p);
	}
	return list;
}

static json_t *kernels_json(const struct run_facts *f)
{
	json_t *list = json_array(), *k;
	unsigned int i;

	for (i = 0; i < f->exp->n_kernels; i++) {
		const struct kernel_image *img = f->images[i];

		k = json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", f->exp->kernels[i].name,
			      "version", text_json(img->version), "source", text_json(img->source),
			      "image_sha256", text_json(img->sha256), "patches", patches_json(img));
		if (img->config_hash)
			json_object_set_new(k, "config_hash", text_json(img->config_hash));
		if (img->compiler)
			json_object_set_new(k, "compiler", text_json(img->compiler));
		json_array_append_new(list, k);
	}
	return list;
}

static json_t *captures_json(const struct run_facts *f)
{
	json_t *list = json_array();
	unsigned int i, repeat;
	char *name;

	for (i = 0; i < f->exp->n_kernels; i++)
		for (repeat = 1; repeat <= f->repeat; repeat++) {
			name = capture_name(f->exp->kernels[i].name, repeat);
			json_array_append_new(list, json_string(name));
			free(name);
		}
	return list;
}

int run_json_write(const char *path, const struct run_facts *f, struct err *e)
{
	time_t now = time(NULL);
	char date[32];
	struct tm tm;
	json_t *j;
	char *text;
	int ret;

	gmtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	j = json_pack(
		"{s:i, s:s, s:I, s:s, s:s, s:o, s:o, s:{s:o}, s:{s:s, s:s, s:o}, s:o, s:o, s:i}",
		"schema", RUN_SCHEMA, "experiment", f->exp->name, "experiment_bytes",
		(json_int_t)f->experiment_bytes, "date", date, "blkproof_version", BLKPROOF_VERSION,
		"command", text_json(f->command), "host", host_json(), "qemu", "version",
		text_json(f->qemu_version), "accelerator", "asked", accel_names[f->accel->asked],
		"used", f->accel->use, "reason", text_json(f->accel->reason), "kernels",
		kernels_json(f), "captures", captures_json(f), "repeat", (int)f->repeat);
	if (f->servers_version)
		json_object_set_new(j, f->exp->root == ROOT_NFS ? "nfs" : "ceph",
				    json_pack("{s:o}", "version", text_json(f->servers_version)));
	text = json_dumps(j, JSON_INDENT(1));
	json_decref(j);
	ret = file_write_atomic(path, text, strlen(text), e);
	free(text);
	return ret;
}
