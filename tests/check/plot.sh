#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bin/plot: each format of the example run, what it refuses, and its man page against --help.
. tests/lib.sh

command -v pkg-config >/dev/null && pkg-config --exists pangocairo || {
	echo "needs pango and cairo (make deps-plot)"
	exit 77
}

for kind in svg png html; do
	expect 0 bin/plot traces/example -o "$work/a.$kind"
	size=$(wc -c <"$work/a.$kind")
	[ "$size" -gt 10000 ] && [ "$size" -lt 2000000 ] || complain "a.$kind has $size bytes"
done
# the same input gives the same picture
expect 0 bin/plot traces/example -o "$work/b.png"
cmp "$work/a.png" "$work/b.png" || complain "two pictures of one run differ"
# PNG: IHDR says how wide
[ "$(od -An -tu1 -j16 -N4 "$work/a.png" | tr -d ' ')" = 003232 ] || complain "not 1000 pixels wide"
head -c 100 "$work/a.svg" | grep -q '<?xml' || complain "a.svg is no XML"
grep -qE '(src|href)="?(https?:)?//' "$work/a.html" && complain "the page refers to the network"
grep -q "default-src 'none'" "$work/a.html" || complain "the page may load things"
# a colour of each cause that the run has
grep -q '"colour":"#d55e00"' "$work/a.html" || complain "no colour for read-around"

expect 0 bin/plot traces/example --phase one-thread -o "$work/one.svg"
[ "$(wc -c <"$work/one.svg")" -lt "$(wc -c <"$work/a.svg")" ] || complain "--phase draws them all"
expect 0 bin/plot traces/example/base-1 -o "$work/capture.png"
expect 0 bin/plot traces/example/base-1/trace.dat -o "$work/trace.html"
# block requests alone: histograms, and panels that say that there is nothing
expect 0 bin/plot traces/example/base-1/virtio-blk.blktrace.0 -o "$work/blk.png"

expect 2 bin/plot traces/example
says "-o FILE.svg"
expect 2 bin/plot traces/example -o "$work/a.jpeg"
says "ends in .svg, .png or .html"
expect 2 bin/plot traces/none -o "$work/a.svg"
says "traces/none"
expect 2 bin/plot traces/example --phase one-threat -o "$work/c.svg"
says "did you mean 'one-thread'"
expect 2 bin/plot traces/example --repeat 2 -o "$work/c.svg"
says "no repeat 2"
expect 2 bin/plot traces/example --frobnicate -o "$work/c.svg"
expect 2 bin/plot traces/example -o "$work/no/such/directory.svg"
[ ! -e "$work/c.svg" ] || complain "a failed plot leaves a file"
cp -r traces/example "$work/run"
head -c 50000 traces/example/base-1/trace.dat >"$work/run/base-1/trace.dat"
expect 2 bin/plot "$work/run/base-1/trace.dat" -o "$work/c.png"
expect 2 bin/plot --partial "$work/run/base-1/trace.dat" -o "$work/c.png"
says "there is no event in it"
expect 0 bin/plot --partial traces/example/base-1/trace.dat -o "$work/d.png"

bin/plot --help | sed -n 's/^  .*--\([a-z]*\).*/\1/p' | sort >"$work/help"
sed -n 's/^\.It Fl.* Fl Fl \([a-z]*\).*/\1/p; s/^\.It Fl Fl \([a-z]*\).*/\1/p' docs/plot.1 | sort >"$work/man"
diff "$work/help" "$work/man" || complain "docs/plot.1 and --help differ"
[ "$(wc -l <"$work/help")" -ge 6 ] || complain "--help lists hardly anything"
exit $bad
