/* SPDX-License-Identifier: GPL-2.0-only */
/* Every check, in the order of reports: first whether the evidence is whole. */
#ifndef BP_CHECK_LIST_H
#define BP_CHECK_LIST_H

#include "verify/checks/check.h"

extern const struct check check_trace_complete;
extern const struct check check_cold_cache;
extern const struct check check_data_intact;
extern const struct check check_requests_match_host;
extern const struct check check_no_sync_readaround;
extern const struct check check_folio_order_ramps_up;
extern const struct check check_marker_hit;
extern const struct check check_device_bytes;
extern const struct check check_major_faults;
extern const struct check check_no_readahead_past_eof;
extern const struct check check_osd_bytes;
extern const struct check check_strided_records;
extern const struct check check_unaffected_pattern;
extern const struct check check_program_succeeds;
extern const struct check check_replay_same_requests;
extern const struct check check_replay_timing;
extern const struct check check_majfault_counted;
extern const struct check check_readaround_off;
extern const struct check check_major_faults_not_above;
extern const struct check check_io_count_not_above;
extern const struct check check_miss_ratio_near;

#endif
