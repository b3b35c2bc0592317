# SPDX-License-Identifier: GPL-2.0-only
# For the tests that boot guests: experiments that fail on purpose, and what must not be left.
# Sourced, with the project's root as directory.
. tests/lib.sh

traces=$work/traces
mkdir "$traces"

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
