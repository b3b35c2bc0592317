/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Experiments as data: one INI file (docs/blkproof-experiment.5 lists every
 * key).  The host validates it before anything is built, the agent runs its
 * phases, verify takes its expectations from the copy in the run directory.
 */
#ifndef BP_EXPERIMENT_H
#define BP_EXPERIMENT_H

#include "lib/err.h"

enum copy_order { ORDER_FORWARD, ORDER_TAIL_FIRST, ORDER_BACKWARD, ORDER_MEMCPY };
extern const char *const copy_order_names[]; /* NULL-terminated */

/* What a stream tells the kernel of its range before it touches it. */
enum advice {
	ADVICE_NONE,
	ADVICE_RANDOM, /* madvise(2) */
	ADVICE_SEQUENTIAL,
	ADVICE_HUGEPAGE,
	ADVICE_WILLNEED,
	ADVICE_FADVISE_RANDOM, /* posix_fadvise(2) */
	ADVICE_FADVISE_SEQUENTIAL,
	ADVICE_FADVISE_WILLNEED,
	ADVICE_READAHEAD, /* readahead(2) */
};
extern const char *const advice_names[]; /* NULL-terminated */

/* Which of the mounts a phase's threads use. */
enum placement {
	PLACE_INTERLEAVED, /* thread i is on mount i modulo clients */
	PLACE_BLOCKED,	   /* neighbours share a mount, as far as they go round evenly */
};
extern const char *const placement_names[]; /* NULL-terminated */

enum osd_store { OSD_MEMSTORE, OSD_BLUESTORE };
extern const char *const osd_store_names[]; /* NULL-terminated */

/* Where in the file something starts: bytes, or a fraction of its size. */
struct position {
	u64 bytes; /* when den == 0 */
	u32 num, den;
};

/* The position's bytes in a file of @file_size, rounded down to @align bytes. */
u64 position_bytes(const struct position *p, u64 file_size, u64 align);

/* How a plan's accesses are replayed. */
enum replay_timing { REPLAY_FAST, REPLAY_RECORDED };
enum replay_touch { TOUCH_RUN, TOUCH_PAGE, TOUCH_RANGE };
enum replay_open { OPEN_AUTO, OPEN_SHARED, OPEN_PER_TASK };
extern const char *const replay_timing_names[]; /* NULL-terminated, as those below */
extern const char *const replay_touch_names[];
extern const char *const replay_open_names[];
enum root_kind { ROOT_NONE, ROOT_VIRTIO_BLK, ROOT_NFS };
extern const char *const root_names[]; /* NULL-terminated */

#define FILESYSTEM_NONE "none" /* filesystem: the disk has nothing on it */

#define NAME_LEN 48 /* phases, kernels, patterns, checks; with NUL */
#define LIST_MAX 32

struct phase {
	char name[NAME_LEN];
	char pattern[NAME_LEN];
	unsigned int threads;
	struct position start; /* first byte that is touched */
	u64 piece;	       /* bytes that one copy or read call moves */
	u64 chunk;	       /* not 0: threads take turns in chunks of this size */
	enum copy_order order;
	u64 count;  /* touches (random-touch) */
	u64 length; /* bytes a touch reads */
	u64 seed;
	u64 pages;	      /* touched in a row, or in a cluster */
	u64 cluster;	      /* bytes that a cluster of touches spans */
	unsigned int streams; /* that one thread interleaves */
	bool own_file;	      /* each thread opens the file for itself */
	enum advice advice;
	u64 fault_around_bytes; /* for this phase; 0: as the experiment says */
	char mode[NAME_LEN];	/* what the "fail" pattern does */
	/* replay-access */
	enum replay_timing timing;
	unsigned int speed; /* percent of the recorded one */
	enum replay_touch touch;
	enum replay_open open;
	unsigned int clients; /* mounts of a network file system; on a disk there is one */
	enum placement placement;
	bool lazyio;	   /* open files are set to CephFS's LAZYIO */
	char program[512]; /* what the "program" pattern runs: a path on the host */
	char args[1024];   /* its arguments, as words_split() takes them */
	unsigned int timeout_s;
	/* checks that are judged in this phase; none listed: all */
	char checks[LIST_MAX][NAME_LEN];
	unsigned int n_checks;
	/* this phase must be the same on every kernel (check unaffected-pattern) */
	bool unaffected;
	int line; /* where its section starts, for messages */
};

enum expectation { EXPECT_HOLDS, EXPECT_VIOLATED, EXPECT_ANY };

struct expect {
	char kernel[NAME_LEN];
	char phase[NAME_LEN]; /* empty: every phase that judges the check */
	char check[NAME_LEN];
	enum expectation value;
};

struct kernel_spec {
	char name[NAME_LEN];
	/* a file, or a directory of them, relative to the project; empty: none */
	char patches[512];
	char cmdline[512];		 /* appended to the kernel's command line */
	char config[LIST_MAX][NAME_LEN]; /* kconfigs/NAME.config on top of base.config */
	unsigned int n_config;
};

struct limit {
	char check[NAME_LEN];
	char name[NAME_LEN];
	double value;
};

struct experiment {
	char name[NAME_LEN]; /* the file's name without .ini */
	char summary[160];
	u64 file_size;
	char filesystem[NAME_LEN];
	u64 block_size;
	char mount_options[256];
	u64 read_ahead_kb;
	bool read_ahead_set; /* the file says it; else a replay takes its plan's */
	u64 memory;	     /* guest, bytes */
	unsigned int cpus;
	unsigned int queue_size;  /* virtio-blk; 0: QEMU's default */
	char scheduler[NAME_LEN]; /* of the disk's queue; empty: the kernel's choice */
	u64 trace_buffer;	  /* bytes per CPU */
	/* knobs that decide figures without being the patch; as the kernel has them if not given */
	u64 fault_around_bytes;		     /* 0: not given */
	char transparent_hugepage[NAME_LEN]; /* "": not given */
	unsigned int osds, osd_replicas;     /* of the Ceph cluster */
	enum osd_store osd_objectstore;
	enum root_kind root;	 /* what root-boot boots from */
	char root_packages[512]; /* Debian's, blanks between; "": the host's default */
	struct kernel_spec *kernels;
	unsigned int n_kernels;
	struct phase *phases;
	unsigned int n_phases;
	struct expect *expects;
	unsigned int n_expects;
	struct limit *limits; /* check limits that the experiment changes */
	unsigned int n_limits;
};

/*
 * Reads @path.  Returns 0 and a struct that experiment_free() frees, or a
 * negative errno and one line that names file, line, what is wrong and, for an
 * unknown key or section, the nearest known one.
 */
int experiment_load(const char *path, struct experiment **exp, struct err *e) __must_check;

/* The same from text; @name is what messages call it. */
int experiment_parse(const char *text, const char *name, struct experiment **exp,
		     struct err *e) __must_check;

/*
 * Makes one phase "program" of all phases, which runs @program with @args.  What is
 * expected of checks on whole kernels stays; what is said of other phases goes.
 */
int experiment_run_program(struct experiment *exp, const char *program, const char *args,
			   struct err *e) __must_check;

void experiment_free(struct experiment *exp);

/*
 * Sets one key of the [experiment] section, as a line of the file would.
 * -EINVAL and a line that names the key, and for an unknown one the nearest.
 */
int experiment_set(struct experiment *exp, const char *key, const char *value,
		   struct err *e) __must_check;

/*
 * Do the parts still go together, after experiment_set() and other changes?  -EINVAL and the
 * line that experiment_parse() would give.
 */
int experiment_check(struct experiment *exp, struct err *e) __must_check;

/*
 * Gives the test file another size (FILE_SIZE=).  A larger file means more
 * events in each phase, and none may be lost, so the ring buffers grow in
 * proportion.  The guest's memory grows by that and by the file: where the file
 * does not fit, reclaim takes pages that were read ahead, and what is measured
 * is another thing than what the experiment is about.
 */
void experiment_resize(struct experiment *exp, u64 file_size);

/*
 * Writes @exp as INI text that experiment_parse() reads back as the same
 * experiment: overrides such as FILE_SIZE= become part of the run.  The caller
 * frees the text.
 */
char *experiment_text(const struct experiment *exp) __must_check;

/* What the experiment expects of @check in @phase on @kernel (most specific entry wins;
 * EXPECT_HOLDS where nothing is said). */
enum expectation experiment_expects(const struct experiment *exp, const char *kernel,
				    const char *phase, const char *check);

/* Is the disk a scratch image with nothing on it, for a plan of block requests? */
bool experiment_on_bare_disk(const struct experiment *exp);

/* Is the test file on CephFS, with a cluster of the run's own behind it, and no disk? */
bool experiment_on_ceph(const struct experiment *exp);

/* The mount, from 0, that thread @i of @phase uses. */
unsigned int phase_client(const struct phase *phase, unsigned int i);

/* Is @check judged in @phase? */
bool phase_judges(const struct phase *phase, const char *check);

/*
 * The @i'th key that a section can have, with its section's name in *@section;
 * NULL past the last.  For tests that hold the man page against it.
 */
const char *experiment_key(size_t i, const char **section);

/* The known word nearest to @word (edit distance), or NULL if nothing is near. */
const char *nearest_word(const char *word, const char *const *known, size_t n);

#endif
