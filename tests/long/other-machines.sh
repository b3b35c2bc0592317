#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Traces that are not of our own kernel: guests with Debian's own kernels and tools, of a
# big-endian machine (s390x), of one with 32-bit longs (i386), and of one with pages of 64 KiB
# (ppc64el).  The packages are kept in the cache.
. tests/lib.sh
. tests/tracers/lib.sh
. tests/tracers/compare.sh
tracers_timeout=1500
host/deps.sh machines || exit 1
need qemu-system-x86_64 qemu-system-s390x qemu-system-ppc64
need trace-cmd blkparse busybox debugfs depmod
cache=${XDG_CACHE_HOME:-$HOME/.cache}/blkproof/machines

# apt_of ARCH COMMAND...: apt's own tools with lists and state of another architecture
apt_of() {
	arch=$1
	dir=$cache/$arch
	shift
	"$@" -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Acquire::Languages=none \
		-o Dir::State::Lists="$dir/lists" -o Dir::State::status="$dir/status" \
		-o Dir::Cache="$dir/apt" -o APT::Sandbox::User=root
}

# fetch ARCH KERNEL: the packages, in $cache/ARCH/*.deb
fetch() {
	mkdir -p "$cache/$1/lists/partial" "$cache/$1/apt/archives/partial"
	: >"$cache/$1/status"
	ls "$cache/$1"/linux-image-*.deb >/dev/null 2>&1 && return
	apt_of "$1" apt-get -q update >"$work/apt" 2>&1 || {
		tail -n 3 "$work/apt"
		return 1
	}
	kernel=$(apt_of "$1" apt-cache depends "$2" | sed -n 's/.*Depends: \(linux-image.*\)/\1/p')
	(cd "$cache/$1" && apt_of "$1" apt-get -q download "$kernel" busybox-static trace-cmd \
		blktrace libtraceevent1 libtracefs1 libzstd1 libc6 libgcc-s1 libaio1) >"$work/apt" 2>&1 || {
		tail -n 3 "$work/apt"
		return 1
	}
	rm -rf "$cache/$1/lists" "$cache/$1/apt"
}

# root_of ARCH: $work/root and $work/kernel from the packages
root_of() {
	rm -rf "$work/root" "$work/deb"
	mkdir -p "$work/root" "$work/deb"
	for deb in "$cache/$1"/*.deb; do
		dpkg-deb -x "$deb" "$work/deb"
	done
	for kernel in "$work/deb"/boot/vmlinu*; do
		version=${kernel##*/vmlinu?-}
	done
	cp "$kernel" "$work/kernel"
	(cd "$work/deb" && cp -a bin lib usr "$work/root/" && rm -rf "$work/root/lib/modules" \
		"$work/root/usr/share" "$work/root/usr/lib/debug") || return
	[ ! -d "$work/deb/lib64" ] || cp -a "$work/deb/lib64" "$work/root/"
	mkdir -p "$work/root/sbin"
	cp tests/tracers/guest.sh "$work/root/init"
	# modules that the guest needs, and those that they need
	depmod -b "$work/deb" "$version"
	for module in virtio_pci virtio_blk ext4 crc32c_generic; do
		PATH=$PATH:/sbin:/usr/sbin modprobe -d "$work/deb" -S "$version" --show-depends "$module"
	done 2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' >"$work/insmod"
	while read -r path; do
		mkdir -p "$work/root/modules.d"
		cp "$path" "$work/root/modules.d/"
		echo "/modules.d/${path##*/}"
	done <"$work/insmod" >"$work/root/modules"
}

# machine ARCH KERNEL FORMAT QEMU...: FORMAT is what verify adds to the name of the format
machine() {
	arch=$1
	kernel_package=$2
	format=$3
	shift 3
	echo "== $arch"
	fetch "$arch" "$kernel_package" || {
		complain "$arch: packages cannot be fetched"
		return
	}
	root_of "$arch" && pack_root && make_disks && record_in_guest "$@" -kernel "$work/kernel" &&
		compare_all "$format"
}

machine s390x linux-image-s390x " big-endian" qemu-system-s390x -M s390-ccw-virtio -m 1G \
	-chardev stdio,id=console -device sclpconsole,chardev=console
machine i386 linux-image-686 " 32-bit" qemu-system-x86_64 -M pc -cpu max -m 1G -serial stdio \
	-append "console=ttyS0 no_timer_check panic=-1 quiet"
machine ppc64el linux-image-powerpc64le "" qemu-system-ppc64 -M pseries -m 2G -serial stdio \
	-append "console=hvc0 panic=-1 quiet"
exit $bad
