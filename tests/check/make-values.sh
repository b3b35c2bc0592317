#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a user gives a variable of `make boot-and-trace` reaches the program as it is,
# and an installed program's page has the program's name.
set -eu
# those of the make that runs the tests
unset MAKEFLAGS MFLAGS MAKELEVEL || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

for value in plain 'it'\''s "b"; c\d * `e` & (f)'; do
	make -n boot-and-trace PATCH="$value" RUN="$value" >"$work/all" 2>/dev/null
	grep '^bin/boot-and-trace' "$work/all" >"$work/line" || echo false >"$work/line"
	sed -i 's,^bin/boot-and-trace,printf "%s\\n",' "$work/line"
	printf '%s\n' --patch "$value" --run "$value" >"$work/expected"
	sh "$work/line" >"$work/got" 2>&1 || true
	cmp -s "$work/expected" "$work/got" || {
		echo "the value <$value> arrives as:"
		cat "$work/got"
		bad=1
	}
done

make -n install DESTDIR="$work/inst" >"$work/install"
sed -n '/^for m in /,$p' "$work/install" >"$work/man"
sh "$work/man"
for page in man1/blkproof-verify.1 man1/blkproof-boot-and-trace.1 \
	man1/blkproof-replay-plan.1 man5/blkproof-run.5; do
	[ -f "$work/inst/usr/local/share/man/$page" ] || {
		echo "make install does not install $page"
		bad=1
	}
done
exit $bad
