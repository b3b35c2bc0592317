#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The mmap readahead series of 2009 in full, with a Debian system that is booted.
. tests/vm/lib.sh
need qemu-system-x86_64

expect 0 make -s boot-and-trace EXPERIMENT=mmap-readahead RUN=mmap TRACES="$traces" || exit 1
run=$traces/mmap

echo "verify's verdict"
expect 0 bin/verify "$run"
cp "$work/out" "$work/report"
for line in '^  pgmajfault +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$' \
	'^    in 2009 +383 +225 +224 +-$' '^  mmap IO count +[0-9.]+ +[0-9.]+ ' \
	'^    in 2009 +31.6 +32.4 +32.6 +-$' '^  A to B: pgmajfault -[0-9.]+ %' \
	'PASS major-faults-not-above boot: B against A' \
	'PASS io-count-not-above boot: C against B'; do
	grep -qE "$line" "$work/report" || complain "the report has no line '$line'"
done
[ -s "$run/root.packages" ] || complain "$run/root.packages is missing"
grep -q 'blkproof login: ' "$run/A-1/console.log" || complain "no login prompt on the console"

[ "$bad" = 0 ] || cat "$work/report"
exit $bad
