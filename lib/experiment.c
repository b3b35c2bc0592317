// SPDX-License-Identifier: GPL-2.0-only
/* What can be asked of an experiment once it is read; its words. */
#include "lib/experiment.h"

#include <string.h>

#include "lib/experiment_internal.h"

const char *const copy_order_names[] = {"forward", "tail-first", "backward", "memcpy", NULL};
const char *const advice_names[] = {
	"none",
	"random",
	"sequential",
	"hugepage",
	"willneed",
	"fadvise-random",
	"fadvise-sequential",
	"fadvise-willneed",
	"readahead",
	NULL,
};
const char *const replay_timing_names[] = {"fast", "recorded", NULL};
const char *const replay_touch_names[] = {"run", "page", "range", NULL};
const char *const replay_open_names[] = {"auto", "shared", "per-task", NULL};
const char *const placement_names[] = {"interleaved", "blocked", NULL};
const char *const osd_store_names[] = {"memstore", "bluestore", NULL};
const char *const root_names[] = {"none", "virtio-blk", "nfs", NULL};

const char *nearest_word(const char *word, const char *const *known, size_t n)
{
	size_t len = strnlen(word, 64), best = len / 2 + 1;
	const char *found = NULL;
	size_t row[65];

	for (size_t k = 0; k < n; k++) {
		const char *w = known[k];

		/* Levenshtein's distance, one row at a time */
		for (size_t j = 0; j <= len; j++)
			row[j] = j;
		for (size_t i = 0; w[i]; i++) {
			size_t diagonal = row[0];

			row[0] = i + 1;
			for (size_t j = 0; j < len; j++) {
				size_t above = row[j + 1];
				size_t cost = diagonal + (w[i] != word[j]);

				row[j + 1] = MIN(cost, MIN(above, row[j]) + 1);
				diagonal = above;
			}
		}
		if (row[len] < best) {
			best = row[len];
			found = w;
		}
	}
	return found;
}

void experiment_free(struct experiment *exp)
{
	if (!exp)
		return;
	free(exp->kernels);
	free(exp->phases);
	free(exp->expects);
	free(exp->limits);
	free(exp);
}

void experiment_resize(struct experiment *exp, u64 file_size)
{
	u64 times = (file_size + exp->file_size - 1) / exp->file_size;
	u64 buffer = exp->trace_buffer, more;

	if (times > 1) {
		/* never beyond what the keys accept: the result must read back */
		exp->trace_buffer = MAX(MIN(buffer * times, TRACE_BUFFER_MAX), buffer);
		more = file_size - exp->file_size + (exp->trace_buffer - buffer) * exp->cpus;
		exp->memory = MIN(exp->memory + more, MEMORY_MAX);
	}
	exp->file_size = file_size;
}

u64 position_bytes(const struct position *pos, u64 file_size, u64 align)
{
	u64 bytes = pos->bytes;

	if (pos->den)
		bytes = (u64)((unsigned __int128)file_size * pos->num / pos->den);
	return align > 1 ? bytes - bytes % align : bytes;
}

enum expectation experiment_expects(const struct experiment *exp, const char *kernel,
				    const char *phase, const char *check)
{
	enum expectation found = EXPECT_HOLDS;
	bool specific = false;

	for (unsigned int i = 0; exp && i < exp->n_expects; i++) {
		const struct expect *x = &exp->expects[i];

		if (strcmp(x->kernel, kernel) || strcmp(x->check, check))
			continue;
		if (*x->phase ? strcmp(x->phase, phase) : specific)
			continue;
		found = x->value;
		specific = *x->phase;
	}
	return found;
}

bool experiment_on_bare_disk(const struct experiment *exp)
{
	return !strcmp(exp->filesystem, FILESYSTEM_NONE);
}

bool experiment_on_ceph(const struct experiment *exp)
{
	return !strcmp(exp->filesystem, "ceph");
}

unsigned int phase_client(const struct phase *phase, unsigned int i)
{
	if (phase->placement == PLACE_INTERLEAVED)
		return i % phase->clients;
	return (unsigned int)((u64)i * phase->clients / phase->threads);
}

bool phase_judges(const struct phase *phase, const char *check)
{
	if (!phase->n_checks)
		return true;
	for (unsigned int i = 0; i < phase->n_checks; i++)
		if (!strcmp(phase->checks[i], check))
			return true;
	return false;
}
