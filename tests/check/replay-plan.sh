#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# replay-plan: its --help and its man page say the same; each exit status; a plan of the example.
. tests/lib.sh

bin/replay-plan --help >"$work/help" || exit 1
sed -n 's/^  .*--\([a-z-]*\).*/\1/p' "$work/help" | sort >"$work/help-options"
sed -n 's/^\.It.* Fl Fl \([a-z-]*\).*/\1/p' docs/replay-plan.1 | sort >"$work/man-options"
diff "$work/help-options" "$work/man-options" || complain "options differ"
[ "$(wc -l <"$work/help-options")" -ge 5 ] || complain "no options"
sed -n 's/^ *\([0-9][0-9]*\)  \(.*\)/\1 \2/p' "$work/help" | tr 'A-Z' 'a-z' >"$work/help-status"
sed -n '/^\.Sh EXIT/,/^\.El/p' docs/replay-plan.1 |
	awk '/^\.It/ { n = $2; getline; sub(/\.$/, ""); print n, tolower($0) }' >"$work/man-status"
diff "$work/help-status" "$work/man-status" || complain "exit status differs"

echo "a plan of the example"
plan=$work/plan
expect 0 bin/replay-plan traces/example/base-1 -o "$plan"
grep -q '^phase one-thread [1-9][0-9]* 1 [1-9]' "$plan" || complain "no phase one-thread"
grep -q '^phase four-threads [1-9][0-9]* 4 [1-9]' "$plan" || complain "not four tasks"
grep -q '^file 0 25165824 exact' "$plan" || complain "not the file's size"
# its random touches are faults on single pages, each known
[ "$(sed -n '/^phase random-touch$/,/^phase pread/p' "$plan" | grep -c ' touch ')" -ge 16 ] ||
	complain "not 16 random touches"
# 24 reads of 1 MiB, each one access
[ "$(grep -c ' read 0 [0-9]* 1048576$' "$plan")" = 24 ] || complain "not 24 reads of 1 MiB"
grep -qE 'piece-|testfile|mnt' "$plan" && complain "the plan has names"
expect 0 bin/replay-plan --access traces/example/base-1/trace.dat && cmp -s "$work/out" "$plan" &&
	complain "a bare trace knows the size of its file"
says "file 0 25165824 least"

echo "what does not go with a plan"
expect 1 bin/boot-and-trace --replay "$plan" --set file_size=1M &&
	says "a replay's files have the plan's sizes"
expect 1 bin/boot-and-trace --replay "$plan" --sweep file_size:1M,2M &&
	says "a replay's files have the plan's sizes"
expect 1 bin/boot-and-trace --replay "$plan" --program /bin/true && says "one of them is what runs"
expect 1 bin/boot-and-trace --replay "$plan" --set filesystem=none
expect 1 bin/boot-and-trace --replay /dev/null && says "expected a plan in a file"
expect 0 bin/replay-plan --block traces/example/base-1 -o "$work/block"
expect 1 bin/boot-and-trace --replay "$work/block" --set filesystem=xfs &&
	says "is replayed to a disk with filesystem = none, found 'xfs'"
expect 1 bin/boot-and-trace --replay "$work/block" --set file_size=1M &&
	says "a replay's files have the plan's sizes"
{ cat "$plan" "$plan"; } >"$work/two"
expect 1 bin/boot-and-trace --replay "$work/two" && says "expected the file's end after \"end\""

echo "a plan whose events do not fit into the trace is replayed after a warning"
expect 1 bin/boot-and-trace --replay "$plan" --set trace_buffer=64K --run a/b &&
	says "warning: the events of this plan need about"
says "of trace for each CPU, and trace_buffer is 64 KiB: events will be lost"
expect 1 bin/boot-and-trace --replay "$plan" --run a/b
grep -q warning "$work/out" "$work/err" 2>/dev/null && complain "a warning without need"

echo "fio's iolog and strace's text"
printf 'fio version 3 iolog\n10 /tmp/secret read 0 4096\n20 /tmp/secret read 4096 4096\n' >"$work/iolog"
expect 0 bin/replay-plan --access "$work/iolog" && says "20000 0 read 0 4096 4096" &&
	says "file 0 8192 least 0:0 0"
grep -q secret "$work/out" && complain "the plan has a path"
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	head -c 300000 /dev/zero >"$work/data"
	strace -ttt -f -o "$work/strace" sh -c "cat '$work/data'; head -c 10000 '$work/data'" \
		>/dev/null
	expect 0 bin/replay-plan "$work/strace"
	# cat read all of it in order, head its start, in two tasks
	grep -q '^file [0-9]* 300000 least' "$work/out" || complain "the file of 300000 bytes is not there"
	file=$(sed -n 's/^file \([0-9]*\) 300000 least.*/\1/p' "$work/out")
	[ "$(awk -v f="$file" '$3 == "read" && $4 == f { print $2 }' "$work/out" | sort -u | wc -l)" = 2 ] ||
		complain "not two tasks read it"
	# the first of them: each read begins where the one before ended
	awk -v f="$file" '$3 == "read" && $4 == f { if (t == "") t = $2; if ($2 == t) {
		if ($5 != end) exit 1; end = $5 + $6 } } END { exit end < 300000 }' "$work/out" ||
		complain "the first task's reads do not follow one another"
	grep -q "$work" "$work/out" && complain "the plan has a path"
fi

echo "exit status"
expect 1 bin/replay-plan && says "no trace is named"
expect 1 bin/replay-plan --acess x && says "did you mean --access"
expect 1 bin/replay-plan a b && says "second trace"
expect 1 bin/replay-plan x -o && says "needs a value"
expect 2 bin/replay-plan "$work/none" && says "none"
: >"$work/empty"
expect 2 bin/replay-plan "$work/empty" && says "empty"
head -c 100000 traces/example/base-1/trace.dat >"$work/cut.dat"
expect 2 bin/replay-plan "$work/cut.dat" -o "$work/cut.plan" && says "cut.dat: at byte"
[ -e "$work/cut.plan" ] && complain "a plan of a damaged trace"
expect 2 bin/replay-plan traces/example && says "has 2 captures: name one"
expect 3 bin/replay-plan --access traces/example/base-1/virtio-blk.blktrace.0 &&
	says "block requests only"
expect 4 bin/replay-plan traces/example/base-1 -o "$work/no/such" && says "no/such"
expect 4 sh -c 'bin/replay-plan traces/example/base-1 >/dev/full' && says "standard output"
ls "$work" | grep -q 'plan\.' && complain "left behind: $(ls "$work")"

exit $bad
