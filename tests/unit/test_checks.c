// SPDX-License-Identifier: GPL-2.0-only
/* Every check on three fixtures: it holds, it is violated, it can't be decided. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixture.h"
#include "tests/unit/fixture_ceph.h"
#include "verify/model/replay.h"

#define HOST_OFFSET (5000 * NSEC_PER_SEC)

/* ---- builders: each makes a capture with one phase "one" (bare: whatever is in it) ---- */

static void patched_8x16(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_phase_patched(fx, "one", 8, 16);
}

static void patched_32x4(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_phase_patched(fx, "one", 32, 4);
}

static void base_1x16(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].pgmajfault = 17;
	fx_phase_base(fx, "one", 1, 16);
}

static void base_32x4(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].pgmajfault = 160;
	fx_phase_base(fx, "one", 32, 4);
}

static void few_pieces(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].pgmajfault = 4;
	fx_phase_patched(fx, "one", 1, 4);
}

static void patched_faults(struct fixture *fx, u64 n)
{
	fx_init(fx, 1);
	fx->phases[0].pgmajfault = n;
	fx_phase_patched(fx, "one", 8, 4);
}

static void faults_26(struct fixture *fx)
{
	patched_faults(fx, 26);
}

static void faults_27(struct fixture *fx)
{
	patched_faults(fx, 27);
}

static void base_lost(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_lost(fx, 1, fx->ts - 100);
	fx_marker(fx, 1, "phase end one");
	/* fx_phase_base() begins a second time, which capture.json does not know */
	fx_phase_base(fx, "one", 1, 16);
}

static void patched_lost(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].loss.overrun = 3;
	fx_phase_patched(fx, "one", 8, 4);
}

static void lost_elsewhere(struct fixture *fx)
{
	fx_init(fx, 2);
	fx_phase_patched(fx, "one", 8, 4);
	fx_marker(fx, 1, "phase begin two");
	fx_lost(fx, 0, fx->ts - 1);
	fx_marker(fx, 1, "phase end two");
}

static void unread(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->loss[0] = (struct cpu_loss){.cpu = 1, .unread = 7, .absent = 7};
	fx->info.loss = fx->loss;
	fx->info.n_loss = 1;
	fx_phase_patched(fx, "one", 8, 4);
}

static void no_end(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_readaround(fx, 100, 5000);
}

static void no_phase(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_readaround(fx, 100, 5000);
}

static void damaged(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->info.damage = "trace.dat: cut";
	fx_phase_base(fx, "one", 1, 16);
}

static void partial(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->opt.partial = true;
	fx_phase_patched(fx, "one", 8, 4);
}

static void empty(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_marker(fx, 1, "phase end one");
}

static void warm(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].cached_before = 1;
	fx->phases[0].pgmajfault = 129;
	fx_phase_base(fx, "one", 32, 4);
}

static void cold_unknown(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].cold_known = false;
	fx_phase_patched(fx, "one", 8, 4);
}

static void bad_data(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].data_bad = 8;
	fx->phases[0].data_first_bad = 4096;
	fx_phase_patched(fx, "one", 8, 4);
}

static void no_data(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].data_checked = 0;
	fx_phase_patched(fx, "one", 8, 4);
}

static void bare_base(struct fixture *fx)
{
	fx_init(fx, 0);
	fx_phase_base(fx, "one", 1, 16);
}

/* As bare_base, from a guest that writes no markers: one phase without a name. */
static void bare_unmarked(struct fixture *fx)
{
	fx_init(fx, 0);
	for (u64 page = 8192; page < 40960; page += FX_PIECE) {
		fx_readaround(fx, 100, page + FX_PIECE - 1);
		fx_map(fx, 100, page);
		fx_async(fx, 100, page + 511);
		fx_map(fx, 100, page + 512);
	}
}

/* The page after the marker may have been cached before the trace began. */
static void bare_unknown(struct fixture *fx)
{
	fx_init(fx, 0);
	fx_readaround(fx, 100, 8192);
	fx_async(fx, 100, 8704);
	fx_map(fx, 100, 8705);
}

static void no_ra_events(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->info.event_types &= ~(EV_BIT(EV_RA_ORDER) | EV_BIT(EV_RA_ASYNC) | EV_BIT(EV_RA_SYNC));
	fx_phase_patched(fx, "one", 8, 4);
}

static void no_add_events(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->info.event_types &= ~EV_BIT(EV_FOLIO_ADD);
	fx_phase_patched(fx, "one", 8, 4);
}

static void no_folio_order(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->info.caps = 0;
	fx_phase_patched(fx, "one", 8, 4);
}

/* Two streams; the second has a range that the first one's readahead has covered. */
static void hit_covered(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_fill(fx, 101, 8192, 8192, 9);
	fx_async(fx, 100, 8192);
	fx_map(fx, 100, 8200);
	fx_marker(fx, 1, "phase end one");
}

/* The hole is the last page that two windows from the marker cover, or the next. */
static void hit_hole_at(struct fixture *fx, u64 hole)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	for (u64 i = 8192; i < 8192 + 16384; i++)
		if (i != hole)
			fx_add(fx, 101, i, 0);
	fx_async(fx, 100, 8192);
	fx_map(fx, 100, 8200);
	fx_marker(fx, 1, "phase end one");
}

static void hit_hole_last(struct fixture *fx)
{
	hit_hole_at(fx, 8192 + 2 * FX_PIECE);
}

static void hit_hole_beyond(struct fixture *fx)
{
	hit_hole_at(fx, 8192 + 2 * FX_PIECE + 1);
}

static void hit_at_eof(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->capture.file_size = 9000 * 4096;
	fx_marker(fx, 1, "phase begin one");
	fx_fill(fx, 101, 8192, 808, 0);
	fx_async(fx, 100, 8192);
	fx_map(fx, 100, 8200);
	fx_marker(fx, 1, "phase end one");
}

static void hit_last_event(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_async(fx, 100, 8192);
	/* the task exits: nothing follows before the phase ends */
	fx_marker(fx, 1, "phase end one");
}

/* The window that follows belongs to another task. */
static void hit_other_task(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_async(fx, 100, 8192);
	fx_order(fx, 101, 10240, 2, 2048, 2048);
	fx_map(fx, 100, 8200);
	fx_marker(fx, 1, "phase end one");
}

/* Completions that an interrupt writes in the task's name are not its next access. */
static void hit_interrupted(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_async(fx, 100, 8192);
	fx_request(fx, 100, 8, 4096);
	fx_order(fx, 100, 10240, 2, 2048, 2048);
	fx_marker(fx, 1, "phase end one");
}

/* ---- orders ---- */

/*
 * One stream: a read-around, then a piece for each order, with a marker hit or (0) without.
 * @others have pieces, and neither hits nor windows.
 */
static void streams_of_orders(struct fixture *fx, const char *orders, unsigned int fs_limit,
			      unsigned int others)
{
	u64 page = 8192;

	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	for (unsigned int i = 1; i <= others; i++) {
		fx_marker(fx, 200 + (s32)i, "stream %u 0 1073741824", i);
		fx_marker(fx, 200 + (s32)i, "piece %u 0 8388608", i);
	}
	fx_marker(fx, 100, "stream 0 0 1073741824");
	fx_marker(fx, 100, "piece 0 %llu 8388608", (unsigned long long)page * 4096);
	fx_readaround(fx, 100, page);
	for (; *orders; orders++) {
		unsigned int order = *orders >= 'a' ? (unsigned int)(*orders - 'a') + 10
						    : (unsigned int)(*orders - '0');

		page += FX_PIECE;
		fx_marker(fx, 100, "piece 0 %llu 8388608", (unsigned long long)page * 4096);
		if (!order) {
			fx_readaround(fx, 100, page + FX_PIECE);
			continue;
		}
		fx_fault(fx, 100, page);
		fx_async(fx, 100, page);
		fx_order(fx, 100, page + FX_PIECE, order, FX_PIECE, FX_PIECE);
		fx_fill(fx, 100, page + FX_PIECE, FX_PIECE, MIN(order, fs_limit));
	}
	fx_marker(fx, 1, "phase end one");
}

static void stream_of_orders(struct fixture *fx, const char *orders, unsigned int fs_limit)
{
	streams_of_orders(fx, orders, fs_limit, 0);
}

static void orders_grow(struct fixture *fx)
{
	stream_of_orders(fx, "02468abbb", 9);
}

static void orders_one_of_two(struct fixture *fx)
{
	streams_of_orders(fx, "02468abbb", 9, 1);
}

static void orders_one_of_three(struct fixture *fx)
{
	streams_of_orders(fx, "02468abbb", 9, 2);
}

static void orders_dip(struct fixture *fx)
{
	stream_of_orders(fx, "bb4bb", 9);
}

static void orders_small_fs(struct fixture *fx)
{
	stream_of_orders(fx, "0246666666", 4);
}

static void orders_stuck(struct fixture *fx)
{
	stream_of_orders(fx, "02222222222", 9);
}

static void orders_fall_back(struct fixture *fx)
{
	stream_of_orders(fx, "0246802468ab", 9);
}

/* Every fallback is one violation; nobody had a run long enough to reach the top. */
static void orders_reset(struct fixture *fx)
{
	stream_of_orders(fx, "0240240240240", 9);
}

static void orders_too_short(struct fixture *fx)
{
	stream_of_orders(fx, "0246", 9);
}

static void orders_no_hit(struct fixture *fx)
{
	stream_of_orders(fx, "0000", 9);
}

/* Another thread reads around between any two of its windows: no fault of the stream's. */
static void orders_shared(struct fixture *fx)
{
	u64 page = 8192;

	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_marker(fx, 100, "stream 0 0 1073741824");
	for (unsigned int i = 0; i < 20; i++, page += FX_PIECE) {
		fx_readaround(fx, 101, 1000000 + page);
		fx_marker(fx, 100, "piece 0 %llu 8388608", (unsigned long long)page * 4096);
		fx_async(fx, 100, page);
		fx_order(fx, 100, page + FX_PIECE, 2, FX_PIECE, FX_PIECE);
		fx_fill(fx, 100, page + FX_PIECE, FX_PIECE, 2);
	}
	fx_marker(fx, 1, "phase end one");
}

/* As on a base kernel: the first hit's window finds all but its last page cached. */
static void orders_useless_window(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_marker(fx, 100, "stream 0 0 1073741824");
	fx_marker(fx, 100, "piece 0 0 8388608");
	fx_readaround(fx, 100, 10239);
	fx_async(fx, 100, 8704);
	fx_order(fx, 100, 9216, 2, FX_PIECE, FX_PIECE);
	fx_add(fx, 100, 11263, 0);
	fx_async(fx, 100, 10752);
	fx_map(fx, 100, 10753);
	fx_marker(fx, 1, "phase end one");
}

/* ---- a program of the user's ---- */

static void program(struct fixture *fx, bool ended, u32 status, u32 signal)
{
	fx_init(fx, 1);
	strcpy(fx->phases[0].pattern, "program");
	fx->phases[0].program_ended = ended;
	fx->phases[0].program_status = status;
	fx->phases[0].program_signal = signal;
	fx->phases[0].program_output = 12;
	fx->phases[0].bytes_asked = 0;
	fx->phases[0].data_checked = 0;
	fx_phase_patched(fx, "one", 1, 4);
}

static void program_0(struct fixture *fx)
{
	program(fx, true, 0, 0);
}

static void program_1(struct fixture *fx)
{
	program(fx, true, 1, 0);
}

static void program_killed(struct fixture *fx)
{
	program(fx, true, 0, 11);
}

static void program_unknown(struct fixture *fx)
{
	program(fx, false, 0, 0);
}

/* ---- pieces without read-around ---- */

static void pieces_with(struct fixture *fx, bool seq_fault)
{
	u64 page = 8192;

	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_marker(fx, 100, "stream 0 0 1073741824");
	for (unsigned int i = 0; i < 5; i++, page += FX_PIECE) {
		fx_marker(fx, 100, "piece 0 %llu 8388608", (unsigned long long)page * 4096);
		fx_fault(fx, 100, page);
		if (!seq_fault)
			continue;
		/* VM_SEQ_READ: synchronous, but no read-around */
		fx_sync(fx, 100, page, FX_PIECE);
		fx_order(fx, 100, page, 0, FX_PIECE, FX_PIECE / 2);
		fx_fill(fx, 100, page, FX_PIECE, 0);
	}
	fx_marker(fx, 1, "phase end one");
}

static void pieces_seq_fault(struct fixture *fx)
{
	pieces_with(fx, true);
}

static void pieces_without_readahead(struct fixture *fx)
{
	pieces_with(fx, false);
}

/* Every piece is read around, and none begins where the one before ended. */
static void pieces_interleaved(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_marker(fx, 100, "stream 0 0 1073741824");
	for (u64 i = 0, page = 8192; i < 8; i++, page += 4 * FX_PIECE) {
		fx_marker(fx, 100, "piece 0 %llu 8388608", (unsigned long long)page * 4096);
		fx_readaround(fx, 100, page + FX_PIECE - 1);
		fx_readaround(fx, 100, page);
		fx_async(fx, 100, page + FX_PIECE / 2);
	}
	fx_marker(fx, 1, "phase end one");
}

/* ---- two witnesses that disagree ---- */

static void entries(struct fixture *fx, s64 more)
{
	patched_8x16(fx);
	fx->phases[0].entries_known = true;
	fx->phases[0].entries_read = fx->seq + (u64)more;
}

static void entries_all(struct fixture *fx)
{
	entries(fx, 0);
}

static void entries_missing(struct fixture *fx)
{
	entries(fx, 2);
}

static void entries_too_many(struct fixture *fx)
{
	entries(fx, -1);
}

/* Either marker outside of capture.json's phase: the trace is another boot's. */
static void begins_early(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].begin_ns = fx->ts + 1001;
	fx_phase_patched(fx, "one", 8, 16);
}

static void ends_late(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].end_ns = fx->ts + 1000;
	fx_phase_patched(fx, "one", 8, 16);
}

static void data_unchecked(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].data_checked = fx->phases[0].bytes_asked - 1;
	fx_phase_patched(fx, "one", 8, 16);
}

static void faults_uncounted(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->phases[0].pgmajfault = 15;
	fx_phase_patched(fx, "one", 8, 16);
}

static void bytes_unseen(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_fill(fx, 100, 0, 258, 0);
	fx_request(fx, 100, 0, 1u << 20);
	fx_marker(fx, 1, "phase end one");
}

/* Eight sequential pieces; each of them but the first begins with a read-around. */
static void pieces_marked(struct fixture *fx, const char *stream, u64 skip, bool shifted)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_marker(fx, 101, "stream 1 0 1073741824");
	for (u64 p = 0; p < 4; p++)
		fx_marker(fx, 101, "piece 1 %llu 8388608", (unsigned long long)(p << 23));
	if (*stream)
		fx_marker(fx, 100, "%s", stream);
	for (u64 p = 0; p < 8; p++) {
		u64 page = 8192 + p * FX_PIECE;

		if (p != skip)
			fx_marker(fx, 100, "piece 0 %llu 8388608",
				  (unsigned long long)page * 4096);
		if (shifted) {
			fx_fault(fx, 100, page + FX_PIECE - 1);
			fx_order(fx, 100, page + 7, 0, FX_PIECE, FX_PIECE / 4);
		} else if (p != 1) {
			fx_readaround(fx, 100, page + FX_PIECE - 1);
		}
	}
	fx_marker(fx, 1, "phase end one");
}

static void pieces_stray(struct fixture *fx)
{
	pieces_marked(fx, "", 8, false);
}

static void pieces_gap(struct fixture *fx)
{
	pieces_marked(fx, "stream 0 0 1073741824", 1, false);
}

static void pieces_other_start(struct fixture *fx)
{
	pieces_marked(fx, "stream 0 0 1073741824", 8, true);
}

/* read(2) in pieces: nobody faults, so that nothing can be read around */
static void pieces_read(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_marker(fx, 100, "stream 0 0 1073741824");
	for (u64 p = 0; p < 4; p++) {
		fx_marker(fx, 100, "piece 0 %llu 8388608", (unsigned long long)(p << 23));
		fx_sync(fx, 100, p * FX_PIECE, FX_PIECE);
		fx_order(fx, 100, p * FX_PIECE, 0, FX_PIECE, 0);
	}
	fx_marker(fx, 1, "phase end one");
}

/* As base, but of its windows only one is in the trace. */
static void pieces_untraced(struct fixture *fx)
{
	fx_init(fx, 1);
	fx_marker(fx, 1, "phase begin one");
	fx_marker(fx, 100, "stream 0 0 1073741824");
	for (u64 p = 0; p < 8; p++) {
		fx_marker(fx, 100, "piece 0 %llu 8388608", (unsigned long long)(p << 23));
		fx_fault(fx, 100, p * FX_PIECE);
		if (!p)
			fx_order(fx, 100, 0, 0, FX_PIECE, FX_PIECE / 4);
		fx_fill(fx, 100, p * FX_PIECE, 16, 0);
	}
	fx_marker(fx, 1, "phase end one");
}

static void eof_no_order(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->capture.file_size = 10 * 4096;
	fx_marker(fx, 1, "phase begin one");
	fx_add(fx, 100, 8, ORDER_UNKNOWN);
	fx_marker(fx, 1, "phase end one");
}

/* ---- requests ---- */

static void requests_on_both_sides(struct fixture *fx, unsigned int drop_host,
				   unsigned int extra_host)
{
	u64 issue[20];

	fx_init(fx, 1);
	fx->capture.trace = (char *)"trace.dat";
	fx->capture.blktrace = (char *)"virtio-blk.blktrace.0";
	fx->phases[0].bytes_asked = 20 * 4096;
	fx_marker(fx, 1, "phase begin one");
	for (unsigned int i = 0; i < 20; i++) {
		fx->ts += 1000000 + i * 1000;
		issue[i] = fx->ts + 1000;
		/* the last ten repeat the first */
		fx_request(fx, 100, (i % 10) * 800, 4096);
	}
	fx->ts += 1000000;
	fx_marker(fx, 1, "phase end one");
	for (unsigned int i = drop_host; i < 20; i++)
		fx_host(fx, (i % 10) * 800, 4096, issue[i] + HOST_OFFSET + 20000,
			issue[i] + HOST_OFFSET + 80000);
	for (unsigned int i = 0; i < extra_host; i++)
		fx_host(fx, 80000 + i, 512, issue[10] + HOST_OFFSET, issue[10] + HOST_OFFSET + 10);
	/* before and after the phase: nobody's */
	fx_host(fx, 0, 4096, issue[0] + HOST_OFFSET - NSEC_PER_SEC, issue[0] + HOST_OFFSET - 5);
	fx_host(fx, 5, 4096, issue[19] + HOST_OFFSET + NSEC_PER_SEC,
		issue[19] + HOST_OFFSET + NSEC_PER_SEC);
}

static void requests_match(struct fixture *fx)
{
	requests_on_both_sides(fx, 0, 0);
}

static void requests_missing(struct fixture *fx)
{
	requests_on_both_sides(fx, 2, 0);
}

static void requests_no_log(struct fixture *fx)
{
	requests_on_both_sides(fx, 20, 0);
}

static void requests_extra(struct fixture *fx)
{
	requests_on_both_sides(fx, 0, 3);
}

static void requests_same_clock(struct fixture *fx)
{
	requests_on_both_sides(fx, 0, 0);
	fx->phases[0].clock_known = true;
	fx->phases[0].clock_offset_ns = (s64)HOST_OFFSET;
	fx->phases[0].clock_uncertainty_ns = 20000;
}

static void requests_other_boot(struct fixture *fx)
{
	requests_same_clock(fx);
	fx->phases[0].clock_offset_ns += 1000000;
}

static void requests_none(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->capture.trace = (char *)"trace.dat";
	fx->capture.blktrace = (char *)"virtio-blk.blktrace.0";
	fx_marker(fx, 1, "phase begin one");
	fx_marker(fx, 1, "phase end one");
}

static void bytes_of_guest(struct fixture *fx, u64 asked, unsigned int mib)
{
	fx_init(fx, 1);
	fx->phases[0].bytes_asked = asked;
	fx->capture.read_ahead_kb = 128;
	fx_marker(fx, 1, "phase begin one");
	for (unsigned int i = 0; i < mib; i++)
		fx_request(fx, 100, i * 2048, 1u << 20);
	fx_marker(fx, 1, "phase end one");
}

static void bytes_near(struct fixture *fx)
{
	bytes_of_guest(fx, 100u << 20, 110);
}

static void bytes_double(struct fixture *fx)
{
	bytes_of_guest(fx, 100u << 20, 200);
}

static void eof_at(struct fixture *fx, u64 file_size, u64 index, unsigned int order)
{
	fx_init(fx, 1);
	fx->capture.file_size = file_size;
	fx_marker(fx, 1, "phase begin one");
	/* the window itself may reach beyond the end */
	fx_order(fx, 100, 0, order, FX_PIECE, FX_PIECE);
	fx_add(fx, 100, index, order);
	fx_marker(fx, 1, "phase end one");
}

static void eof_last_page(struct fixture *fx)
{
	eof_at(fx, 10 * 4096 + 1, 10, 0);
}

static void eof_next_page(struct fixture *fx)
{
	eof_at(fx, 10 * 4096, 10, 0);
}

static void eof_large_folio(struct fixture *fx)
{
	eof_at(fx, 10 * 4096, 8, 2);
}

static void eof_no_order_beyond(struct fixture *fx)
{
	fx_init(fx, 1);
	fx->capture.file_size = 10 * 4096;
	fx_marker(fx, 1, "phase begin one");
	fx_add(fx, 100, 10, ORDER_UNKNOWN);
	fx_marker(fx, 1, "phase end one");
}

/* ---- CephFS ---- */

static void osd_near(struct fixture *fx)
{
	fx_osd(fx, 130u << 20, 2000, 30000);
}

static void osd_at_limit(struct fixture *fx)
{
	fx_osd(fx, 150u << 20, 2000, 0);
}

static void osd_fourfold(struct fixture *fx)
{
	fx_osd(fx, 398u << 20, 100, 30000);
}

static void osd_nothing(struct fixture *fx)
{
	fx_osd(fx, 0, 0, 0);
}

/* 2 pages may be missing, one for each client */
static void osd_of_another(struct fixture *fx)
{
	fx_osd(fx, 1000 * 4096, 10, 1003);
}

static void osd_uncounted(struct fixture *fx)
{
	fx_osd(fx, 100u << 20, 0, 0);
}

static void osd_warm(struct fixture *fx)
{
	fx_osd(fx, 130u << 20, 2000, 0);
	fx->phases[0].cached_before = 1;
}

static void strided_ahead(struct fixture *fx)
{
	fx_strided(fx, FX_AHEAD, 20, true);
}

static void strided_objects(struct fixture *fx)
{
	fx_strided(fx, FX_OBJECT, 20, false);
}

static void strided_single(struct fixture *fx)
{
	fx_strided(fx, FX_SINGLE, 20, true);
}

static void strided_past_cache(struct fixture *fx)
{
	fx_strided(fx, FX_PAST, 20, true);
}

static void strided_too_short(struct fixture *fx)
{
	fx_strided(fx, FX_SINGLE, 4, true);
}

static void strided_no_sync(struct fixture *fx)
{
	fx_strided(fx, FX_AHEAD, 20, true);
	fx->info.event_types &= ~EV_BIT(EV_RA_SYNC);
}

static void strided_on_disk(struct fixture *fx)
{
	fx_strided(fx, FX_SINGLE, 20, false);
	strcpy(fx->capture.filesystem, "ext4");
}

/* @n touches, far apart, each of a page that is not cached; @around of them read around. */
static void misses(struct fixture *fx, const char *check, u64 majfaults, unsigned int n,
		   unsigned int around)
{
	fx_init(fx, 1);
	fx->specs[0].n_checks = 1;
	snprintf(fx->specs[0].checks[0], NAME_LEN, "%s", check);
	fx->phases[0].pgmajfault = majfaults;
	fx_marker(fx, 1, "phase begin one");
	for (u64 i = 0; i < n; i++) {
		u64 page = (i + 1) * 10000;

		if (i < around) {
			fx_readaround(fx, 100, page);
		} else {
			fx_fault(fx, 100, page);
			fx_add(fx, 100, page, 0);
		}
		/* the fault is tried again when the page is there */
		fx_fault(fx, 100, page);
	}
	fx_marker(fx, 1, "phase end one");
}

static void misses_end(struct fixture *fx)
{
	misses(fx, "readaround-switches-off", 300, 300, 101);
}

static void misses_go_on(struct fixture *fx)
{
	misses(fx, "readaround-switches-off", 300, 300, 300);
}

static void misses_few(struct fixture *fx)
{
	misses(fx, "readaround-switches-off", 200, 200, 200);
}

static void misses_counted(struct fixture *fx)
{
	misses(fx, "majfault-counted", 30, 30, 10);
}

static void misses_not_counted(struct fixture *fx)
{
	/* as before 2009: those that read one page are not */
	misses(fx, "majfault-counted", 10, 30, 10);
}

static void misses_none(struct fixture *fx)
{
	misses(fx, "majfault-counted", 5, 0, 0);
}

/* ---- the table ---- */

enum kind { HOLDS, VIOLATED, UNDECIDED, OTHER };

/* ---- replays of block requests ---- */

static void replay_good(struct fixture *fx)
{
	fx_replay_init(fx, 200, "D", "");
	for (unsigned int i = 0; i < 200; i++)
		fx_replay_read(fx, i, 40000 + i);
	fx_replay_host(fx, 2, 200);
}

static void replay_submitted(struct fixture *fx)
{
	fx_replay_init(fx, 2, "Q", "");
	fx_replay_event(fx, EV_RQ_QUEUE, 0, fx->ts + 1);
	fx_replay_event(fx, EV_RQ_QUEUE, 8, fx->ts + 2);
	/* merged: nobody's business */
	fx_replay_event(fx, EV_RQ_ISSUE, 0, fx->ts + 3);
	fx_replay_host(fx, 2, 0);
}

/* One is missing, another was there twice, for every witness but the last. */
static void replay_other(struct fixture *fx)
{
	fx_replay_init(fx, 4, "D", "");
	for (unsigned int i = 0; i < 3; i++)
		fx_replay_read(fx, i, 0);
	fx_replay_event(fx, EV_RQ_QUEUE, 0, fx->ts + 1);
	fx_replay_event(fx, EV_RQ_ISSUE, 0, fx->ts + 1);
	fx_replay_host(fx, 2, 4);
}

static void replay_lost_by_host(struct fixture *fx)
{
	fx_replay_init(fx, 4, "D", "");
	for (unsigned int i = 0; i < 4; i++)
		fx_replay_read(fx, i, 0);
	fx_replay_host(fx, 2, 3);
}

static void replay_disorder(struct fixture *fx)
{
	fx_replay_init(fx, 10, "Q", "");
	/* the first one comes last: one has to be moved, not nine */
	for (unsigned int i = 1; i <= 10; i++)
		fx_replay_event(fx, EV_RQ_QUEUE, 8 * (i % 10), fx->ts + 1);
	fx_replay_host(fx, 2, 0);
}

static void replay_failed(struct fixture *fx)
{
	replay_good(fx);
	fx->phases[0].block.failed = 3;
	fx->phases[0].block.first_errno = 5;
}

static void replay_no_plan(struct fixture *fx)
{
	fx_replay_init(fx, 1, "D", "");
	fx_replay_host(fx, 2, 1);
	model_replay_free(fx->m);
	fx->run.plan = NULL;
}

static void replay_bad_plan(struct fixture *fx)
{
	fx_replay_init(fx, 1, "D", "nonsense\n");
	fx_replay_read(fx, 0, 0);
	fx_replay_host(fx, 2, 1);
}

static void replay_nothing(struct fixture *fx)
{
	fx_replay_init(fx, 1, "D", "");
	fx_replay_host(fx, 2, 0);
}

static void replay_holes(struct fixture *fx)
{
	fx_replay_init(fx, 1, "D", "");
	fx_replay_read(fx, 0, 0);
	fx_lost(fx, 0, fx->ts);
	fx_replay_host(fx, 2, 1);
}

/* Each request is 10 us later than the one before: none by much, all of it a drift. */
static void replay_drift(struct fixture *fx)
{
	fx_replay_init(fx, 1000, "D", "");
	for (unsigned int i = 0; i < 1000; i++)
		fx_replay_read(fx, i, 10000ull * i);
	fx_replay_host(fx, 2, 1000);
}

static void replay_drift_of_device(struct fixture *fx)
{
	replay_drift(fx);
	fx->phases[0].block.held = 900;
	fx->phases[0].block.last_held_ns = 9500000;
}

static void replay_fast(struct fixture *fx)
{
	fx_replay_init(fx, 1, "D", "");
	fx->phases[0].block.recorded = false;
	fx_replay_read(fx, 0, 0);
	fx_replay_host(fx, 2, 1);
}

static const struct {
	const char *check;
	enum kind kind;
	void (*build)(struct fixture *fx);
	enum verdict verdict;
	enum reason reason;
	u64 violations;	  /* for FAIL */
	const char *says; /* part of the detail, or of the worst finding */
} cases[] = {
#define PASSES VERDICT_PASS, WHY_NONE, 0
#define FAILS(n) VERDICT_FAIL, WHY_NONE, n
#define UNSURE(why) VERDICT_INCONCLUSIVE, why, 0
#define NOT_APPLICABLE VERDICT_NA, WHY_NONE, 0
	{"trace-complete", HOLDS, patched_8x16, PASSES, "none lost"},
	{"trace-complete", HOLDS, lost_elsewhere, PASSES, "none lost"},
	{"trace-complete", VIOLATED, base_lost, UNSURE(WHY_EVENTS_LOST), "CPU 1 from 1.000"},
	{"trace-complete", UNDECIDED, patched_lost, UNSURE(WHY_EVENTS_LOST), "counted 3"},
	{"trace-complete", OTHER, unread, UNSURE(WHY_EVENTS_LOST), "7, the trace does not say"},
	{"trace-complete", OTHER, no_end, UNSURE(WHY_DAMAGED), "before the phase ends"},
	{"trace-complete", OTHER, no_phase, UNSURE(WHY_NOTHING_TO_CHECK), "no markers"},
	{"trace-complete", OTHER, damaged, UNSURE(WHY_DAMAGED), "part of the file"},
	{"trace-complete", OTHER, partial, UNSURE(WHY_DAMAGED), "part of the file"},
	{"trace-complete", HOLDS, entries_all, PASSES, "none lost"},
	{"trace-complete", OTHER, entries_missing, UNSURE(WHY_EVENTS_LOST), "the guest read"},
	{"trace-complete", OTHER, entries_too_many, UNSURE(WHY_CONTRADICTION), "the guest read"},
	{"trace-complete", OTHER, begins_early, UNSURE(WHY_CONTRADICTION), "markers"},
	{"trace-complete", OTHER, ends_late, UNSURE(WHY_CONTRADICTION), "markers"},

	{"cold-cache", HOLDS, patched_8x16, PASSES, "none of 4194304 pages"},
	{"cold-cache", VIOLATED, warm, UNSURE(WHY_CACHE_NOT_COLD), "1 pages"},
	{"cold-cache", UNDECIDED, cold_unknown, UNSURE(WHY_NOT_MEASURABLE), "mincore"},
	{"cold-cache", OTHER, bare_base, NOT_APPLICABLE, "capture.json"},

	{"program-succeeds", HOLDS, program_0, PASSES, "exit status 0, 12 bytes of output"},
	{"program-succeeds", VIOLATED, program_1, FAILS(1), "exit status is 1"},
	{"program-succeeds", VIOLATED, program_killed, FAILS(1), "killed by signal 11"},
	{"program-succeeds", UNDECIDED, program_unknown, UNSURE(WHY_NOT_MEASURABLE), "does not say"},
	{"data-intact", OTHER, program_0, NOT_APPLICABLE, "only it knows"},
	{"device-bytes-near-requested", OTHER, program_0, NOT_APPLICABLE, "is not known"},
	{"data-intact", HOLDS, patched_8x16, PASSES, "1073741824 bytes checked"},
	{"data-intact", HOLDS, patched_lost, PASSES, "1073741824 bytes checked"},
	{"data-intact", VIOLATED, bad_data, FAILS(1), "the first at 4096"},
	{"data-intact", UNDECIDED, no_data, UNSURE(WHY_NOTHING_TO_CHECK), NULL},
	{"data-intact", OTHER, partial, UNSURE(WHY_DAMAGED), NULL},
	{"data-intact", OTHER, data_unchecked, UNSURE(WHY_NOT_MEASURABLE), "only 1073741823 of"},
	{"data-intact", OTHER, bare_base, NOT_APPLICABLE, "capture.json"},

	{"requests-match-host", HOLDS, requests_match, PASSES, "20 of 20"},
	{"requests-match-host", VIOLATED, requests_missing, FAILS(2), "did not reach"},
	{"requests-match-host", OTHER, requests_no_log, UNSURE(WHY_CONTRADICTION), "none of 20"},
	{"requests-match-host", VIOLATED, requests_extra, FAILS(3), "the guest issued none"},
	{"requests-match-host", HOLDS, requests_same_clock, PASSES, "20 of 20"},
	{"requests-match-host", OTHER, requests_other_boot, UNSURE(WHY_CONTRADICTION), "another"},
	{"requests-match-host", UNDECIDED, requests_none, UNSURE(WHY_NOTHING_TO_CHECK), NULL},
	{"requests-match-host", OTHER, bytes_near, NOT_APPLICABLE, "log of requests"},

	{"no-sync-readaround-per-piece", HOLDS, patched_8x16, PASSES, "0 read-arounds in 112"},
	{"no-sync-readaround-per-piece", HOLDS, patched_32x4, PASSES, "0 read-arounds in 64"},
	{"no-sync-readaround-per-piece", VIOLATED, base_1x16, FAILS(14),
	 "fault at the end of piece 3 of stream 0 read around 2048 pages of order 0, "
	 "0 already cached"},
	{"no-sync-readaround-per-piece", VIOLATED, base_32x4, FAILS(64), "order 0"},
	{"no-sync-readaround-per-piece", VIOLATED, bare_base, FAILS(14), "order 0"},
	{"no-sync-readaround-per-piece", HOLDS, pieces_seq_fault, PASSES, "0 read-arounds in 3"},
	{"no-sync-readaround-per-piece", OTHER, pieces_without_readahead,
	 UNSURE(WHY_NOTHING_TO_CHECK), "no readahead at all"},
	{"no-sync-readaround-per-piece", OTHER, pieces_interleaved, NOT_APPLICABLE,
	 "no stream follow one another"},
	{"no-sync-readaround-per-piece", UNDECIDED, base_lost, UNSURE(WHY_EVENTS_LOST), "lost"},
	{"no-sync-readaround-per-piece", OTHER, no_ra_events, UNSURE(WHY_NOT_MEASURABLE),
	 "not measurable: no page_cache_"},
	{"no-sync-readaround-per-piece", OTHER, warm, UNSURE(WHY_CACHE_NOT_COLD), "1 pages"},
	{"no-sync-readaround-per-piece", OTHER, cold_unknown, UNSURE(WHY_CACHE_NOT_COLD), NULL},
	{"no-sync-readaround-per-piece", OTHER, damaged, UNSURE(WHY_DAMAGED), NULL},
	{"no-sync-readaround-per-piece", OTHER, empty, NOT_APPLICABLE, "markers"},
	{"no-sync-readaround-per-piece", OTHER, bare_unmarked, NOT_APPLICABLE, "markers"},
	{"no-sync-readaround-per-piece", OTHER, pieces_stray, UNSURE(WHY_NOT_MEASURABLE),
	 "7 read-arounds without markers"},
	{"no-sync-readaround-per-piece", OTHER, pieces_gap, UNSURE(WHY_NOT_MEASURABLE),
	 "6 in streams whose pieces do not"},
	{"no-sync-readaround-per-piece", VIOLATED, pieces_other_start, FAILS(6), "order 0"},
	{"no-sync-readaround-per-piece", OTHER, pieces_untraced, UNSURE(WHY_NOT_MEASURABLE),
	 "112 of 128 folios"},
	{"no-sync-readaround-per-piece", OTHER, pieces_read, UNSURE(WHY_NOTHING_TO_CHECK),
	 "no fault on the test file"},
	{"no-sync-readaround-per-piece", OTHER, entries_missing, UNSURE(WHY_EVENTS_LOST), NULL},

	{"folio-order-ramps-up", HOLDS, patched_8x16, PASSES, "8 streams"},
	{"folio-order-ramps-up", HOLDS, patched_32x4, PASSES, "32 streams"},
	{"folio-order-ramps-up", HOLDS, orders_grow, PASSES, "order 9; 1 stream reached 9"},
	{"folio-order-ramps-up", HOLDS, orders_one_of_two, PASSES, "1 of 2 streams: "},
	{"folio-order-ramps-up", UNDECIDED, orders_one_of_three, UNSURE(WHY_NOT_MEASURABLE),
	 "only 1 of 3 streams could be examined"},
	{"folio-order-ramps-up", HOLDS, orders_dip, PASSES, "1 stream reached 9"},
	{"folio-order-ramps-up", HOLDS, orders_small_fs, PASSES, "1 stream reached 4"},
	{"folio-order-ramps-up", VIOLATED, base_1x16, FAILS(15),
	 "no marker hit brought a window in; 17 windows, 16"},
	{"folio-order-ramps-up", VIOLATED, base_32x4, FAILS(32 * 3), "no marker hit"},
	{"folio-order-ramps-up", VIOLATED, orders_stuck, FAILS(1),
	 "stayed at order 2 in 10 windows that marker hits started; 11 is attainable"},
	{"folio-order-ramps-up", VIOLATED, orders_fall_back, FAILS(1), "fell back to order 0"},
	{"folio-order-ramps-up", OTHER, pieces_interleaved, NOT_APPLICABLE,
	 "no stream follow one another"},
	{"folio-order-ramps-up", OTHER, orders_shared, UNSURE(WHY_NOTHING_TO_CHECK),
	 "20 windows of marker hits, up to order 2"},
	{"folio-order-ramps-up", VIOLATED, orders_useless_window, FAILS(1),
	 "no marker hit brought a window in; 2 windows, 1"},
	{"folio-order-ramps-up", VIOLATED, orders_reset, FAILS(4), "fell back to order 0"},
	{"folio-order-ramps-up", VIOLATED, orders_no_hit, FAILS(3 + 1), "5 windows, 0 marker hits"},
	{"folio-order-ramps-up", UNDECIDED, orders_too_short, UNSURE(WHY_NOTHING_TO_CHECK),
	 "long enough"},
	{"folio-order-ramps-up", OTHER, no_folio_order, UNSURE(WHY_NOT_MEASURABLE), "order field"},
	{"folio-order-ramps-up", OTHER, patched_lost, UNSURE(WHY_EVENTS_LOST), "counted 3"},
	{"folio-order-ramps-up", OTHER, warm, UNSURE(WHY_CACHE_NOT_COLD), NULL},
	{"folio-order-ramps-up", OTHER, empty, NOT_APPLICABLE, "markers"},

	{"marker-hit-starts-readahead", HOLDS, patched_8x16, PASSES, "128 started"},
	{"marker-hit-starts-readahead", HOLDS, hit_covered, PASSES, "1 had nothing left"},
	{"marker-hit-starts-readahead", HOLDS, hit_at_eof, PASSES, "1 had nothing left"},
	{"marker-hit-starts-readahead", HOLDS, hit_hole_beyond, PASSES, "1 had nothing left"},
	{"marker-hit-starts-readahead", HOLDS, hit_interrupted, PASSES, "1 started"},
	{"marker-hit-starts-readahead", VIOLATED, hit_hole_last, FAILS(1), "page 4096 after it"},
	{"marker-hit-starts-readahead", VIOLATED, hit_last_event, FAILS(1), "page 1 after it"},
	{"marker-hit-starts-readahead", VIOLATED, hit_other_task, FAILS(1), NULL},
	{"marker-hit-starts-readahead", VIOLATED, base_1x16, FAILS(16), "page 2560 after it"},
	{"marker-hit-starts-readahead", VIOLATED, bare_base, FAILS(15), "page 2560 after it"},
	{"marker-hit-starts-readahead", VIOLATED, bare_unmarked, FAILS(14), "not cached"},
	{"marker-hit-starts-readahead", UNDECIDED, bare_unknown, UNSURE(WHY_NOT_MEASURABLE),
	 "what was cached"},
	{"marker-hit-starts-readahead", OTHER, empty, UNSURE(WHY_NOTHING_TO_CHECK), NULL},
	{"marker-hit-starts-readahead", OTHER, warm, UNSURE(WHY_CACHE_NOT_COLD), NULL},
	{"marker-hit-starts-readahead", OTHER, unread, UNSURE(WHY_EVENTS_LOST), NULL},

	{"device-bytes-near-requested", HOLDS, bytes_near, PASSES, "ratio 1.100"},
	{"device-bytes-near-requested", HOLDS, requests_match, PASSES, "the device's log"},
	/* what another boot's device read is nothing of this one */
	{"device-bytes-near-requested", OTHER, requests_other_boot, PASSES, "(block_rq_issue)"},
	{"device-bytes-near-requested", VIOLATED, bytes_double, FAILS(1), "209715200 bytes read"},
	{"device-bytes-near-requested", UNDECIDED, empty, UNSURE(WHY_NOTHING_TO_CHECK), "no read"},
	{"device-bytes-near-requested", OTHER, bytes_unseen, UNSURE(WHY_CONTRADICTION),
	 "1048576 bytes read by the device, but 1052672"},

	{"major-faults-bounded", HOLDS, faults_26, PASSES, "26 major faults of 8 streams"},
	{"major-faults-bounded", VIOLATED, faults_27, FAILS(1), "may have 26"},
	{"major-faults-bounded", VIOLATED, base_1x16, FAILS(1), "17 major faults"},
	{"major-faults-bounded", VIOLATED, base_32x4, FAILS(1), "may have 98"},
	{"major-faults-bounded", UNDECIDED, few_pieces, UNSURE(WHY_NOTHING_TO_CHECK),
	 "4 pieces of 1 stream are too few"},
	{"major-faults-bounded", OTHER, warm, UNSURE(WHY_CACHE_NOT_COLD), NULL},
	{"major-faults-bounded", OTHER, faults_uncounted, UNSURE(WHY_CONTRADICTION),
	 "15 major faults counted, but 16 read-arounds"},
	{"major-faults-bounded", OTHER, empty, UNSURE(WHY_NOTHING_TO_CHECK), NULL},

	{"no-readahead-past-eof", HOLDS, eof_last_page, PASSES, "1 folio added, 0 beyond"},
	{"no-readahead-past-eof", HOLDS, patched_8x16, PASSES, "0 beyond"},
	{"no-readahead-past-eof", VIOLATED, eof_next_page, FAILS(1), "pages 10 to 10"},
	{"no-readahead-past-eof", VIOLATED, eof_large_folio, FAILS(1), "last page is 9"},
	{"no-readahead-past-eof", OTHER, eof_no_order, UNSURE(WHY_NOT_MEASURABLE), "no order"},
	{"no-readahead-past-eof", VIOLATED, eof_no_order_beyond, FAILS(1), "pages 10 to 10"},
	{"no-readahead-past-eof", UNDECIDED, no_add_events, UNSURE(WHY_NOT_MEASURABLE),
	 "no mm_filemap_add_to_page_cache events"},
	{"no-readahead-past-eof", OTHER, empty, UNSURE(WHY_NOTHING_TO_CHECK), NULL},

	{"osd-bytes-near-requested", HOLDS, osd_near, PASSES,
	 "136314880 bytes read by 1 OSD in 2000 requests, 104857600 asked for: ratio 1.300"},
	{"osd-bytes-near-requested", HOLDS, osd_at_limit, PASSES, "ratio 1.500"},
	{"osd-bytes-near-requested", VIOLATED, osd_fourfold, FAILS(1), "ratio 3.980"},
	{"osd-bytes-near-requested", UNDECIDED, osd_nothing, UNSURE(WHY_NOTHING_TO_CHECK),
	 "read nothing"},
	{"osd-bytes-near-requested", OTHER, osd_of_another, UNSURE(WHY_CONTRADICTION),
	 "4096000 bytes read by the OSDs, but 4100096"},
	{"osd-bytes-near-requested", OTHER, osd_uncounted, UNSURE(WHY_CONTRADICTION),
	 "in no request"},
	{"osd-bytes-near-requested", OTHER, osd_warm, UNSURE(WHY_CACHE_NOT_COLD), NULL},
	{"osd-bytes-near-requested", OTHER, bytes_near, NOT_APPLICABLE, "OSDs"},

	{"strided-records-read-ahead", HOLDS, strided_ahead, PASSES,
	 "0 of 64 records after the first 4 of a stream waited for a read of their own (0.00 %); "
	 "80 netfs requests, 16 expanded; 68 reads taken as strided"},
	{"strided-records-read-ahead", VIOLATED, strided_objects, FAILS(8),
	 "8 of 64 records"},
	{"strided-records-read-ahead", VIOLATED, strided_objects, FAILS(8),
	 "24 netfs requests, 24 expanded; the kernel has no event"},
	{"strided-records-read-ahead", VIOLATED, strided_single, FAILS(64),
	 "record 5 of stream 0 was not cached: its reader waits for 12 pages"},
	{"strided-records-read-ahead", UNDECIDED, strided_too_short, UNSURE(WHY_NOTHING_TO_CHECK),
	 NULL},
	{"strided-records-read-ahead", UNDECIDED, strided_past_cache, UNSURE(WHY_NOT_MEASURABLE),
	 "32 of 64 records were not read from the page cache"},
	{"strided-records-read-ahead", OTHER, strided_no_sync, UNSURE(WHY_NOT_MEASURABLE),
	 "no page_cache_sync_ra events"},
	{"strided-records-read-ahead", OTHER, strided_on_disk, NOT_APPLICABLE,
	 "no network file system"},
	{"strided-records-read-ahead", OTHER, patched_8x16, NOT_APPLICABLE,
	 "no network file system"},

	{"replay-same-requests", HOLDS, replay_good, PASSES,
	 "submitted 200 of 200, issued 200 of 200, device 200 of 200; others 0, 0, 0; displaced 0, 0, 0"},
	{"replay-same-requests", HOLDS, replay_submitted, PASSES, "2 of 2 requests submitted, 0 others"},
	{"replay-same-requests", VIOLATED, replay_other, FAILS(4),
	 "request 3 of the plan, read of 8 sectors at 24, was not submitted by the guest"},
	{"replay-same-requests", VIOLATED, replay_lost_by_host, FAILS(1),
	 "request 3 of the plan, read of 8 sectors at 24, was not seen by the device"},
	{"replay-same-requests", VIOLATED, replay_disorder, FAILS(1),
	 "1 of 10 requests submitted by the guest are not in the plan's order"},
	{"replay-same-requests", VIOLATED, replay_failed, FAILS(1), "3 requests failed"},
	{"replay-same-requests", UNDECIDED, replay_nothing, UNSURE(WHY_NOTHING_TO_CHECK), NULL},
	{"replay-same-requests", OTHER, replay_no_plan, UNSURE(WHY_NOT_MEASURABLE), "no plan"},
	{"replay-same-requests", OTHER, replay_bad_plan, UNSURE(WHY_DAMAGED), "found 'nonsense'"},
	{"replay-same-requests", OTHER, replay_holes, UNSURE(WHY_EVENTS_LOST), NULL},

	{"replay-timing", HOLDS, replay_good, PASSES,
	 "error of 200 requests: median 40.2 us, 99th percentile 40.2 us, max 40.2 us, final +40.1"},
	{"replay-timing", VIOLATED, replay_drift, FAILS(2), "at the end the replay is off by 9490.0"},
	{"replay-timing", UNDECIDED, replay_drift_of_device, UNSURE(WHY_NOT_MEASURABLE),
	 "the device made 900 of 1000 requests late"},
	{"replay-timing", OTHER, replay_fast, NOT_APPLICABLE, "no times to keep"},
	{"replay-timing", OTHER, replay_no_plan, UNSURE(WHY_NOT_MEASURABLE), "no plan"},
	{"replay-timing", OTHER, replay_nothing, UNSURE(WHY_NOTHING_TO_CHECK), NULL},
	{"replay-timing", OTHER, replay_holes, UNSURE(WHY_EVENTS_LOST), NULL},

	{"readaround-switches-off", HOLDS, misses_end, PASSES, "of the last 100, 0 read around"},
	{"readaround-switches-off", VIOLATED, misses_go_on, FAILS(1), "miss number 201"},
	{"readaround-switches-off", UNDECIDED, misses_few, UNSURE(WHY_NOTHING_TO_CHECK),
	 "200 misses; 201 are needed"},

	{"majfault-counted", HOLDS, misses_counted, PASSES, "30 faults in the trace found no page"},
	{"majfault-counted", VIOLATED, misses_not_counted, FAILS(1), "20 faults found no page"},
	{"majfault-counted", UNDECIDED, misses_none, UNSURE(WHY_NOTHING_TO_CHECK), NULL},
};

static const char *phase_of(const struct fixture *fx)
{
	/* a bare trace without markers is one phase without a name */
	return fx->m->n_phases ? fx->m->phases[0].stats.name : "";
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static struct fixture fx;
		const struct result *r;

		cases[i].build(&fx);
		fx_finish(&fx);
		r = fx_result(&fx, cases[i].check, phase_of(&fx));
		if (!r)
			fail_msg("case %zu: no result of %s", i, cases[i].check);
		if (r->verdict != cases[i].verdict || r->reason != cases[i].reason ||
		    (r->verdict == VERDICT_FAIL && r->violations != cases[i].violations))
			fail_msg("case %zu: %s is %s (%s), %llu violations: %s", i, cases[i].check,
				 verdict_name(r->verdict), reason_id(r->reason),
				 (unsigned long long)r->violations, r->detail);
		if (cases[i].says && !strstr(r->detail, cases[i].says) &&
		    !(r->n_findings && strstr(r->findings[0].text, cases[i].says)))
			fail_msg("case %zu: %s does not say '%s' but '%s', '%s'", i, cases[i].check,
				 cases[i].says, r->detail,
				 r->n_findings ? r->findings[0].text : "");
		if (r->verdict == VERDICT_PASS)
			assert_true(r->examined > 0);
		fx_free(&fx);
	}
}

/* A check without a fixture of each kind is not tested. */
static void test_every_check_has_fixtures(void **state)
{
	(void)state;
	for (unsigned int c = 0; c < n_all_checks; c++) {
		unsigned int have = 0;

		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			if (!strcmp(cases[i].check, all_checks[c]->name))
				have |= 1u << cases[i].kind;
		/* over a run: tests/unit/test_analyze.c, test_kernel_checks.c */
		if (all_checks[c]->run_ops)
			continue;
		if ((have & 7) != 7)
			fail_msg("%s lacks a fixture: holds %u, violated %u, undecided %u",
				 all_checks[c]->name, have & 1, have >> 1 & 1, have >> 2 & 1);
	}
}

static void test_descriptors(void **state)
{
	(void)state;
	for (unsigned int c = 0; c < n_all_checks; c++) {
		const struct check *k = all_checks[c];
		unsigned int lines = 0, column = 0;

		assert_true(k->name && k->summary && k->explain);
		assert_true(strlen(k->summary) <= 60);
		assert_true(!k->ops != !k->run_ops);
		assert_ptr_equal(check_find(k->name), k);
		for (const char *s = k->explain; *s; s++) {
			column = *s == '\n' ? 0 : column + 1;
			lines += *s == '\n';
			if (column > 84)
				fail_msg("%s: line %u of explain is too wide", k->name, lines + 1);
		}
		if (lines < 10 || lines > 25)
			fail_msg("%s: explain has %u lines", k->name, lines);
		for (unsigned int i = 0; i < CHECK_LIMITS_MAX && k->limits[i].name; i++) {
			assert_non_null(k->limits[i].what);
			/* --explain names every limit */
			assert_non_null(strstr(k->explain, k->limits[i].name));
		}
		for (unsigned int d = 0; d < c; d++)
			assert_string_not_equal(k->name, all_checks[d]->name);
	}
	assert_null(check_find("no-such-check"));
}

/* The worst findings are kept, worst first, and all are counted. */
static void test_findings_order(void **state)
{
	static struct fixture fx;
	const struct result *r;

	(void)state;
	base_32x4(&fx);
	fx_finish(&fx);
	r = fx_result(&fx, "no-sync-readaround-per-piece", "one");
	assert_int_equal(r->violations, 64);
	assert_int_equal(r->n_findings, FINDINGS_KEPT);
	for (unsigned int i = 1; i < r->n_findings; i++) {
		const struct finding *a = &r->findings[i - 1], *b = &r->findings[i];

		assert_true(a->weight > b->weight || (a->weight == b->weight && a->ts < b->ts));
	}
	assert_true(r->findings[0].seq > 0 && r->findings[0].pid == 100);
	assert_true(r->findings[0].has_offset);
	fx_free(&fx);
}

/* What a phase cached is gone when the next one begins. */
static void test_two_phases(void **state)
{
	static const char *const checks[] = {"no-sync-readaround-per-piece",
					     "marker-hit-starts-readahead", "folio-order-ramps-up"};
	static struct fixture fx;

	(void)state;
	fx_init(&fx, 2);
	fx_phase_base(&fx, "one", 1, 16);
	fx_phase_base(&fx, "two", 1, 16);
	fx_finish(&fx);
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		const struct result *a = fx_result(&fx, checks[i], "one");
		const struct result *b = fx_result(&fx, checks[i], "two");

		assert_int_equal(a->verdict, VERDICT_FAIL);
		assert_int_equal(b->verdict, VERDICT_FAIL);
		assert_int_equal(a->violations, b->violations);
		assert_string_equal(a->detail, b->detail);
	}
	fx_free(&fx);
}

static void test_limits(void **state)
{
	static struct fixture fx;
	static const struct limit_override set[] = {{"", "first-pieces", 20},
						    {"major-faults-bounded", "extra", 14}};
	static struct limit exp_limit = {"major-faults-bounded", "extra", 1000};

	(void)state;
	fx_init(&fx, 1);
	fx.exp.limits = &exp_limit;
	fx.exp.n_limits = 1;
	fx.opt.limits = set;
	fx.opt.n_limits = 2;
	fx.phases[0].pgmajfault = 17;
	fx_phase_patched(&fx, "one", 1, 20);
	fx_finish(&fx);
	/* no piece is left to examine, and the limit is the stream check's as well */
	assert_int_equal(fx_result(&fx, "no-sync-readaround-per-piece", "one")->reason,
			 WHY_NOTHING_TO_CHECK);
	/* 3 + 14: the command line wins over the experiment */
	assert_int_equal(fx_result(&fx, "major-faults-bounded", "one")->verdict, VERDICT_PASS);
	fx_free(&fx);

	base_1x16(&fx);
	fx_finish(&fx);
	assert_int_equal(fx_result(&fx, "major-faults-bounded", "one")->verdict, VERDICT_FAIL);
	fx_free(&fx);
}

static void test_selection(void **state)
{
	static struct fixture fx;
	static const char *const only[] = {"cold-cache", "data-intact"};

	(void)state;
	fx_init(&fx, 1);
	fx.opt.checks = only;
	fx.opt.n_checks = 2;
	fx.specs[0].n_checks = 2;
	strcpy(fx.specs[0].checks[0], "data-intact");
	strcpy(fx.specs[0].checks[1], "trace-complete");
	fx_phase_patched(&fx, "one", 1, 4);
	fx_finish(&fx);
	assert_int_equal(fx.m->phases[0].n_judges, 1);
	assert_non_null(fx_result(&fx, "data-intact", "one"));
	fx_free(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),	    cmocka_unit_test(test_every_check_has_fixtures),
		cmocka_unit_test(test_descriptors), cmocka_unit_test(test_findings_order),
		cmocka_unit_test(test_two_phases),  cmocka_unit_test(test_limits),
		cmocka_unit_test(test_selection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
