#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64 guests.  With pages of 4 KiB the small experiment has the same verdicts as on x86-64,
# check by check; with pages of 64 KiB its windows are 16 pages, too few to compare, so the large
# one must meet what it expects.  The page size is what the guest says; images and programs of
# the user's.
. tests/vm/lib.sh
need qemu-system-x86_64 trace-cmd

# verdicts RUN: one line for each check, phase and kernel, without its figures
verdicts() {
	bin/verify --format ktap "$1" | sed -n 's/^ *\(\(not \)*ok [0-9]* .*\)/\1/p' |
		sed 's/^\(.*unaffected-pattern: [a-z-]*\).*/\1/'
}

# run_on ARCH EXPERIMENT NAME [OPTION...]
run_on() {
	arch=$1
	experiment=$2
	name=$3
	shift 3
	expect 0 make -s boot-and-trace ARCH="$arch" EXPERIMENT="$experiment" RUN="$name" \
		TRACES="$traces" "$@"
}

run_on x86_64 piece-copy-small x86 || exit 1
verdicts "$traces/x86" >"$work/x86"
[ "$(wc -l <"$work/x86")" -gt 60 ] || complain "the run on x86-64 has too few verdicts"

# machine RUN PAGE_SIZE: what the guests of a run say they are
machine() {
	run=$traces/$1
	expect 0 bin/verify "$run"
	says "aarch64, implementer"
	says "why TCG: the guest is of another architecture"
	for kernel in base patched; do
		grep -q "\"page_size\": $2," "$run/$kernel-1/capture.json" ||
			complain "$1: capture.json of $kernel does not say a page size of $2"
		trace-cmd report "$run/$kernel-1/trace.dat" >"$work/report" 2>&1 &&
			grep -q page_cache_ra_order "$work/report" ||
			complain "$1: trace-cmd report cannot read the trace of $kernel"
	done
}

echo "== arm64: pages of 4 KiB"
run_on arm64 piece-copy-small 4k && {
	machine 4k 4096
	verdicts "$traces/4k" >"$work/4k"
	diff "$work/x86" "$work/4k" || complain "arm64 has other verdicts than x86-64"
}

echo "== arm64-64k: pages of 64 KiB"
run_on arm64-64k piece-copy 64k && {
	machine 64k 65536
	says "pages of 64 KiB"
	says "verdict: every expectation is met"
}
[ "$bad" = 0 ] || exit 1

echo "== the user's own image and program"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/blkproof
sum=$(sed -n 's/.*"image_sha256": "\(.*\)",*/\1/p' "$traces/64k/run.json" | head -n 1)
for image in "$cache"/images/*/Image; do
	sha256sum "$image" | grep -q "^$sum " && break
done
cat >"$work/first.c" <<'END'
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (!f || getc(f) == EOF)
		return 1;
	printf("pages of %ld\n", sysconf(_SC_PAGESIZE));
	return 0;
}
END
aarch64-linux-gnu-gcc -o "$work/first" "$work/first.c" || complain "the program is not compiled"
gzip -c "$image" >"$work/Image.gz"
run_on arm64-64k piece-copy-small own BASE_KERNEL="$image" KERNEL="$work/Image.gz" \
	PROGRAM="$work/first" ARGS=FILE && {
	grep -q "pages of 65536" "$traces/own/base-1/capture.json" ||
		complain "the program did not say the page size"
	! grep -q 'building kernel' "$work/out" || complain "a kernel was built all the same"
}
expect 1 bin/boot-and-trace --image base="$image" --traces "$traces"
says "is no bzImage"
expect 1 bin/boot-and-trace --arch arm64 --program /bin/true --traces "$traces"
says "for another machine than the guest's"
exit $bad
