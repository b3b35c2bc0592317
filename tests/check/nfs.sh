#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A root file system on NFS needs the machine's own root: who is not hears it at once.
. tests/lib.sh
need qemu-system-x86_64 unshare
unshare -r true 2>/dev/null || {
	echo "needs user namespaces"
	exit 77
}

refused() {
	expect 2 unshare -r bin/boot-and-trace --traces "$work" \
		--experiment experiments/mmap-readahead-nfs.ini &&
		says "root = nfs needs a root that may do so: its NFS server opens files by handle"
	says "or set root = virtio-blk"
	[ -z "$(ls -A "$work" | grep -v '^out$')" ] || complain "left: $(ls -A "$work")"
}

echo "root of a user namespace is not root"
refused

echo "--needs lists what it takes"
expect 0 bin/boot-and-trace --experiment experiments/mmap-readahead-nfs.ini --needs
[ "$(cat "$work/out")" = 'rootfs
nfs' ] || complain "needs: $(cat "$work/out")"
expect 0 bin/boot-and-trace --experiment experiments/mmap-readahead.ini --needs
[ "$(cat "$work/out")" = rootfs ] || complain "needs: $(cat "$work/out")"
expect 0 bin/boot-and-trace --experiment experiments/piece-copy.ini --needs
[ -z "$(cat "$work/out")" ] || complain "needs: $(cat "$work/out")"
exit $bad
