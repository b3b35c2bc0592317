/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A capture in memory for tests of the model and of the checks: what a guest
 * would have traced, as struct event, without files.
 */
#ifndef BP_FIXTURE_H
#define BP_FIXTURE_H

#include "verify/input/input.h"
#include "verify/model/judge.h"

#define FX_DEV DEV(254, 0)
#define FX_INO 12u
#define FX_PIECE 2048u /* pages, and ra_pages: 8 MiB */

struct fixture {
	struct experiment exp;
	struct phase specs[4];
	struct run run;
	struct capture capture;
	struct capture *captures[1];
	struct phase_info phases[4];
	struct trace_info info;
	struct cpu_loss loss[2];
	struct analyze_options opt;
	struct model *m;
	u64 ts, seq;
};

/*
 * Starts a capture of a 16 GiB file with a capture.json whose phases are @n of
 * "one", "two", ...; n 0: a bare trace.  Everything may be changed before the
 * first event.
 */
void fx_init(struct fixture *fx, unsigned int n);
/* Ends the trace; the results stay until fx_free(). */
void fx_finish(struct fixture *fx);
void fx_free(struct fixture *fx);
const struct result *fx_result(const struct fixture *fx, const char *check, const char *phase);

/* Events; each is 1 us after the one before, on CPU pid % 2. */
void fx_event(struct fixture *fx, struct event ev);
void fx_marker(struct fixture *fx, s32 pid, const char *fmt, ...) __printf_like(3, 4);
void fx_fault(struct fixture *fx, s32 pid, u64 index);
void fx_map(struct fixture *fx, s32 pid, u64 index);
void fx_pages(struct fixture *fx, s32 pid, u64 index, u64 last);
void fx_sync(struct fixture *fx, s32 pid, u64 index, u64 req);
void fx_async(struct fixture *fx, s32 pid, u64 index);
void fx_order(struct fixture *fx, s32 pid, u64 index, unsigned int order, u32 size, u32 async);
void fx_unbounded(struct fixture *fx, s32 pid, u64 index, u64 n, u32 lookahead);
void fx_add(struct fixture *fx, s32 pid, u64 index, unsigned int order);
/* Folios of @order that fill [index, index + n). */
void fx_fill(struct fixture *fx, s32 pid, u64 index, u64 n, unsigned int order);
void fx_request(struct fixture *fx, s32 pid, u64 sector, u32 bytes);
void fx_lost(struct fixture *fx, u16 cpu, u64 from);
/* The device's log: queued and completed at these times. */
void fx_host(struct fixture *fx, u64 sector, u32 bytes, u64 queue, u64 complete);

/* fixture_replay.c: a plan of @n reads that is replayed at recorded times, and what was seen */
void fx_replay_init(struct fixture *fx, unsigned int n, const char *action, const char *more);
void fx_replay_read(struct fixture *fx, unsigned int i, u64 late);
void fx_replay_event(struct fixture *fx, unsigned int type, u64 sector, u64 ts);
void fx_replay_host(struct fixture *fx, unsigned int n, unsigned int reads);

/* A fault at @index that is read around, as do_sync_mmap_readahead() does. */
void fx_readaround(struct fixture *fx, s32 pid, u64 index);

/*
 * One phase in which @streams threads (pid 100 + n) copy @pieces pieces each,
 * tail first.  Base: every piece begins with a read-around, marker hits are
 * lost.  Patched: readahead continues at the marker hits, with growing orders.
 */
void fx_phase_base(struct fixture *fx, const char *name, unsigned int streams, unsigned int pieces);
void fx_phase_patched(struct fixture *fx, const char *name, unsigned int streams,
		      unsigned int pieces);

#endif
