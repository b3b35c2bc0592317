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

echo "nothing is left of the server"
for p in /proc/[0-9]*; do
	case $(readlink "$p/exe" 2>/dev/null) in
	*/ganesha.nfsd) tr '\0' ' ' <"$p/cmdline" | grep -q '/mnt/ganesha.conf' &&
		complain "an NFS server still runs: ${p#/proc/}" ;;
	esac
done
[ "$before" = "$(ls -d $states 2>/dev/null)" ] || complain "left: $(ls -d $states 2>/dev/null)"
grep -q "$work" /proc/self/mountinfo && complain "left: a mount below $work"

[ "$bad" = 0 ] || cat "$work/report"
exit $bad
