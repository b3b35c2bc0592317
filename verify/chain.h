/* SPDX-License-Identifier: GPL-2.0-only */
/* What verify --chain shows: the way from an access to the device. */
#ifndef BP_CHAIN_H
#define BP_CHAIN_H

#include "verify/event.h"
#include "verify/result.h"

#define CHAINS_KEPT 16u
#define CHAIN_FOLIOS_MAX 4096u /* of a window, whose use is followed; all are counted */
#define CHAIN_REQUESTS_MAX 64u

/* One event of it. */
struct chain_step {
	u64 ts, seq;
	s32 pid;
	u16 cpu;
	u8 type;	 /* enum event_type; EV_OTHER: there is none */
	u64 index, last; /* pages */
};

struct chain_folio {
	u64 index;
	u8 order;
	bool used, mapped; /* as in struct page_usage, but any page of it */
};

struct chain_request {
	u64 sector;
	u32 bytes, dev;
	struct chain_step queue, issue, complete; /* type EV_OTHER: not in the trace */
	/* from the device's log; guest clock */
	bool on_device;
	u64 device_begin, device_end; /* device_end 0: never seen */
	u64 device_uncertainty;	      /* ns, plus or minus */
};

struct chain {
	char phase[NAME_LEN];
	char comm[16];
	bool matched;
	u32 dev;
	u64 ino;
	struct chain_step access; /* fault or read */
	struct chain_step lead;	  /* page_cache_sync_ra or page_cache_async_ra */
	struct chain_step decision;
	enum ra_cause cause; /* as all that follows, with a decision */
	u64 start, size, async_size, cached;
	u8 order;
	struct chain_folio *folios;
	u32 n_folios, folios_size;
	u64 by_order[ORDERS_MAX], folios_all, pages, folio_bytes;
	u64 unknown_order;
	struct chain_step first_folio, last_folio;
	struct chain_step use; /* the first event that touches a page it added, after the window */
	struct chain_request requests[CHAIN_REQUESTS_MAX];
	u32 n_requests;
	u64 requests_all, request_bytes;
};

struct chain_list {
	struct chain *all;
	u32 n;
	u64 more;	   /* that were found and not kept */
	char message[160]; /* with n 0: why there is none */
};

void chain_list_free(struct chain_list *l);

#endif
