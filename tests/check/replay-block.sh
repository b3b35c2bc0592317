#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# replay-plan --block: plans of our own captures and of other traces, and what is refused.
. tests/lib.sh

log=traces/example/base-1/virtio-blk.blktrace.0
plan=$work/plan

echo "a plan of our own capture has its requests, as an independent reader sees them"
expect 0 bin/replay-plan --block traces/example/base-1 -o "$plan"
expect 0 bin/replay-plan "$log" && cmp "$work/out" "$plan" # nothing else can be made of it
if command -v blkparse >/dev/null; then
	blkparse -q -i "$log" -a issue -f '%d %S %n\n' 2>/dev/null |
		sed -n 's/^\([RW]\)[A-Z]* /\1 /p' >"$work/want"
	sed -n 's/^\([RW]\) [0-9]* /\1 /p' "$plan" >"$work/got"
	[ -s "$work/want" ] || complain "blkparse found nothing"
	cmp "$work/want" "$work/got" || complain "other requests than blkparse finds"
fi

echo "options"
expect 1 bin/replay-plan --access --fold --device-size 1G "$log" && says "not with --access"
expect 1 bin/replay-plan --block --fold "$log" && says "--fold needs a --device-size"
expect 1 bin/replay-plan --device 8,0 --end-to-end "$log" && says "one device has no order"
expect 1 bin/replay-plan --action X "$log" && says "expected Q, as submitted, or D, as issued"
expect 1 bin/replay-plan --sector-size 1000 "$log" && says "expected 512, 1024, 2048 or 4096"
expect 1 bin/replay-plan --device-size 4K "$log" && says "expected 1 MiB to 8 PiB"
expect 3 bin/replay-plan --device 8,0 "$log" && says "no requests of device 8,0"
expect 2 bin/replay-plan --device-size 2M "$log" -o "$work/none" &&
	says "beyond the device of 4096 sectors"
[ -e "$work/none" ] && complain "a plan although the device is too small"
expect 0 bin/replay-plan --device-size 2M --fold "$log" -o "$work/folded" &&
	says "were moved into the device"
grep -q '^sectors 4096$' "$work/folded" || complain "not the size of the device"
expect 2 bin/replay-plan --sector-size 4096 "$log" && says "at sector 2 of 254,0: no multiple"
expect 0 bin/replay-plan --dependencies "$log" && says "dependencies yes"

echo "bad input"
head -c 1000 "$log" >"$work/cut.blktrace.0"
expect 2 bin/replay-plan "$work/cut.blktrace.0" && says "cut.blktrace.0: at byte" &&
	says "truncated?"
expect 0 bin/replay-plan --partial "$work/cut.blktrace.0" &&
	says "damaged: only what stands before the damage"
# the version is the lowest byte of the magic
{ printf '\011'; tail -c +2 "$log"; } >"$work/version.blktrace.0"
expect 2 bin/replay-plan "$work/version.blktrace.0" && says "version 7 or 8, found 9"
mkdir "$work/empty"
: >"$work/empty/x.blktrace.0"
: >"$work/empty/x.blktrace.1"
expect 2 bin/replay-plan "$work/empty" && says "all files are empty"
printf '8,0 0 1 0.000001000 7 C R 8 + 8 [0]\n' >"$work/c"
expect 3 bin/replay-plan --block "$work/c" && says "no D events (requests as issued), and no Q"
printf '8,0 0 1 0.000001000 7 D R 8 + 8 [a]\n8,0 0 2 0.000002000 7 C R 8 + 8 [0]\n' >"$work/dc"
expect 0 bin/replay-plan --block "$work/dc" && says "R 0 8 8"
expect 3 bin/replay-plan --action Q "$work/dc" && says "it has D events: --action D"
printf 'fio version 3 iolog\n5 a read 0 4096\n' >"$work/fio"
expect 0 bin/replay-plan --block "$work/fio" && says "action log"
expect 2 bin/replay-plan --dependencies "$work/fio" && says "does not tell when requests completed"

exit $bad
