#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs the Debian packages that are missing: host/deps.sh SET..., where a set is run, test,
# machines, plot, browser, or what only one of the file systems needs.
# Nothing is asked of the network when nothing is missing.
set -eu

run='build-essential pkg-config libtraceevent-dev libtracefs-dev libjansson-dev libinih-dev
libzstd-dev zlib1g-dev libext2fs-dev libssl-dev liburing-dev e2fsprogs qemu-system-x86 git patch
bc bison flex libelf-dev xz-utils debian-archive-keyring ccache rsync'
xfs='xfsprogs'
btrfs='btrfs-progs'
f2fs='f2fs-tools'
test='libcmocka-dev trace-cmd blktrace fio strace clang libclang-rt-14-dev man-db time util-linux
busybox-static python3'
# for traces of other machines (tests/long)
machines='qemu-system-misc qemu-system-ppc kmod'
# experiments with a root file system
rootfs='mmdebstrap fakeroot uidmap'
# ... that is on NFS
nfs='nfs-ganesha nfs-ganesha-vfs util-linux'

# arm64 guests: QEMU and the cross compiler; the agent's libraries are host/sysroot.sh's
arm64='qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross'

# what bin/plot draws with, and writes in
plot='libcairo2-dev libpango1.0-dev fonts-dejavu-core'
# for the test of its page
browser='chromium chromium-driver curl'
# filesystem = ceph: bin/boot-and-trace --needs says which experiment needs which set
ceph='ceph-mon ceph-osd ceph-mds ceph-common'

wanted=
for set in "$@"; do
	case $set in
	run) wanted="$wanted $run" ;;
	test) wanted="$wanted $test" ;;
	machines) wanted="$wanted $machines" ;;
	ceph) wanted="$wanted $ceph" ;;
	plot) wanted="$wanted $plot" ;;
	browser) wanted="$wanted $browser" ;;
	xfs) wanted="$wanted $xfs" ;;
	btrfs) wanted="$wanted $btrfs" ;;
	f2fs) wanted="$wanted $f2fs" ;;
	rootfs) wanted="$wanted $rootfs" ;;
	nfs) wanted="$wanted $nfs" ;;
	arm64) wanted="$wanted $arm64" ;;
	*)
		echo "deps.sh: unknown set '$set': expected run, test, machines, plot, browser," \
			"xfs, btrfs, f2fs, rootfs, nfs, ceph, arm64" >&2
		exit 1
		;;
	esac
done

if ! command -v dpkg-query >/dev/null; then
	echo "deps.sh: this is no Debian; install what these Debian packages hold:" >&2
	echo $wanted >&2
	exit 0 # the build says what it misses
fi

missing=
for package in $wanted; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
	[ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	sudo=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	sudo='sudo -n'
elif command -v sudo >/dev/null && [ -t 0 ]; then
	sudo=sudo
else
	echo "deps.sh: packages are missing and you are not root; install them with" >&2
	echo "    apt-get install$missing" >&2
	exit 1
fi
echo "installing$missing"
# A new machine may have no package lists at all, or old ones: then fetch them and try again
install="$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! $install $missing >"$log" 2>&1; then
	$sudo apt-get update -q >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
	$install $missing >"$log" 2>&1 || {
		tail -20 "$log" >&2
		echo "deps.sh: apt-get could not install$missing" >&2
		exit 1
	}
fi
