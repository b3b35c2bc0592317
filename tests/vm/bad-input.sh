#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What boot-and-trace refuses, and how it says so.  Patches are tried on the real kernel source.
. tests/vm/lib.sh
need qemu-system-x86_64

run() {
	bin/boot-and-trace --accel tcg --traces "$traces" "$@"
}

# patch_of NAME: a patch of mm/readahead.c from stdin's hunk
patch_of() {
	{
		printf 'From: A Developer <dev@example.org>\nSubject: [PATCH] mm: %s\n\n' "$1"
		printf 'A test.\n---\n mm/readahead.c | 1 +\n\n'
		printf 'diff --git a/mm/readahead.c b/mm/readahead.c\n'
		printf -- '--- a/mm/readahead.c\n+++ b/mm/readahead.c\n'
		cat
	} >"$work/$1.patch"
	echo "$work/$1.patch"
}

echo "usage: each before anything is built"
expect 1 run --experiment no-such && says "no-such"
expect 1 run --experimant x && says "--experiment"
expect 1 run --file-size 12Q && says "12Q"
expect 1 run --repeat 0 && says "repeat"
expect 1 run --accel hvf && says "hvf"
expect 1 run --run ../x && says "../x"
expect 9 run --traces /proc/none && says "/proc/none"
printf '[experiment]\nfilesize = 1G\n' >"$work/key.ini"
expect 1 run --experiment "$work/key.ini" && says "key.ini:2: unknown key 'filesize'" &&
	says "file_size"
printf '[kernel base]\n[phase a]\npattern = piece-copy\npiece = 1Q\n' >"$work/size.ini"
expect 1 run --experiment "$work/size.ini" && says "size.ini:4: piece '1Q' is not a size"
printf '[kernel base]\n[phase a]\npattern = piece-copy\n[phase a]\n' >"$work/twice.ini"
expect 1 run --experiment "$work/twice.ini" && says "twice.ini:4: phase 'a' is there twice"
printf '[kernel base]\n[phase a]\npattern = peace-copy\n' >"$work/pattern.ini"
expect 1 run --experiment "$work/pattern.ini" && says "peace-copy" && says "piece-copy"
printf '[kernel base]\n[phase a]\npattern = piece-copy\nchecks = cold-cash\n' >"$work/check.ini"
expect 1 run --experiment "$work/check.ini" && says "cold-cash" && says "cold-cache"

echo "settings, plans and CephFS that do not go together"
expect 1 run --experiment ceph-stride --set filesystem=xfs &&
	says "more than one client needs filesystem = ceph"
expect 1 run --experiment ceph-stride --set osd_replicas=2 &&
	says "osd_replicas is 2, more than osds, which is 1"
expect 1 run --experiment ceph-stride --sweep osd_replicas:1,3 && says "osd_replicas is 3"
expect 1 run --experiment replay && says "needs a plan of accesses: REPLAY=PLAN"
make -s bin/replay-plan && expect 0 bin/replay-plan traces/example/base-1 -o "$work/plan"
expect 1 run --replay "$work/plan" --set filesystem=ceph &&
	says "a plan is not replayed to filesystem = ceph; expected ext4, xfs, btrfs or f2fs"
expect 1 run --replay "$work/plan" --experiment ceph-stride &&
	says "experiment ceph-stride has no phase of the pattern replay-access"
printf '[experiment]\nfilesystem = ceph\n[kernel base]\nconfig = net\n[phase a]\npattern = %s\n' \
	ior-easy-read >"$work/no-client.ini"
expect 1 run --experiment "$work/no-client.ini" &&
	says "kernel base: filesystem = ceph needs 'net ceph' in its config"

echo "make's variables arrive, and one of them twice as bad"
expect 2 make -s boot-and-trace EXPERIMENT=no-such && says "no-such"
expect 2 make -s boot-and-trace FILE_SIZE=1Q && says "1Q"

echo "a patch that is not there, is none, does not apply, does not compile"
expect 1 run --patch "$work/none.patch" && says "none.patch"
echo hello >"$work/hello.patch"
expect 1 run --patch "$work/hello.patch" && says "hello.patch"
expect 3 run --patch "$(patch_of no-apply <<'HUNK'
@@ -20,3 +20,4 @@
 this line is not
 in the file
+a new line
 at all
HUNK
)" && says "mm/readahead.c" && says "hunk"
expect 3 run --patch "$(patch_of no-compile <<'HUNK'
@@ -1,3 +1,4 @@
 // SPDX-License-Identifier: GPL-2.0-only
+int this_does_not_compile = ;
 /*
  * mm/readahead.c - address_space-level file readahead.
HUNK
)" && says "mm/readahead.c:2" && says "error"

echo "and the cache is still good"
expect 0 run --run good --experiment "$(fail_experiment bad-data)" && rm -rf "$traces/good"

echo "a kernel that does not boot"
head -c 100000 /dev/zero >"$work/zero"
expect 1 run --experiment "$(fail_experiment error)" --image base="$work/zero" &&
	says "zero is no bzImage"
sed 's/^\[kernel base\]/&\ncmdline = rdinit=\/none init=\/none/' "$(fail_experiment error)" \
	>"$work/no-boot.ini"
expect 5 run --experiment "$work/no-boot.ini" && says "boot"

echo "a full disk while writing the run"
if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=1M none "$work/small"; then
	expect 9 bin/boot-and-trace --accel tcg --traces "$work/small" \
		--experiment "$(fail_experiment bad-data)" && says "space"
	[ -z "$(ls -A "$work/small")" ] || complain "left behind: $(ls -A "$work/small")"
	umount "$work/small"
fi

echo "no QEMU, not enough memory"
mkdir "$work/bin"
for p in sh env cat ls; do
	ln -s "$(command -v $p)" "$work/bin/$p"
done
expect 2 env PATH="$work/bin" "$PWD/bin/boot-and-trace" --traces "$traces" && says "not found"
printf '[experiment]\nmemory = 1024G\n[kernel base]\n[phase a]\npattern = piece-copy\n' \
	>"$work/memory.ini"
expect 2 run --experiment "$work/memory.ini" && says "memory"

echo "interrupted: nothing is left"
for after in 1 6 12; do
	bin/boot-and-trace --accel tcg --traces "$traces" \
		--experiment "$(fail_experiment hang 'timeout_s = 100')" >"$work/out" 2>&1 &
	pid=$!
	sleep $after
	kill -INT $pid
	wait $pid
	status=$?
	[ $status = 130 ] || complain "status $status after SIGINT: $(cat "$work/out")"
	nothing_left
done

nothing_left
exit $bad
