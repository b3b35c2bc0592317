#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# verify's KTAP against the kernel's own parser, tools/testing/kunit/kunit_parser.py, of the newest
# kernel source in the cache: no error, and as many tests of each kind as the output has.
. tests/lib.sh
need python3

for tree in "${XDG_CACHE_HOME:-$HOME/.cache}"/blkproof/sources/*/tree; do
	kunit=$tree/tools/testing/kunit
done
[ -f "$kunit/kunit_parser.py" ] || {
	echo "needs a kernel source in the cache: make refresh-source"
	exit 77
}
cat >"$work/parse.py" <<'PYTHON'
import io, sys
import kunit_parser
from kunit_printer import Printer

out = io.StringIO()
with open(sys.argv[1]) as f:
    test = kunit_parser.parse_run_tests(kunit_parser.extract_tap_lines(f), Printer(output=out))
c = test.counts
print(c.passed, c.failed, c.skipped, c.errors + c.crashed)
for line in out.getvalue().splitlines():
    if "ERROR" in line:
        print(line)
PYTHON

# parses FILE: the leaves that the parser counts are those that the file has
parses() {
	# the deepest lines: those above them are their sums
	want=$(awk '
		function deep() {
			match($0, /^ */)
			max = RLENGTH > max ? RLENGTH : max
			return RLENGTH
		}
		BEGIN { max = 0 }
		/^ *(not )?ok [0-9].*# SKIP/ { n["skip", deep()]++; next }
		/^ *ok [0-9]/ { n["ok", deep()]++ }
		/^ *not ok [0-9]/ { n["bad", deep()]++ }
		END { print n["ok", max] + 0, n["bad", max] + 0, n["skip", max] + 0, 0 }' "$1")
	got=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$kunit python3 "$work/parse.py" "$1")
	echo "${1##*/}: passed, failed, skipped, errors: $got"
	[ "$got" = "$want" ] || complain "$1: the kernel's parser counts $got, there are $want"
}

for file in tests/golden/*.ktap; do
	parses "$file"
done
bin/verify --format ktap traces/example >"$work/example.ktap" || complain "traces/example"
bin/verify --format ktap traces/example/base-1/trace.dat >"$work/trace.ktap" 2>"$work/err"
bin/verify --format ktap "$work/parse.py" >"$work/no-trace.ktap" 2>"$work/err"
for file in "$work"/*.ktap; do
	parses "$file"
done

# The comparison must be able to see something
sed 's/^\( *\)ok 2 /\1ok 7 /' "$work/example.ktap" >"$work/wrong"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$kunit python3 "$work/parse.py" "$work/wrong" | grep ERROR >/dev/null ||
	complain "the kernel's parser finds nothing wrong with a number that is"
exit $bad
