/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run directory as verify sees it: run.json and capture.json, typed.  A bare
 * trace file becomes a capture with no JSON (has_json false) and one phase
 * that spans the file.
 */
#ifndef BP_CAPTURE_H
#define BP_CAPTURE_H

#include "lib/contract.h"
#include "lib/err.h"
#include "lib/experiment.h"
#include "verify/event.h"

/*
 * Losses by the ring buffer's counters, summed over CPUs: those that the agent
 * read after a phase, and those that a trace file has.
 */
struct phase_loss {
	u64 overrun, commit_overrun, dropped;
	u64 unread; /* left in the buffer when the counters were read */
	u64 absent; /* of a file: events that it does not have, though the buffer did */
};

/* How true a phase was to the plan that it replayed; counts of accesses. */
struct replay_info {
	u64 planned, issued;
	u64 beyond_end;	  /* not issued: they begin where the file has ended */
	u64 cut_at_end;	  /* issued as far as the file goes */
	u64 split;	  /* further calls, since one can't be so long */
	u64 out_of_order; /* not in the order of their task's plan */
	bool late_known;  /* replayed at recorded times */
	u64 late_mean_ns, late_max_ns;
	struct replay_file {
		u64 accesses, bytes, major_faults;
	} * files; /* in the plan's order */
	u32 n_files;
};

/* A phase that replayed block requests: what the guest says of it. */
struct block_info {
	bool known;    /* it is one */
	bool recorded; /* at recorded times; else as fast as possible */
	u32 speed;     /* per cent of the recorded one */
	u32 depth;     /* requests in flight at most */
	u64 start_ns;  /* the plan's time 0, trace clock */
	u64 elapsed_ns, issued, in_flight_max;
	u64 failed; /* requests */
	u32 first_errno;
	u64 held, held_ns, last_held_ns; /* requests that the device made late */
	/* reads, writes, flushes that the device had completed (enum block_op) */
	u64 before[3], after[3];
};

/* One element of capture.json's "phases". */
struct phase_info {
	char name[NAME_LEN];
	char pattern[NAME_LEN];
	u64 begin_ns, end_ns; /* trace clock, just outside the phase's markers */
	u64 bytes_asked;      /* bytes that the pattern's copies or touches asked for */
	u64 elapsed_ns;
	u64 pgfault, pgmajfault, pgpgin_kb; /* differences over the phase */
	u64 user_ns, system_ns;
	bool system_known;
	u64 cached_after; /* pages of the test file that were cached when it ended */
	bool cached_after_known;
	s64 memory_pages; /* free pages before, less those after */
	bool memory_known;
	bool whole_system; /* a root file system's phase: all files of it are the test file */
	u32 dev;	   /* DEV() of that file system; 0: not said */
	u64 fault_around;  /* bytes; 0: not said */
	u64 lru_file, lru_unreferenced; /* pages, after the phase; 0 and 0: not said */
	bool nfs_known;			/* the root file system is on NFS; of the whole guest: */
	u64 nfs_reads, nfs_read_bytes;	/* READ calls, and bytes of files in their answers */
	u64 cached_before;    /* pages of the test file that were cached when the phase began */
	bool cold_known;      /* cached_before was measured */
	char cold_method[16]; /* "cachestat", "mincore" or "mount" */
	u64 data_checked, data_bad;	    /* bytes */
	bool program_ended;		    /* how the user's program ended is known: */
	u32 program_status, program_signal; /* as from wait; signal 0: none */
	u64 program_output;		    /* bytes that it wrote */
	u64 data_first_bad;		    /* file offset, when data_bad */
	struct phase_loss loss;
	u64 entries_read; /* events that the guest read out after the phase, all CPUs */
	bool entries_known;
	struct replay_info *replay; /* NULL: nothing was replayed */
	struct block_info block;
	u32 clients;	/* client instances that the guest's kernel counted; 0: not said */
	bool osd_known; /* the capture has osd.json, and in it: */
	u64 osd_reads, osd_read_bytes; /* by all OSDs in the phase, as sent to clients */
	bool clock_known;	       /* the offset below was found from pairs of requests */
	s64 clock_offset_ns;	       /* host clock minus guest clock */
	u64 clock_uncertainty_ns;      /* the offset lies within plus or minus this */
	u64 clock_pairs;
};

/* A function that a patch changes, as far as the patch alone tells. */
struct touched {
	char file[160], function[96];
	bool added;	      /* the patch defines it */
	char called_from[96]; /* of one it defines: a touched function that it makes call it */
};

/* One of several test files. */
struct test_file {
	u64 ino, size;
	u32 index; /* in capture.json, from 0 */
};

/* Where it is on the test device. */
struct file_extent {
	u64 sector, end; /* 512 bytes */
	u32 file;	 /* index */
};

struct patch_info {
	char file[256], id[64], subject[256], base_commit[64], change_id[128];
	u32 fuzz; /* context lines that were ignored to apply it */
	struct touched *touched;
	unsigned int n_touched;
	bool touched_known; /* false: the run does not say */
	u32 unnamed_hunks;  /* that change no function whose name the patch shows */
};

struct kernel_info {
	char name[NAME_LEN];
	char version[64], source[160], config_hash[72];
	struct patch_info *patches;
	unsigned int n_patches;
};

struct capture {
	char *path;		       /* as the user named it, or below the run */
	char *trace;		       /* trace.dat or NULL */
	char *blktrace;		       /* NULL if there is none */
	char *osd;		       /* osd.json, or NULL */
	u64 trace_size, blktrace_size; /* bytes that they should have; 0: not said */
	u64 osd_size;
	u32 osds; /* in osd.json */
	bool has_json;
	char kernel[NAME_LEN];
	unsigned int repeat; /* from 1 */
	char accel[16];	     /* "tcg", "kvm" */
	char uname[128], cmdline[1024], cpu_model[128], libc[64];
	u32 page_size;
	u32 file_dev; /* DEV() of the test file's super block: what its events carry */
	u32 disk_dev; /* DEV() of the test disk: what its requests carry; btrfs has two */
	u64 file_ino, file_size;
	struct test_file *files; /* by inode; NULL: there is no other */
	u32 n_files;
	struct file_extent *extents; /* of them, by sector; NULL: not known */
	u32 n_extents;
	char filesystem[NAME_LEN];
	u32 block_size;		 /* of the file system; 0: not said */
	char mount_options[640]; /* as the kernel lists them */
	char scheduler[64];	 /* of the disk's queue, the one in use in brackets */
	u32 nr_tags;		 /* requests that the device can have; 0: not said */
	u64 memory;		 /* of the guest, bytes */
	u64 read_ahead_kb;
	/* as the guest's kernel shows them; "": not said */
	char hugepage[64], fault_around[24], mmap_readahead[24];
	u32 cpus;
	u32 queue_size, seg_max;
	struct phase_info *phases;
	unsigned int n_phases;
	const struct run *run; /* NULL when verified on its own */
};

struct run {
	char *path;
	char *plan;	       /* what was replayed; NULL: nothing */
	bool has_json;	       /* false: made up around a lone capture or file */
	char ceph_version[64]; /* "" without a cluster */
	char nfs_version[64];  /* "" without an NFS server */
	char date[32], command[512], qemu_version[128], accel[16], accel_reason[256];
	char host_cpu[128], host_uname[256];
	struct experiment *exp; /* NULL if there is no experiment.ini */
	struct kernel_info *kernels;
	unsigned int n_kernels;
	struct capture **captures; /* kernels in the experiment's order, then repeats */
	unsigned int n_captures;
};

/* The test file with this inode, if there are several; else NULL. */
const struct test_file *capture_file(const struct capture *c, u64 ino);
/* The extent that holds @sector, or NULL. */
const struct file_extent *capture_extent(const struct capture *c, u64 sector);
/* Same file size, file system, page size, readahead and CPUs: fit to be compared as kernels. */
bool capture_is_like(const struct capture *a, const struct capture *b);
/* The size of that file, or of the only one. */
u64 capture_file_size(const struct capture *c, u64 ino);

/*
 * Opens what the user named: a run, a capture, or a trace file (then run and
 * capture are made up around it).  Every file that run.json and capture.json
 * promise must exist.  Returns 0 or a negative errno and a line that names the
 * file and what is missing or wrong in it.
 */
int run_open(struct run **run, const char *path, struct err *e) __must_check;
void run_close(struct run *run);

#endif
