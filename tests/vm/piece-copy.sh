#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The main job as a user does it: base shows the problem, patched does not, and the traces are
# what other tools read, with the same number of events.
. tests/vm/lib.sh
need qemu-system-x86_64 trace-cmd blkparse btt

expect 0 make -s boot-and-trace RUN=e2e TRACES="$traces" || exit 1
cat "$work/out"
run=$traces/e2e

echo "verify's verdict"
expect 0 bin/verify "$run"
for check in no-sync-readaround-per-piece folio-order-ramps-up marker-hit-starts-readahead \
	major-faults-bounded; do
	grep -qE "$check +FAIL 3/3 expected +PASS 3/3\$" "$work/out" ||
		complain "$check is not FAIL on base and PASS on patched"
done
for check in trace-complete cold-cache data-intact requests-match-host no-readahead-past-eof; do
	grep -qE "$check +PASS 6/6 +PASS 6/6\$" "$work/out" || complain "$check is not PASS on both"
done
[ "$bad" = 0 ] || cat "$work/out"

echo "the changed path, as trace-cmd counts it"
says "ra_first_hole (new, called from page_cache_async_ra)"
for capture in base-1 patched-1; do
	trace-cmd report "$run/$capture/trace.dat" 2>/dev/null | awk '
		/blkproof: phase begin/ { counts = $NF ~ /-threads?$/ }
		counts && /page_cache_async_ra:/ { n++ }
		END { print n + 0 }'
done | xargs >"$work/theirs"
ours=$(sed -n 's/^  page_cache_async_ra *\([0-9]*\) *\([0-9]*\)$/\1 \2/p' "$work/out")
[ -n "$ours" ] && [ "$ours" = "$(cat "$work/theirs")" ] ||
	complain "page_cache_async_ra: verify counts '$ours', trace-cmd '$(cat "$work/theirs")'"
grep -q '^  n = 1: no difference' "$work/out" || complain "one boot claims differences"

echo "what goes into the mail"
expect 0 bin/verify --mail "$run"
expect 0 bin/verify --reproducer one-thread "$run"
expect 0 bin/verify --compare "$run/base-1" "$run/patched-1"
! pkg-config --exists pangocairo || expect 0 bin/plot "$run" -o "$work/run.html"

echo "a capture alone is expected to hold everything"
expect 1 bin/verify "$run/base-1"
expect 1 bin/verify --bisect "$run/base-1"
expect 0 bin/verify --bisect --check major-faults-bounded "$run/patched-1"

for capture in base-1 patched-1; do
	echo "$capture: other tools read the same"
	events=$(trace-cmd report "$run/$capture/trace.dat" 2>/dev/null | grep -cE '^ .*: +[a-z_]+:')
	ours=$(bin/verify --format json "$run/$capture" |
		sed -n 's/^ *"events": \([0-9]*\),*$/\1/p' | head -n 1)
	echo "trace-cmd lists $events events, verify read ${ours:-?}"
	[ "$events" -gt 1000 ] && [ "$events" = "$ours" ] || complain "$capture: not the same events"

	(cd "$run/$capture" && blkparse -q -i virtio-blk) >"$work/blkparse" 2>"$work/err" ||
		complain "blkparse fails"
	[ -s "$work/err" ] && complain "blkparse complains: $(cat "$work/err")"
	issues=$(awk '$6 == "D" && $7 ~ /R/' "$work/blkparse" | wc -l)
	completions=$(awk '$6 == "C" && $7 ~ /R/' "$work/blkparse" | wc -l)
	[ "$issues" -gt 100 ] && [ "$issues" = "$completions" ] ||
		complain "$capture: $issues reads issued, $completions completed"
	(cd "$run/$capture" && blkparse -q -i virtio-blk -d "$work/dump" -O) >/dev/null 2>&1
	# btt leaves files where it runs
	(cd "$work" && btt -i dump >btt 2>&1) || complain "btt fails"
	# "Q2Cdm" where the host has given the guest's major number to device-mapper
	grep -qE '^Q2C(dm)? +0[0-9.]+ +0[0-9.]+' "$work/btt" || complain "btt finds no Q2C"
done

echo "an existing run is never overwritten"
expect 1 bin/boot-and-trace --traces "$traces" --run e2e && says "e2e"

exit $bad
