// SPDX-License-Identifier: GPL-2.0-only
#include "verify/model/judge.h"

static void cold_cache_finish(struct judge *j)
{
	const struct phase_info *info = j->phase->info;

	if (!info)
		return;
	if (!info->cold_known) {
		judge_undecided(
			j, WHY_NOT_MEASURABLE,
			"not measurable: neither cachestat nor mincore worked in the guest");
		return;
	}
	if (info->cached_before) {
		judge_undecided(j, WHY_CACHE_NOT_COLD,
				"%llu pages of the test file were cached (%s)",
				(unsigned long long)info->cached_before, info->cold_method);
		return;
	}
	j->result.examined = (j->model->capture->file_size + (1ull << j->model->page_shift) - 1) >>
			     j->model->page_shift;
	judge_detail(j, "none of %llu pages was cached (%s)",
		     (unsigned long long)j->result.examined, info->cold_method);
}

static const struct check_ops cold_cache_ops = {
	.finish = cold_cache_finish,
};

const struct check check_cold_cache = {
	.name = "cold-cache",
	.summary = "no page of the test file was cached beforehand",
	.explain =
		"Whether and how the kernel reads ahead depends on what is cached already: a\n"
		"cached page is neither read nor faulted in, and gets no readahead marker.  A\n"
		"phase that began with part of its file in the page cache says nothing about\n"
		"readahead, so it can't prove a claim, nor refute one.\n"
		"\n"
		"The guest drops its caches before each phase and then asks the kernel how many\n"
		"pages of the test file are left, with cachestat(2), or with mincore(2) where\n"
		"that is missing.  Any page makes this check INCONCLUSIVE, and with it every\n"
		"check that means nothing without a cold cache.  It never fails: dirty or pinned\n"
		"pages are no fault of the code that is tested.\n"
		"\n"
		"Looked at: cached_before and cold_method of the phase in capture.json.\n"
		"There are no limits to set.\n",
	.needs_json = true,
	.ops = &cold_cache_ops,
};
