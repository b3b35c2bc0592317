#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every row of boot-and-trace's exit status table that needs a guest: the right status, the
# right words, and nothing left behind.  The verdicts that a guest's trouble must lead to, too.
. tests/vm/lib.sh
need qemu-system-x86_64

run() {
	bin/boot-and-trace --accel tcg --traces "$traces" "$@"
}

echo "panic"
expect 6 run --experiment "$(fail_experiment panic)" &&
	says "panicked in phase bad" && says "sysrq"
nothing_left

echo "crash"
expect 7 run --experiment "$(fail_experiment crash)" && says "signal 11"
nothing_left

echo "error"
expect 7 run --experiment "$(fail_experiment error)" &&
	says "self test: the step fails" && says "Input/output error"
nothing_left

echo "hang"
expect 8 run --experiment "$(fail_experiment hang 'timeout_s = 5')" &&
	says "hung in phase bad" && says "5 s"
nothing_left

echo "corrupted data: data-intact fails, on that phase alone"
expect 0 run --run bad-data --experiment "$(fail_experiment bad-data)"
expect 1 bin/verify --check data-intact "$traces/bad-data" && says "FAIL data-intact"
expect 0 bin/verify --check cold-cache "$traces/bad-data"

echo "a warm cache: inconclusive, never a pass"
expect 0 run --run warm-cache --experiment "$(fail_experiment warm-cache)"
expect 3 bin/verify --check cold-cache "$traces/warm-cache" && says "the cache was not cold"
expect 125 bin/verify --bisect --check cold-cache "$traces/warm-cache"

echo "lost events: what spans the hole is inconclusive"
expect 0 run --run lost --experiment "$(fail_experiment lost-events)"
expect 3 bin/verify --check trace-complete "$traces/lost" && says "events lost"
expect 3 bin/verify --check no-readahead-past-eof "$traces/lost"

exit $bad
