#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A Debian system that two kernels boot with its root on NFS, and what must not be left of it.
. tests/vm/lib.sh
need qemu-system-x86_64
need ganesha.nfsd
[ "$(id -u)" = 0 ] || {
	echo "needs root, for the NFS server"
	exit 77
}

# B and C of the shipped experiment stay away
awk '/^\[/ { keep = !/^\[(kernel [BC]|limits|expect)/ } keep' experiments/mmap-readahead-nfs.ini |
	sed 's/ major-faults-not-above io-count-not-above miss-ratio-near//' >"$work/nfs.ini"
states='/run/ganesha /var/lib/nfs/ganesha /mnt/ganesha.conf'
before=$(ls -d $states 2>/dev/null)
expect 0 bin/boot-and-trace --traces "$traces" --run nfs --experiment "$work/nfs.ini" || exit 1
run=$traces/nfs

echo "verify's verdict"
expect 0 bin/verify "$run"
cp "$work/out" "$work/report"
for line in 'root file system: NFSv4.1 from nfs-ganesha [0-9.]+, over TCP' \
	'^  pgmajfault +[0-9.]+ +[0-9.]+$' '^  mmap IO count +[0-9.]+ +[0-9.]+$' \
	'^  NFS READ calls +[0-9.]+ +[0-9.]+$' '^  NFS READ size, KiB +[0-9.]+ +[0-9.]+$'; do
	grep -qE "$line" "$work/report" || complain "the report has no line '$line'"
done

echo "the client asked the server for what a Debian system reads"
python3 - "$run" <<'END' || bad=1
import json, sys

run = sys.argv[1]
bad = 0
for kernel in "A", "today":
    for phase in json.load(open(f"{run}/{kernel}-1/capture.json"))["phases"]:
        nfs = phase["nfs"]
        print(kernel, phase["name"], nfs)
        if nfs["read_calls"] < 100 or nfs["read_bytes"] < 5 << 20:
            print(f"{kernel} {phase['name']}: a Debian system reads more than that")
            bad = 1
        if phase["device"]["major"] != 0:
            print(f"{kernel} {phase['name']}: the root is on a disk")
            bad = 1
sys.exit(bad)
END
for kernel in A today; do
	grep -q 'blkproof login: ' "$run/$kernel-1/console.log" ||
		complain "$kernel: no login prompt on the console"
	grep -qE 'FAILED|Remote I/O error' "$run/$kernel-1/console.log" &&
		complain "$kernel: a service of the booted system failed"
done

# Servers of runs below $work, by their mounts
servers() {
	for p in /proc/[0-9]*; do
		case $(readlink "$p/exe" 2>/dev/null) in
		*/ganesha.nfsd) grep -qF "$work" "$p/mountinfo" && echo "${p#/proc/}" ;;
		esac
	done
}

nothing_left_of_nfs() {
	[ -z "$(servers)" ] || complain "an NFS server still runs: $(servers)"
	[ "$before" = "$(ls -d $states 2>/dev/null)" ] ||
		complain "left: $(ls -d $states 2>/dev/null)"
	grep -qF "$work" /proc/self/mountinfo && complain "left: a mount below $work"
}

echo "nothing is left of the server"
nothing_left_of_nfs
rm -rf "$run"

# ended SIGNAL WHO STATUS: a signal to "us" or to the "server" in the middle of a boot
ended() {
	bin/boot-and-trace --traces "$traces" --run ended --experiment "$work/nfs.ini" \
		>"$work/out" 2>&1 &
	pid=$!
	server=
	while kill -0 "$pid" 2>/dev/null && [ -z "$server" ]; do
		sleep 1
		grep -q 'phase 1 of' "$work/out" && server=$(servers)
	done
	[ -n "$server" ] || complain "no NFS server was seen"
	case $2 in
	us) kill "-$1" "$pid" ;;
	server) kill "-$1" $server ;;
	esac
	wait "$pid"
	got=$?
	[ "$got" = "$3" ] || complain "status $got instead of $3 after SIG$1 to $2"
	nothing_left
	nothing_left_of_nfs
}

echo "a server that dies in the middle of a boot"
ended KILL server 10
says 'the NFS server ended with killed by SIGKILL'

echo "an interrupted boot"
ended INT us 130

[ "$bad" = 0 ] || cat "$work/report"
exit $bad
