# SPDX-License-Identifier: GPL-2.0-only
# For tests that are scripts: a place to work in, and comparisons that say what they found.
# Sourced, with the project's root as directory.
set -u

work=$(mktemp -d)
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
