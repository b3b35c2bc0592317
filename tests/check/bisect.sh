#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make bisect ends with the program's status, not with make's own 2, which git bisect would take
# for a bad commit; and with one that stops git when nothing can be told of any commit.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL || true
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect() {
	wanted=$1
	shift
	"$@" >"$work/out" 2>&1
	got=$?
	[ $got = "$wanted" ] && return
	echo "status $got instead of $wanted from: $*"
	cat "$work/out"
	bad=1
}

says() {
	grep -qF -- "$1" "$work/out" && return
	echo "the output does not say \"$1\":"
	cat "$work/out"
	bad=1
}

expect 128 make -s bisect KDIR="$work" CHECK=cold-cache && says "is no kernel tree"
expect 128 make -s bisect KDIR="$work" && says "--bisect"
expect 128 make -s bisect KDIR="$work" CHECK=cold-cash && says "cold-cash"
expect 128 make -s bisect CHECK=cold-cache KDIR="$work" EXPERIMENT=none && says "none"
expect 128 make -s bisect CHECK=cold-cache KDIR="$work" REPEAT=x && says "--repeat"
# KDIR is where git bisect runs
(cd "$work" && expect 128 make -s -C "$OLDPWD" bisect CHECK=cold-cache && says "$work is no kernel tree"
	exit $bad) || bad=1
exit $bad
