// SPDX-License-Identifier: GPL-2.0-only
#include "verify/checks/list.h"

#include <string.h>

const struct check *const all_checks[] = {
	&check_trace_complete,
	&check_cold_cache,
	&check_data_intact,
	&check_requests_match_host,
	&check_no_sync_readaround,
	&check_folio_order_ramps_up,
	&check_marker_hit,
	&check_device_bytes,
	&check_major_faults,
	&check_no_readahead_past_eof,
	&check_osd_bytes,
	&check_strided_records,
	&check_unaffected_pattern,
	&check_program_succeeds,
	&check_replay_same_requests,
	&check_replay_timing,
	&check_majfault_counted,
	&check_readaround_off,
	&check_major_faults_not_above,
	&check_io_count_not_above,
	&check_miss_ratio_near,
};
const unsigned int n_all_checks = ARRAY_SIZE(all_checks);

const struct check *check_find(const char *name)
{
	for (unsigned int i = 0; i < n_all_checks; i++)
		if (!strcmp(all_checks[i]->name, name))
			return all_checks[i];
	return NULL;
}
