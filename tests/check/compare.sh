#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# verify --compare on the example run, its captures and their files: status, words, refusals.
. tests/lib.sh

e=traces/example
expect 0 bin/verify --compare $e $e
says "verdicts is the same in A and B"
says "nothing that the inputs tell of"
expect 0 bin/verify --compare $e/base-1 $e/patched-1
says "verdicts of B are better than A's"
expect 1 bin/verify --compare $e/patched-1 $e/base-1
says "Verdicts that are worse in B"
says "no-sync-readaround-per-piece, one-thread, base: PASS in A, FAIL in B"
long=$(expand "$work/out" | awk 'length($0) > 72' | head -n 1)
[ -z "$long" ] || complain "wider than 72 columns: $long"
# files without a capture.json, as from any machine
expect 1 bin/verify --compare $e/patched-1/trace.dat $e/base-1/trace.dat
expect 1 bin/verify --bisect --compare $e/patched-1/trace.dat $e/base-1/trace.dat
expect 1 bin/verify --compare $e/patched-1 $e/base-1/trace.dat
says "read_ahead_kb: 1024 in A, not said in B"
# block requests alone: no check can be decided, which is no success
expect 3 bin/verify --compare $e/base-1/virtio-blk.blktrace.0 $e/patched-1/virtio-blk.blktrace.0
expect 2 bin/verify --compare $e/base-1/virtio-blk.blktrace.0 $e/base-1/trace.dat
says "no phase in common"
expect 125 bin/verify --bisect --compare $e/base-1/virtio-blk.blktrace.0 $e/base-1/trace.dat

expect 0 bin/verify --compare --format json $e/base-1 $e/patched-1
says '"change": "better"'
expect 0 bin/verify --compare --format ktap $e/base-1 $e/patched-1
says "# FAIL in A, PASS in B"
expect 1 bin/verify --compare --format ktap $e/patched-1 $e/base-1
says "not ok"

expect 2 bin/verify --compare $e
says "name two paths, found 1"
expect 2 bin/verify --compare $e $e $e
expect 2 bin/verify --compare --stats $e $e
expect 2 bin/verify --compare $e traces/none
says "traces/none"
exit $bad
