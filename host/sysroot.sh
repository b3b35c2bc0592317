#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The libraries that another architecture's agent is linked with, from the machine's own Debian
# mirror, unpacked into the cache: host/sysroot.sh ARCH prints where, with ARCH in Debian's words.
# Neither dpkg nor apt of the machine learns of them: apt runs with lists and a state of its own,
# as host/source_debian.c does it.  It verifies the suite by the Debian archive keyring, the lists
# by the suite, and the packages by the lists.
# Nothing is asked of the network when they are there.
set -eu

packages='libtracefs-dev libtraceevent-dev libjansson-dev libinih-dev liburing-dev'
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

fail() {
	echo "sysroot.sh: $*" >&2
	exit 1
}

[ $# = 1 ] || fail "usage: sysroot.sh ARCH"
arch=$1
# of the suite that the cross compiler and its libc are of
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
[ -n "$suite" ] || fail "/etc/os-release names no suite of Debian's (VERSION_CODENAME)"
case ${XDG_CACHE_HOME:-} in
/*) cache=$XDG_CACHE_HOME/blkproof ;;
*) cache=${HOME:?no place for the cache: set HOME or XDG_CACHE_HOME}/.cache/blkproof ;;
esac
# another list of packages is another directory
list=$(printf '%s' "$packages" | cksum)
root=$cache/sysroots/$arch-$suite-${list%% *}
if [ -d "$root" ]; then
	echo "$root"
	exit 0
fi

mirror=$(apt-get indextargets --format '$(SITE)|$(CODENAME)|$(ORIGIN)' |
	sed -n "s/|$suite|Debian\$//p;s/|$suite|\$//p" | sed '/security/d;1q')
[ -n "$mirror" ] || fail "apt knows no Debian mirror with $suite on this machine"
[ -r "$keyring" ] || fail "$keyring is missing (package debian-archive-keyring)"

mkdir -p "$cache/sysroots"
work=$(mktemp -d "$cache/sysroots/.new.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/root"
echo "deb [signed-by=$keyring] $mirror $suite main" >"$work/sources.list"
: >"$work/status"

# run COMMAND...: apt's own tools with a configuration of our own
run() {
	"$@" -q -oAPT::Architecture="$arch" -oAPT::Architectures="$arch" \
		-oDir::Etc::sourcelist="$work/sources.list" -oDir::Etc::sourceparts=- \
		-oDir::State::Lists="$work/lists" -oDir::State::status="$work/status" \
		-oDir::Cache::archives="$work/archives" -oDir::Cache::pkgcache= \
		-oDir::Cache::srcpkgcache= -oAcquire::Languages=none -oAPT::Sandbox::User= \
		-oAPT::Get::AllowUnauthenticated=false -oAcquire::AllowInsecureRepositories=false \
		-oAPT::Update::Error-Mode=any >"$work/log" 2>&1 || {
		tail -n 5 "$work/log" >&2
		fail "apt-get cannot fetch the $arch libraries of the agent"
	}
}

echo "fetching the $arch libraries of the agent" >&2
run apt-get update
# a clean word splitting: the list is ours
cd "$work/archives"
run apt-get download $packages
for deb in ./*.deb; do
	dpkg-deb -x "$deb" "$work/root"
done
# who was faster has the same
mv -T "$work/root" "$root" 2>/dev/null || [ -d "$root" ] || fail "$root cannot be made"
echo "$root"
