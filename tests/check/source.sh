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
for f in $files; do
	head -n 2 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' ||
		complain "$f: no SPDX line"
	# a string that a user may search for is not broken, as in the kernel
	long=$(expand -t 8 "$f" | awk 'length($0) > 100 && !/"/ { print NR; exit }')
	[ -z "$long" ] || complain "$f:$long: more than 100 columns"
	grep -nE '[[:space:]]+$' "$f" | sed "s|^|$f:|" | head -n 1 | grep . && bad=1
done

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
