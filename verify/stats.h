/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What verify --stats prints of one phase.  A figure that could not be measured
 * has its reason in phase_figures.why, and is then not shown whatever it holds.
 */
#ifndef BP_STATS_H
#define BP_STATS_H

#include "lib/util.h"

enum ra_cause {
	RA_SYNC_READ,  /* page_cache_sync_ra from a read */
	RA_READAROUND, /* synchronous mmap read-around for a fault, order 0 */
	RA_SEQ_FAULT,  /* page_cache_sync_ra from a fault (VM_SEQ_READ) */
	RA_HUGEPAGE,   /* VM_HUGEPAGE fault */
	RA_EXEC,       /* VM_EXEC fault */
	RA_MARKER,     /* asynchronous: the reader hit a marker */
	RA_FORCED,     /* fadvise, madvise, readahead(2), random mode */
	RA_UNKNOWN,
	RA_CAUSES
};
const char *ra_cause_name(enum ra_cause c);

/*
 * Readahead by cause, as the statistics of the mmap readahead series of 2009
 * counted it: all but sizes are numbers of windows, sizes are sums of pages.
 */
struct ra_row {
	u64 ra;		/* readahead decisions: windows */
	u64 io;		/* ... that added at least one page */
	u64 sync;	/* IOs whose pages include the one that was accessed: the task waits */
	u64 mmap_pages; /* that those of @mmap added */
	u64 mmap;	/* IOs whose call directly followed mm_filemap_fault on the same file */
	u64 eof;	/* windows that reach the last page of the file, or go beyond it */
	u64 size, async_size;
	u64 pages;		     /* that were added */
	u64 requests, request_bytes; /* reads that the task issued while the window was open */
};

/*
 * Pages that readahead windows added.  A page is used when it was faulted or
 * read.  One that fault-around mapped may have been used without any event.
 * A huge folio is mapped as a whole without an event.  The rest was never seen used until it was
 * deleted or the phase ended.
 */
struct page_usage {
	u64 pages, used, mapped;
	u64 huge; /* of folios that can be mapped as a whole, which is no event */
};

static inline u64 usage_unused(const struct page_usage *u)
{
	return u->pages - u->used - u->mapped - u->huge;
}

struct latency {
	u64 n, sum, min, max; /* ns */
};

#define SIZE_CLASSES 20 /* of requests: up to 512 bytes << class; the last has all above */

/* Reads of one side. */
struct request_figures {
	u64 requests, bytes, largest;
	u64 by_size[SIZE_CLASSES], bytes_by_size[SIZE_CLASSES];
	u64 queued; /* bios, or Q records */
	struct latency q2c, d2c;
	u64 depth_sum,
		depth_max; /* issued and not completed, when one is issued, itself included */
};

/* One file, or one task. */
struct figures_share {
	u32 dev;
	s32 pid;
	u64 ino;
	char comm[16];
	u64 faults, windows, ios, pages;
	u64 requests, request_bytes; /* tasks only */
	struct page_usage usage;     /* files only */
};

#define SHARES_MAX 4096u      /* files, and tasks, of a phase */
#define SHARES_ALL_MAX 65536u /* of all phases of a capture */

enum figure_group {
	FIG_WINDOWS, /* ra, size, async_size */
	FIG_IO,	     /* io, sync, pages */
	FIG_MMAP,
	FIG_EOF,
	FIG_ORDERS,
	FIG_UNUSED,
	FIG_GUEST, /* requests of the traced machine */
	FIG_CARRIED,
	FIG_GUEST_Q2C,
	FIG_GUEST_D2C, /* and queue depth */
	FIG_HOST,
	FIG_HOST_Q2C, /* and queue depth */
	FIG_ASKED,
	FIG_GROUPS
};
const char *figure_group_name(enum figure_group g); /* "windows", ... */

struct phase_figures {
	char why[FIG_GROUPS][120]; /* "": measured */
	char lost[160];		   /* "": events of the phase are not known to be missing */
	struct ra_row rows[RA_CAUSES];
	struct page_usage usage;
	u64 seen; /* bit per enum event_type: accesses of the test file */
	struct request_figures guest, host;
	struct figures_share *files, *tasks; /* most pages first */
	u32 n_files, n_tasks;
	bool more_files, more_tasks; /* SHARES_MAX was reached */
	/* of several test files whose place on the device is known: the device's reads */
	struct file_requests {
		u64 requests, bytes;
	} * by_file; /* as capture.json's test_files; NULL: not known */
};

void phase_figures_free(struct phase_figures *f);

/* The sum over all causes. */
struct ra_row ra_total(const struct phase_figures *f);
/* "4 KiB", the largest size of a class. */
u64 size_class_bytes(unsigned int size_class);

#endif
