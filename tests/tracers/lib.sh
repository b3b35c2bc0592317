# SPDX-License-Identifier: GPL-2.0-only
# Real traces: a guest in which trace-cmd and blktrace record, and what they left on this side.
# Sourced after tests/lib.sh.

# root_with PROGRAM...: a root file system in $work/root with busybox, these programs of this
# machine, their libraries, and guest.sh as /init
root_with() {
	root=$work/root
	mkdir -p "$root/bin" "$root/sbin" "$root/usr/bin" "$root/usr/sbin" "$root/lib64"
	cp "$(command -v busybox)" "$root/bin/busybox"
	cp tests/tracers/guest.sh "$root/init"
	for program in "$@"; do
		path=$(PATH=$PATH:/usr/sbin:/sbin command -v "$program")
		cp "$path" "$root/usr/bin/"
		ldd "$path" | sed -n 's/.*[[:blank:]]\(\/[^ ]*\) (0x.*/\1/p' | while read -r lib; do
			mkdir -p "$root${lib%/*}"
			cp -L "$lib" "$root$lib"
		done
	done
	# glibc opens it when a thread ends early
	gcc_s=$(ldconfig -p | sed -n 's/.*libgcc_s.so.1 (libc6,x86-64) => //p')
	mkdir -p "$root${gcc_s%/*}"
	cp -L "$gcc_s" "$root$gcc_s"
}

# pack_root: $work/initrd
pack_root() {
	(cd "$work/root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initrd"
}

# make_disks: the guest's file system with an 8 MiB file, and the one that takes the results
make_disks() {
	mkdir -p "$work/files"
	head -c 8388608 /dev/urandom >"$work/files/file"
	mke2fs -q -F -t ext4 -d "$work/files" "$work/test.img" 24m &&
		mke2fs -q -F -t ext4 "$work/out.img" 200m
}

# record_in_guest QEMU...: boots; the results are in $work/out.img's copy, $work/rec
record_in_guest() {
	timeout "${tracers_timeout:-500}" "$@" -smp 2 -display none -no-reboot -nodefaults -initrd "$work/initrd" \
		-drive "file=$work/test.img,format=raw,if=virtio" \
		-drive "file=$work/out.img,format=raw,if=virtio" </dev/null >"$work/console" 2>&1
	grep -q "TRACERS: done" "$work/console" || {
		complain "the guest did not finish"
		tail -n 30 "$work/console"
		return 1
	}
	rm -rf "$work/rec"
	mkdir "$work/rec"
	debugfs -R "rdump / $work/rec" "$work/out.img" 2>/dev/null
	[ -s "$work/rec/v6.dat" ] || {
		complain "trace-cmd left no trace in the guest"
		tail -n 30 "$work/rec/log"
		return 1
	}
	[ ! -s "$work/rec/failed" ] || {
		complain "in the guest these failed:" $(cat "$work/rec/failed")
		tail -n 30 "$work/rec/log"
	}
}

# tracers_kernel: $image, a kernel of our own with all that tracers need; built if there is none
tracers_kernel() {
	images=${XDG_CACHE_HOME:-$HOME/.cache}/blkproof/images
	find_image && return
	printf '[experiment]\nfile_size = 8M\nmemory = 512M\n[kernel base]\n%s\n%s\n' \
		'config = net ceph rootfs filesystems tracing' \
		'[phase a]
pattern = piece-copy
piece = 1M' >"$work/tracers.ini"
	bin/boot-and-trace --accel tcg --traces "$traces" --experiment "$work/tracers.ini" \
		>"$work/out" 2>&1 || tail -n 5 "$work/out"
	find_image || complain "no kernel with CONFIG_BLK_DEV_IO_TRACE in $images"
	[ "$bad" = 0 ]
}

find_image() {
	for meta in "$images"/*/meta.json; do
		grep -q '"patches": \[\]' "$meta" && grep -qx 'CONFIG_BLK_DEV_IO_TRACE=y' \
			"${meta%/*}/config" && image=${meta%/*}/bzImage && return
	done
	return 1
}
