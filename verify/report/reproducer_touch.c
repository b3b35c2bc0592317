// SPDX-License-Identifier: GPL-2.0-only
/* Reproducers of the patterns that touch single pages. */
#include <string.h>

#include "verify/report/reproducer.h"

/* SplitMix64, as lib/layout.h's touch_offset() */
static const char random_text[] =
	"static unsigned long random_below(unsigned long n, unsigned long k, unsigned long z)\n"
	"{\n"
	"\tz += (k + 1) * 0x9e3779b97f4a7c15;\n"
	"\tz = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;\n"
	"\tz = (z ^ (z >> 27)) * 0x94d049bb133111eb;\n"
	"\treturn (z ^ (z >> 31)) %% n;\n"
	"}\n"
	"\n";

static const char share[] =
	"\tunsigned long len = (size - start) / THREADS / page * page, pages = len / page, n;\n"
	"\tunsigned long off = start + (long)arg * len;\n"
	"\tint f = %s;\n"
	"\tchar *map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, f, off);\n"
	"\n"
	"%s";

static const char sequential[] = "\tn = pages / STREAMS;\n"
				 "\tfor (unsigned long k = 0; k < COUNT; k++)\n"
				 "\t\tTOUCH(k %% STREAMS * n + k / STREAMS);\n";

static const char sparse[] = "\tfor (unsigned long k = 0; k < COUNT; k++) {\n"
			     "\t\tn = random_below(pages - PAGES + 1, k, SEED + (long)arg);\n"
			     "\t\tfor (unsigned long i = 0; i < PAGES; i++)\n"
			     "\t\t\tTOUCH(n + i);\n"
			     "\t}\n";

static const char clustered[] =
	"\tfor (unsigned long k = 0; k < COUNT; k++) {\n"
	"\t\tn = random_below(pages - CLUSTER / page + 1, k, SEED + (long)arg);\n"
	"\t\tfor (unsigned long i = k * PAGES; i < (k + 1) * PAGES; i++)\n"
	"\t\t\tTOUCH(n + random_below(CLUSTER / page, i, (SEED + (long)arg) ^ 0x636c757374657273));\n"
	"\t}\n";

static const char loader[] =
	"\tunsigned long all = PIECE / page, text = all - all / 16;\n"
	"\tchar header[832], *map;\n"
	"\tfor (unsigned long k = 0; k < COUNT; k++) {\n"
	"\t\tint f = open(path, O_RDONLY);\n"
	"\t\tif (read(f, header, sizeof(header)) < 0)\n"
	"\t\t\treturn perror(\"read\"), arg;\n"
	"\t\tmap = mmap(NULL, PIECE, PROT_READ | PROT_EXEC, MAP_PRIVATE, f, 0);\n"
	"\t\tfor (unsigned long i = text; i < all; i++)\n"
	"\t\t\tTOUCH(i);\n"
	"\t\tfor (unsigned long i = k * PAGES; i < (k + 1) * PAGES; i++)\n"
	"\t\t\tTOUCH(random_below(text, i, SEED));\n"
	"\t\tmunmap(map, PIECE), posix_fadvise(f, 0, 0, POSIX_FADV_DONTNEED), close(f);\n"
	"\t}\n";

static const char end[] =
	"\treturn NULL;\n"
	"}\n"
	"\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"\tstruct rusage r;\n"
	"\tpthread_t t[THREADS];\n"
	"\tfd = argc == 2 ? open(path = argv[1], O_RDONLY) : -1;\n"
	"\tif (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)) /* a cold cache */\n"
	"\t\treturn perror(\"FILE\"), 1;\n"
	"\tpage = sysconf(_SC_PAGESIZE), size = lseek(fd, 0, SEEK_END), start = START;\n"
	"\tfor (long i = 0; i < THREADS; i++)\n"
	"\t\tpthread_create(&t[i], NULL, stream, (void *)i);\n"
	"\tfor (long i = 0; i < THREADS; i++)\n"
	"\t\tpthread_join(t[i], NULL);\n"
	"\tgetrusage(RUSAGE_SELF, &r);\n"
	"\tprintf(\"%%ld major faults\\n\", r.ru_majflt);\n"
	"}\n";

static const char *const advice[] = {
	[ADVICE_NONE] = "",
	[ADVICE_RANDOM] = "\tmadvise(map, len, MADV_RANDOM);\n",
	[ADVICE_SEQUENTIAL] = "\tmadvise(map, len, MADV_SEQUENTIAL);\n",
	[ADVICE_HUGEPAGE] = "\tmadvise(map, len, MADV_HUGEPAGE);\n",
	[ADVICE_WILLNEED] = "\tmadvise(map, len, MADV_WILLNEED);\n",
	[ADVICE_FADVISE_RANDOM] = "\tposix_fadvise(f, off, len, POSIX_FADV_RANDOM);\n",
	[ADVICE_FADVISE_SEQUENTIAL] = "\tposix_fadvise(f, off, len, POSIX_FADV_SEQUENTIAL);\n",
	[ADVICE_FADVISE_WILLNEED] = "\tposix_fadvise(f, off, len, POSIX_FADV_WILLNEED);\n",
	[ADVICE_READAHEAD] = "\treadahead(f, off, len);\n",
};

static const struct program {
	const char *pattern, *what, *body;
	bool random; /* picks pages at random */
	bool turns;  /* opens, maps and drops the file in each turn, instead of mapping its share */
} programs[] = {
	{"touch-sequential", "touches pages of a mapping of FILE in order", sequential, false,
	 false},
	{"touch-sparse", "touches a few pages at random places of a mapping of FILE", sparse, true,
	 false},
	{"touch-clustered", "touches random pages in clusters of a mapping of FILE", clustered,
	 true, false},
	{"loader", "reads, maps and touches FILE as the dynamic loader does", loader, true, true},
};

static void put_defines(struct out *o, const struct phase *p)
{
	source_text(o, "#define THREADS %u\n", p->threads);
	if (p->start.den)
		source_text(o, "#define START (size * %u / %u & -page)\n", p->start.num,
			    p->start.den);
	else
		source_text(o, "#define START (%lluul & -page)\n",
			    (unsigned long long)p->start.bytes);
	source_text(o, "#define TOUCH(n) ((void)*(volatile long *)(map + (n)*page))\n"
		       "const unsigned long ");
	source_text(o, "COUNT = %llu, PAGES = %llu, ", (unsigned long long)p->count,
		    (unsigned long long)p->pages);
	source_text(o, "CLUSTER = %llu, STREAMS = %u, ", (unsigned long long)p->cluster,
		    p->streams);
	source_text(o, "PIECE = %llu, SEED = %lluul;\n", (unsigned long long)p->piece,
		    (unsigned long long)p->seed);
}

bool reproducer_touch(struct out *o, const struct experiment *exp, const struct phase *p)
{
	const struct program *g = programs;

	while (g < programs + ARRAY_SIZE(programs) && strcmp(g->pattern, p->pattern))
		g++;
	if (g == programs + ARRAY_SIZE(programs))
		return false;
	source_comment(o, exp, p, g->what);
	source_text(o, "%s#include <fcntl.h>\n#include <pthread.h>\n#include <stdio.h>\n",
		    p->advice == ADVICE_READAHEAD ? "#define _GNU_SOURCE\n" : "");
	source_text(o, "#include <sys/mman.h>\n#include <sys/resource.h>\n#include <unistd.h>\n\n");
	put_defines(o, p);
	source_text(
		o,
		"static unsigned long page, size, start;\nstatic const char *path;\nstatic int fd;\n\n");
	if (g->random)
		source_text(o, random_text);
	source_text(o, "static void *stream(void *arg)\n{\n");
	if (!g->turns)
		source_text(o, share, p->own_file ? "open(path, O_RDONLY)" : "fd",
			    advice[p->advice]);
	source_text(o, g->body, NULL);
	source_text(o, end);
	return true;
}
