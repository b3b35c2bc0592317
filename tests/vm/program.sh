#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program of the user's instead of a pattern: threads that copy a mapping with libc's memcpy,
# compiled as anyone would.  Dynamic, it needs its libraries; static, it needs nothing.
. tests/vm/lib.sh
need qemu-system-x86_64 gcc

cat >"$work/pcopy.c" <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const char *map;
static size_t piece, share;

static void *copy(void *arg)
{
	const char *from = map + (size_t)arg * share;
	char *to = malloc(piece);

	memset(to, 1, piece);
	for (size_t done = 0; done < share; done += piece)
		memcpy(to, from + done, piece);
	return to;
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDONLY), n = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread[32];
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		perror(argv[1]);
		return 3;
	}
	piece = 1 << 20;
	share = (size_t)st.st_size / (size_t)n / piece * piece;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	for (long i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, copy, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	printf("%d threads copied %zu bytes\n", n, share * (size_t)n);
	return 0;
}
C
gcc -O2 -pthread -o "$work/pcopy" "$work/pcopy.c" || exit 1
gcc -O2 -pthread -static -o "$work/pcopy-static" "$work/pcopy.c" || exit 1

run() {
	bin/boot-and-trace --accel tcg --traces "$traces" --experiment piece-copy-small "$@"
}

echo "dynamic: base shows the problem, patched does not"
expect 0 make -s boot-and-trace EXPERIMENT=piece-copy-small ACCEL=tcg TRACES="$traces" \
	RUN=dynamic PROGRAM="$work/pcopy" ARGS='FILE 2'
expect 0 bin/verify "$traces/dynamic"
for check in no-sync-readaround-per-piece folio-order-ramps-up marker-hit-starts-readahead \
	major-faults-bounded; do
	grep -qE "$check +FAIL 1/1 expected +PASS 1/1\$" "$work/out" ||
		complain "$check is not FAIL on base and PASS on patched"
done
says "program-succeeds PASS 1/1 PASS 1/1"
says "what a program of the user's read, only it knows"
[ "$bad" = 0 ] || cat "$work/out"
grep -q '"output": "2 threads copied 25165824 bytes\\n"' "$traces/dynamic/base-1/capture.json" ||
	complain "capture.json does not have the program's output"

echo "static, and it fails: its status and words are kept, and the check says so"
expect 0 run --run static --program "$work/pcopy-static" --args '/no/such/file' &&
	says "the program ended with status 3" && says "/no/such/file: No such file"
grep -q '"exit_status": 3' "$traces/static/base-1/capture.json" || complain "no exit status"
expect 1 bin/verify --check program-succeeds "$traces/static" && says "exit status is 3"

echo "what the guest cannot run is said before anything is built"
rm -rf "$traces"/*
printf '#!/bin/sh\n' >"$work/script"
expect 1 run --program "$work/script" && says "a script"
expect 1 run --program "$work/none" && says "No such file"
expect 1 run --program "$work/pcopy" --args "FILE 'x" && says "args"
nothing_left

exit $bad
