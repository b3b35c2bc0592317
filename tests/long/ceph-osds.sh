#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Clusters of other shapes: three OSDs, two copies, bluestore; and ceph-stride at its own size,
# several boots of each kernel.
. tests/vm/lib.sh
need qemu-system-x86_64 ceph-mon ceph-osd ceph-mds ceph

shape() {
	sed -e 's/^file_size = .*/file_size = 32M/' -e 's/^memory = .*/memory = 512M/' \
		-e "s/^osds = .*/osds = $1/" -e "s/^osd_objectstore = .*/osd_objectstore = $2/" \
		-e "s/^osd_replicas = .*/osd_replicas = $3/" \
		-e '/^\[phase hard-16-on-4-lazyio\]/,/^$/d' experiments/ceph-stride.ini \
		>"$work/$1-$2.ini"
	echo "$work/$1-$2.ini"
}

# The verdicts of base and patched are the same whatever the cluster looks like
flips() {
	expect 0 bin/verify "$traces/$1"
	for row in 'osd-bytes-near-requested +FAIL [0-9/]+ expected +PASS' \
		'strided-records-read-ahead +FAIL [0-9/]+ expected +PASS' 'data-intact +PASS'; do
		grep -qE "^ *$row" "$work/out" || complain "$1: no line '$row'"
	done
	[ "$bad" = 0 ] || cat "$work/out"
}

echo "three OSDs on memstore, two copies of each object"
expect 0 make -s boot-and-trace ACCEL=tcg EXPERIMENT="$(shape 3 memstore 2)" RUN=three \
	TRACES="$traces" && flips three && says "3 OSDs on memstore, 2 copies of each object"
osds=$(grep -o '"osd\.[0-9]*":' "$traces/three/base-1/osd.json" | sort -u | wc -l)
[ "$osds" = 3 ] || complain "osd.json has $osds OSDs"

echo "three OSDs on bluestore"
expect 0 make -s boot-and-trace ACCEL=tcg EXPERIMENT="$(shape 3 bluestore 1)" RUN=blue \
	TRACES="$traces" && flips blue && says "3 OSDs on bluestore, 1 copy of each object"

echo "as it is shipped, twice"
expect 0 make -s boot-and-trace EXPERIMENT=ceph-stride REPEAT=2 RUN=shipped TRACES="$traces" &&
	flips shipped

echo "a cluster that does not come up in time: an OSD that never does anything"
mkdir "$work/bin"
printf '#!/bin/sh\ncase " $* " in *" --version "* | *" --mkfs "*) exec %s "$@" ;; esac\nexec sleep 1000\n' \
	"$(command -v ceph-osd)" >"$work/bin/ceph-osd"
chmod +x "$work/bin/ceph-osd"
expect 10 env PATH="$work/bin:$PATH" bin/boot-and-trace --accel tcg --traces "$traces" \
	--experiment "$work/3-memstore.ini" &&
	says "the Ceph cluster is not up; no answer from osd.0, osd.1, osd.2: its metadata server" &&
	says "is in state 'up:creating' after 90 s"
grep -q asok_command "$work/out" && complain "the end of the log is our own questions"

left=$(ls -A "$traces" | sort | tr '\n' ' ')
[ "$left" = "blue shipped three " ] || complain "left in the traces directory: $left"
exit $bad
