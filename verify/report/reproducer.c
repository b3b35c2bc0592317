// SPDX-License-Identifier: GPL-2.0-only
/*
 * verify --reproducer: a phase's access pattern as a C program that needs
 * nothing of blkproof, of under 60 lines, for a mail.  It does to FILE what the agent
 * does to its test file: the same offsets, sizes and order, from as many threads.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "lib/size.h"
#include "verify/known.h"
#include "verify/report/reproducer.h"

/* ---- the program's parts; sizes are unsigned long: 64 bits where the agent runs ---- */

static const char includes[] = "#include <fcntl.h>\n"
			       "#include <pthread.h>\n"
			       "#include <stdio.h>\n"
			       "#include <stdlib.h>\n"
			       "%s"
			       "%s"
			       "#include <unistd.h>\n"
			       "\n";

/* Pieces dealt out as by lib/layout.h: a range of whole pieces each, or chunks in turns. */
static const char stream_ranges[] =
	"static void *stream(void *arg)\n"
	"{\n"
	"\tunsigned long range = (size - start) / THREADS / PIECE * PIECE;\n"
	"\tunsigned long off = start + (long)arg * range, end = off + range;\n"
	"\tchar *buf = malloc(PIECE + 8);\n"
	"\n"
	"%s"
	"\tfor (; off < end; off += PIECE)\n"
	"\t\tmove(buf, off, PIECE);\n"
	"\treturn buf;\n"
	"}\n"
	"\n";
static const char stream_chunks[] = "static void *stream(void *arg)\n"
				    "{\n"
				    "\tunsigned long end, first = start + (long)arg * CHUNK;\n"
				    "\tchar *buf = malloc(PIECE + 8);\n"
				    "\n"
				    "%s"
				    "\tfor (; first < size; first += THREADS * CHUNK) {\n"
				    "\t\tend = size - first < CHUNK ? size : first + CHUNK;\n"
				    "\t\tfor (unsigned long off = first; off < end; off += PIECE)\n"
				    "\t\t\tmove(buf, off, end - off < PIECE ? end - off : PIECE);\n"
				    "\t}\n"
				    "\treturn buf;\n"
				    "}\n"
				    "\n";

/* SplitMix64, as lib/layout.h's touch_offset(). */
static const char stream_touches[] =
	"static void *stream(void *arg)\n"
	"{\n"
	"\tfor (unsigned long z, n = (long)arg; n < COUNT; n += THREADS) {\n"
	"\t\tz = SEED + (n + 1) * 0x9e3779b97f4a7c15;\n"
	"\t\tz = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;\n"
	"\t\tz = (z ^ (z >> 27)) * 0x94d049bb133111eb;\n"
	"\t\tz = start + (z ^ (z >> 31)) %% ((size - LENGTH - start) / 8 + 1) * 8;\n"
	"\t\tfor (unsigned long i = 0; i < LENGTH; i++)\n"
	"\t\t\t(void)map[z + i];\n"
	"\t}\n"
	"\treturn NULL;\n"
	"}\n"
	"\n";

/* The same numbers, of blocks, as guest/patterns/ior_rnd4K_easy_read.c. */
static const char stream_blocks[] =
	"static void *stream(void *arg)\n"
	"{\n"
	"\tchar buf[LENGTH];\n"
	"\n"
	"%s"
	"\tfor (unsigned long z, n = (long)arg; n < COUNT; n += THREADS) {\n"
	"\t\tz = SEED + (n + 1) * 0x9e3779b97f4a7c15, z ^= z >> 30;\n"
	"\t\tz *= 0xbf58476d1ce4e5b9, z ^= z >> 27;\n"
	"\t\tz *= 0x94d049bb133111eb, z ^= z >> 31;\n"
	"\t\tmove(buf, start + z %% ((size - start) / LENGTH) * LENGTH, LENGTH);\n"
	"\t}\n"
	"\treturn NULL;\n"
	"}\n"
	"\n";

static const char main_text[] =
	"int main(int argc, char **argv)\n"
	"{\n"
	"%s"
	"\tpthread_t t[THREADS];\n"
	"\n"
	"\tfd = argc == %u ? open(%s, O_RDONLY) : -1;\n"
	"\tif (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)) /* a cold cache */\n"
	"\t\treturn perror(\"FILE\"), 1;\n"
	"\tsize = lseek(fd, 0, SEEK_END), start = START;\n"
	"%s"
	"\tfor (long i = 0; i < THREADS; i++)\n"
	"\t\tpthread_create(&t[i], NULL, stream, (void *)i);\n"
	"\tfor (long i = 0; i < THREADS; i++)\n"
	"\t\tpthread_join(t[i], NULL);\n"
	"%s"
	"}\n";
/* of a mapping, or of a plain file for comparison; it says nothing of a network file system */
static const char count_include[] = "#include <sys/resource.h>\n";
static const char count_begin[] = "\tstruct rusage r;\n";
static const char count_end[] = "\tgetrusage(RUSAGE_SELF, &r);\n"
				"\tprintf(\"%ld major faults\\n\", r.ru_majflt);\n";

static const char map_text[] = "\tmap = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);\n";

/* ---- how a piece is moved; volatile, since nobody looks at the copy ---- */

static const char move_begin[] =
	"static void move(char *to, unsigned long off, unsigned long len)\n"
	"{\n";
static const char move_forward[] =
	"\tvolatile unsigned long *d = (void *)to, *s = (void *)(map + off);\n"
	"\n"
	"%s"
	"\tfor (unsigned long i = 0; i < (len + 7) / 8; i++)\n"
	"\t\td[i] = s[i];\n"
	"}\n";
static const char touch_tail[] = "\t(void)map[off + len - 1]; /* the end of the piece first */\n";
static const char move_backward[] =
	"\tfor (; len %% 8; len--)\n"
	"\t\tto[len - 1] = map[off + len - 1];\n"
	"\tfor (; len; len -= 8)\n"
	"\t\t*(volatile long *)(to + len - 8) = *(volatile long *)(map + off + len - 8);\n"
	"}\n";
static const char move_memcpy[] =
	"\tmemcpy(to, (char *)map + off, len);\n"
	"\t__asm__ volatile(\"\" ::\"r\"(to) : \"memory\"); /* it is used */\n"
	"}\n";
static const char move_pread[] = "\tfor (ssize_t n; len; to += n, off += n, len -= n)\n"
				 "\t\tif ((n = pread(%s, to, len, off)) <= 0)\n"
				 "\t\t\tperror(\"pread\"), exit(1);\n"
				 "}\n";
static const char move_read[] = "\tif ((unsigned long)lseek(own, 0, SEEK_CUR) != off)\n"
				"\t\tlseek(own, off, SEEK_SET);\n"
				"\tfor (ssize_t n; len; to += n, len -= n)\n"
				"\t\tif ((n = read(own, to, len)) <= 0)\n"
				"\t\t\tperror(\"read\"), exit(1);\n"
				"}\n";
static const char open_own[] = "\town = open(path, O_RDONLY);\n";
/* one FILE for each client: the mount that this thread is on */
static const char open_interleaved[] = "\town = open(files[(long)arg % CLIENTS], O_RDONLY);\n";
static const char open_blocked[] =
	"\town = open(files[(long)arg * CLIENTS / THREADS], O_RDONLY);\n";
static const char open_lazyio[] = "\tif (ioctl(own, _IO(0x97, 4))) /* CEPH_IOC_LAZYIO */\n"
				  "\t\tperror(\"LAZYIO\"), exit(1);\n";

void source_text(struct out *o, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = xstrdup("(out of memory)\n");
	va_end(ap);
	out_raw(o, text);
	free(text);
}

static void put_copy(struct out *o, const struct phase *p)
{
	source_text(o, move_begin);
	switch (p->order) {
	case ORDER_TAIL_FIRST:
		source_text(o, move_forward, touch_tail);
		return;
	case ORDER_FORWARD:
		source_text(o, move_forward, "");
		return;
	case ORDER_BACKWARD:
		source_text(o, move_backward);
		return;
	case ORDER_MEMCPY:
		source_text(o, move_memcpy);
		return;
	}
}

static void put_pread(struct out *o, const struct phase *p __unused_arg)
{
	source_text(o, move_begin);
	source_text(o, move_pread, "fd");
}

static void put_pread_own(struct out *o, const struct phase *p __unused_arg)
{
	source_text(o, move_begin);
	source_text(o, move_pread, "own");
}

static void put_read(struct out *o, const struct phase *p __unused_arg)
{
	source_text(o, move_begin);
	source_text(o, move_read);
}

/* One line per pattern of guest/patterns/list.h that moves pieces; a test sees to it. */
static const struct program {
	const char *pattern, *what;
	bool mapped, own_file;
	/* NULL: no pieces, but touches */
	void (*put_move)(struct out *o, const struct phase *p);
	bool clients; /* FILE is several, one for each client */
	bool blocks;  /* no pieces, but blocks at random */
} programs[] = {
	{"piece-copy", "copies pieces out of a mapping of FILE", true, false, put_copy, false,
	 false},
	{"pread-copy", "reads pieces of FILE with pread()", false, false, put_pread, false, false},
	{"seq-read", "reads FILE in order, each thread with a file of its own", false, true,
	 put_read, false, false},
	{"random-touch", "reads a few bytes at random offsets of a mapping of FILE", true, false,
	 NULL, false, false},
	{"ior-hard-read", "reads records in turns; FILE is one path for each client", false, true,
	 put_pread_own, true, false},
	{"ior-easy-read", "reads parts in order; FILE is one path for each client", false, true,
	 put_pread_own, true, false},
	{"ior-rnd4K-easy-read", "reads random blocks; FILE is one path for each client", false,
	 true, put_pread_own, true, true},
	{"fail", "copies pieces out of a mapping, without the failure", true, false, put_copy,
	 false, false},
};

/* Names come from files: nothing in them may end the comment. */
static char *comment_safe(const char *s)
{
	char *p = printable(s);

	for (char *c = p; *c; c++)
		if (*c == '/' || *c == '\\' || *c == '?')
			*c = '_';
	return p;
}

void source_comment(struct out *o, const struct experiment *exp, const struct phase *p,
		    const char *what)
{
	char *name __cleanup_free = comment_safe(p->name);
	char *of __cleanup_free = comment_safe(exp->name);
	char size[SIZE_TEXT_MAX];

	source_text(o, "// SPDX-License-Identifier: GPL-2.0-only\n");
	source_text(o, "/* %s of %s: %s.\n", name, of, what);
	source_text(
		o,
		" * cc -O1 -pthread THIS; ./a.out FILE.  FILE has %s, clean, read_ahead_kb %llu. */\n",
		size_text(exp->file_size, size), (unsigned long long)exp->read_ahead_kb);
}

static void put_number(struct out *o, const char *name, u64 value)
{
	source_text(o, "#define %s %lluul\n", name, (unsigned long long)value);
}

static void put_defines(struct out *o, const struct phase *p, const struct program *g)
{
	source_text(o, "#define THREADS %u\n", p->threads);
	if (p->start.den)
		source_text(o, "#define START (size * %u / %u & -sysconf(_SC_PAGESIZE))\n",
			    p->start.num, p->start.den);
	else
		source_text(o, "#define START (%lluul & -sysconf(_SC_PAGESIZE))\n",
			    (unsigned long long)p->start.bytes);
	if (g->clients)
		source_text(o, "#define CLIENTS %u\n", MAX(p->clients, 1u));
	if (!g->put_move || g->blocks) {
		put_number(o, "LENGTH", p->length);
		put_number(o, "COUNT", p->count);
		put_number(o, "SEED", p->seed);
		return;
	}
	put_number(o, "PIECE", p->piece);
	if (p->chunk)
		put_number(o, "CHUNK", p->chunk);
}

static void put_globals(struct out *o, const struct program *g)
{
	source_text(o, "\nstatic int fd;\nstatic unsigned long size, start;\n");
	if (g->mapped)
		source_text(o, "static volatile char *map;\n");
	if (g->own_file)
		source_text(o, "static %s;\nstatic __thread int own;\n",
			    g->clients ? "char **files" : "const char *path");
	source_text(o, "\n");
}

static const struct phase *find_phase(const struct experiment *exp, const char *name, struct err *e)
{
	const char *names[256];
	size_t n = 0;

	for (unsigned int i = 0; i < exp->n_phases; i++) {
		if (!strcmp(exp->phases[i].name, name))
			return &exp->phases[i];
		if (n < ARRAY_SIZE(names))
			names[n++] = exp->phases[i].name;
	}
	unknown_word(e, "phase", name, names, n, "see [phase NAME] in the experiment");
	return NULL;
}

int report_reproducer(struct out *o, const struct experiment *exp, const char *phase, struct err *e)
{
	const struct phase *p = find_phase(exp, phase, e);
	const struct program *g = programs;
	char *open __cleanup_free = NULL;

	if (!p)
		return -EINVAL;
	while (g < programs + ARRAY_SIZE(programs) && strcmp(g->pattern, p->pattern))
		g++;
	if (g == programs + ARRAY_SIZE(programs) && reproducer_touch(o, exp, p))
		return 0;
	if (!strcmp(p->pattern, "program"))
		return err_set(e, -EINVAL, "phase %s: its program %s is the reproducer", phase,
			       p->program);
	if (g == programs + ARRAY_SIZE(programs))
		return err_set(e, -EINVAL, "phase %s: no reproducer is known for pattern '%s'",
			       p->name, p->pattern);
	if (!p->threads || (g->put_move && !g->blocks ? !p->piece : !p->length))
		return err_set(e, -EINVAL, "phase %s says nothing of threads, piece or length",
			       p->name);
	open = xasprintf("%s%s",
			 !g->own_file			     ? ""
			 : !g->clients			     ? open_own
			 : p->placement == PLACE_INTERLEAVED ? open_interleaved
							     : open_blocked,
			 p->lazyio ? open_lazyio : "");
	source_comment(o, exp, p, g->what);
	source_text(o, includes,
		    p->lazyio	 ? "#include <sys/ioctl.h>\n"
		    : !g->mapped ? ""
		    : g->put_move && p->order == ORDER_MEMCPY
			    ? "#include <string.h>\n#include <sys/mman.h>\n"
			    : "#include <sys/mman.h>\n",
		    g->clients ? "" : count_include);
	put_defines(o, p, g);
	put_globals(o, g);
	if (g->put_move) {
		g->put_move(o, p);
		source_text(o, "\n");
		source_text(o,
			    g->blocks  ? stream_blocks
			    : p->chunk ? stream_chunks
				       : stream_ranges,
			    open);
	} else {
		source_text(o, stream_touches);
	}
	source_text(o, main_text, g->clients ? "" : count_begin,
		    g->clients ? MAX(p->clients, 1u) + 1 : 2,
		    g->clients	  ? "*(files = argv + 1)"
		    : g->own_file ? "path = argv[1]"
				  : "argv[1]",
		    g->mapped ? map_text : "", g->clients ? "" : count_end);
	return 0;
}
