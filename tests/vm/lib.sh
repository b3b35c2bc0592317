# SPDX-License-Identifier: GPL-2.0-only
# For the tests that boot guests: a place to work in, experiments that fail on purpose, and
# comparisons that say what they found.  Sourced, with the project's root as directory.
set -u

work=$(mktemp -d)
traces=$work/traces
mkdir "$traces"
bad=0

clean_up() {
	status=$?
	rm -rf "$work"
	exit $status
}
trap clean_up EXIT
trap 'exit 130' INT TERM

need() {
	for program in "$@"; do
		command -v "$program" >/dev/null || {
			echo "needs $program"
			exit 77
		}
	done
}

complain() {
	echo "WRONG: $*"
	bad=1
}

# expect STATUS COMMAND...: runs it, output to $work/out; the status must be that one
expect() {
	wanted=$1
	shift
	"$@" >"$work/out" 2>&1
	got=$?
	[ $got = "$wanted" ] && return 0
	complain "status $got instead of $wanted from: $*"
	tail -n 30 "$work/out"
	return 1
}

# says WORDS: the last command's output has them, whatever its line breaks
says() {
	tr -s ' \n' '  ' <"$work/out" | grep -qF -- "$1" && return 0
	complain "the output does not say \"$1\":"
	tail -n 30 "$work/out"
	return 1
}

# fail_experiment MODE [KEY=VALUE...]: one kernel, one phase of the pattern "fail"
fail_experiment() {
	mode=$1
	shift
	{
		printf '[experiment]\nsummary = self test\nfile_size = 32M\nread_ahead_kb = 1024\n'
		printf 'memory = 512M\n\n[kernel base]\n\n'
		printf '[phase good]\npattern = piece-copy\npiece = 1M\n'
		printf '\n[phase bad]\npattern = fail\nmode = %s\npiece = 1M\n' "$mode"
		for line in "$@"; do
			echo "$line"
		done
	} >"$work/$mode.ini"
	echo "$work/$mode.ini"
}

# Nothing of a run may be left behind: no directory, no QEMU of ours
nothing_left() {
	left=$(ls -A "$traces")
	[ -z "$left" ] || complain "left in the traces directory: $left"
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/exe" 2>/dev/null)" = "$(command -v qemu-system-x86_64)" ] &&
			tr '\0' ' ' <"$p/cmdline" | grep -qF "$work" &&
			complain "a QEMU of this test still runs: ${p#/proc/}"
	done
}
