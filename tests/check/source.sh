#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every source says its licence in the first line or two, keeps to 100 columns (a tab is 8), and
# every file that a document names exists.
set -u
bad=0

complain() {
	echo "$1"
	bad=1
}

files=$(git ls-files -- '*.c' '*.h' '*.sh' Makefile 2>/dev/null)
[ -n "$files" ] || files=$(find lib guest host verify tests -name '*.[ch]' -o -name '*.sh')
# one awk over all of them: it is a hundred files and more
found=$(awk '
function columns(line,   n, i) {
	n = 0
	for (i = 1; i <= length(line); i++)
		n = substr(line, i, 1) == "\t" ? n + 8 - n % 8 : n + 1
	return n
}
FNR == 1 { spdx = 0 }
FNR <= 2 && /SPDX-License-Identifier: GPL-2.0-only/ { spdx = 1 }
FNR == 2 && !spdx { print FILENAME ": no SPDX line" }
/[ \t]$/ { print FILENAME ":" FNR ": blank at the end of the line" }
# a string that a user may search for is not broken, as in the kernel
length($0) > 50 && !/"/ && columns($0) > 100 { print FILENAME ":" FNR ": more than 100 columns" }
' $files)
[ -z "$found" ] || complain "$found"

# `path/file` in a document is a promise
rooms='lib|guest|host|verify|tests|docs|experiments|kconfigs|patches'
for doc in README.md CONTRIBUTING.md traces/README.md; do
	[ -f "$doc" ] || complain "$doc is missing"
	paths=$(grep -oE "\`($rooms)/[A-Za-z0-9_./-]*\`" "$doc" 2>/dev/null | tr -d '`' | sort -u)
	for path in $paths; do
		[ -e "$path" ] || complain "$doc names $path, which does not exist"
	done
done

# The check must be able to see something
[ "$(echo "$files" | wc -w)" -gt 10 ] || complain "found no sources to look at"
exit $bad
