#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs groups of tests: tests/run.sh check|vm|long...
#
# check: unit tests (build/unit/*) and tests/check/*.sh, neither needs a VM;
# vm: tests/vm/*.sh; long: tests/long/*.sh.  A script ends with 0 (passed), 77 (skipped, its
# last line says why) or anything else.  With BLKPROOF_NO_SKIP set a skip is a failure,
# but for what tests/skip-allowed names.  The output of what failed is shown.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/groups.sh

passed=0 failed=0 skipped=0 failures=
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

run_one() {
	name=$1
	start=$(date +%s)
	"$name" >"$log" 2>&1 </dev/null
	status=$?
	took=$(($(date +%s) - start))
	last=$(tail -n 1 "$log")
	# cmocka ends with 0 however many of its tests were skipped
	if [ $status = 0 ] && grep -q 'SKIPPED TEST(S)' "$log"; then
		last=$(grep -m 1 '^skipped: ' "$log")
		if [ -n "${BLKPROOF_NO_SKIP:-}" ] || grep -q 'PASSED  \] 0 test' "$log"; then
			status=77
		fi
	fi
	case $status in
	0)
		passed=$((passed + 1))
		echo "ok    $name (${took} s)"
		return
		;;
	77)
		if [ -z "${BLKPROOF_NO_SKIP:-}" ] || skip_allowed "$name"; then
			skipped=$((skipped + 1))
			echo "skip  $name: $last"
			return
		fi
		;;
	esac
	failed=$((failed + 1))
	failures="$failures $name"
	echo "FAIL  $name (status $status, ${took} s)"
	sed 's/^/      | /' "$log" | tail -n 60
}

for group in "$@"; do
	for t in $(tests_of "$group"); do
		run_one "$t"
	done
done

[ -z "$failures" ] || echo "failed:$failures"
echo "$passed passed, $failed failed, $skipped skipped"
# Nothing run is no success
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
