#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The Ceph cluster of a run: it comes up, serves the guest, flips the verdicts, and leaves
# nothing behind, whether the run ends by itself, by Ctrl-C, or because a daemon was killed.
# As a user without privileges, too.
. tests/vm/lib.sh
need qemu-system-x86_64 ceph-mon ceph-osd ceph-mds ceph setpriv unshare python3

# PIDs of daemons and QEMUs that were started for a run below directory $1
daemons_below() {
	for p in /proc/[0-9]*; do
		case $(readlink "$p/exe" 2>/dev/null) in
		*/ceph-mon | */ceph-osd | */ceph-mds | */qemu-system-x86_64)
			case $(readlink "$p/cwd" 2>/dev/null)$(tr '\0' ' ' 2>/dev/null <"$p/cmdline") in
			*"$1"*) echo "${p#/proc/}" ;;
			esac
			;;
		esac
	done
}

# Neither a process nor a file nor a socket
no_cluster_left() {
	[ -z "$(daemons_below "$1")" ] || complain "daemons still run: $(daemons_below "$1")"
	[ -z "$(ls -A "$1")" ] || complain "left in $1: $(find "$1" | head -n 5)"
	[ -z "$(ls -A /run/ceph 2>/dev/null)" ] || complain "left in /run/ceph: $(ls -A /run/ceph)"
}

# Waits until a daemon of that name runs for $traces; prints its PID
wait_for_daemon() {
	for i in $(seq 600); do
		for p in $(daemons_below "$traces"); do
			[ "$(readlink "/proc/$p/exe")" = "$(command -v "$1")" ] && echo "$p" && return
		done
		sleep 0.1
	done
}

# Waits until the output of the run, $pid, has these words
wait_for_words() {
	for i in $(seq 600); do
		tr '\r' '\n' <"$work/run.out" | grep -qF "$1" && return
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	complain "the run did not say '$1': $(tail -n 5 "$work/run.out")"
}

# What is small enough for a test of the cluster, with the same kernels
sed -e 's/^file_size = .*/file_size = 16M/' -e 's/^memory = .*/memory = 512M/' \
	-e '/^\[phase hard-16-on-4-lazyio\]/,/^$/d' -e '/^\[phase rnd4K-easy\]/,/^$/d' \
	experiments/ceph-stride.ini >"$work/small.ini"
# one kernel, one phase that takes its time
{
	sed -n '1,/^\[kernel base\]/p' "$work/small.ini"
	printf 'config = net ceph rootfs filesystems tracing\n\n[phase slow]\n'
	printf 'pattern = ior-rnd4K-easy-read\ncount = 100000000\nthreads = 2\n'
} >"$work/slow.ini"

echo "base shows the problem, patched does not; another file size, another cluster"
expect 0 make -s boot-and-trace ACCEL=tcg EXPERIMENT="$work/small.ini" FILE_SIZE=32M RUN=flip \
	TRACES="$traces" V=1 || exit 1
base_image=$(grep -o -m 1 -e '-kernel [^ ]*' "$work/out" | cut -d ' ' -f 2)
[ -z "$(daemons_below "$traces")" ] || complain "daemons still run after the run"
expect 0 bin/verify "$traces/flip"
for row in 'osd-bytes-near-requested +FAIL 2/3 expected +PASS 3/3' \
	'strided-records-read-ahead +FAIL 2/2 expected +PASS 2/2' \
	'trace-complete +PASS 3/3 +PASS 3/3' 'cold-cache +PASS 3/3 +PASS 3/3' \
	'data-intact +PASS 3/3 +PASS 3/3' 'no-readahead-past-eof +PASS 3/3 +PASS 3/3'; do
	grep -qE "^ *$row\$" "$work/out" || complain "no line '$row' in the verdicts"
done
says "strided reads 0"
grep -qE 'ior-hard-read 16 on 4 +(3\.[89]|4\.0)[0-9]* +1\.[2-4]' "$work/out" ||
	complain "no row of OSD bytes as expected: $(grep ior-hard "$work/out")"
[ "$bad" = 0 ] || cat "$work/out"

echo "the table is what osd.json says, by hand"
ratio=$(python3 - "$traces/flip/base-1" <<'PY'
import json, sys
dir = sys.argv[1]
osd = json.load(open(dir + "/osd.json"))["phases"][0]
asked = json.load(open(dir + "/capture.json"))["phases"][0]
assert osd["name"] == asked["name"] and asked["clients"] == 4
sent = sum(osd["after"][o]["osd"]["op_r_out_bytes"] - osd["before"][o]["osd"]["op_r_out_bytes"]
           for o in osd["after"])
print("%.3f" % (sent / asked["bytes_asked"]))
PY
) || complain "osd.json is not what the manual says"
grep -qE "ior-hard-read 16 on 4 +$ratio " "$work/out" ||
	complain "the report does not say $ratio"

echo "a capture without its OSDs' counters, or with those of another phase, is no capture"
cp -r "$traces/flip/base-1" "$work/cut"
rm "$work/cut/osd.json"
expect 2 bin/verify "$work/cut" && says "osd.json"
sed 's/"name":"hard-16-on-4"/"name":"other"/' "$traces/flip/base-1/osd.json" >"$work/cut/osd.json"
expect 2 bin/verify "$work/cut" && says "osd.json"
rm -r "$traces/flip"

echo "records that are larger than the readahead window are not read ahead beyond it"
{
	sed -n '1,/^\[kernel base\]/p' experiments/ceph-stride.ini |
		sed -e '/^\[kernel base\]/d' -e 's/^file_size = .*/file_size = 32M/' \
			-e 's/^memory = .*/memory = 512M/' \
			-e 's/^read_ahead_kb = .*/read_ahead_kb = 128/'
	sed -n '/^\[kernel patched\]/,/^$/p' experiments/ceph-stride.ini
	printf '[phase large]\npattern = ior-hard-read\nthreads = 4\nclients = 2\npiece = 1000000\n'
	printf 'checks = data-intact strided-records-read-ahead\n'
	printf '[expect patched]\nstrided-records-read-ahead = violated\n'
} >"$work/large.ini"
expect 0 make -s boot-and-trace ACCEL=tcg EXPERIMENT="$work/large.ini" RUN=large TRACES="$traces"
expect 0 bin/verify "$traces/large"
grep -qE ' [1-9][0-9]* reads taken' "$work/out" || complain "no read was taken as strided"
expect 0 bin/verify --stats "$traces/large" && says "sync-read"
grep -q '^forced' "$work/out" && complain "records were read ahead: $(grep ^forced "$work/out")"
rm -r "$traces/large"

echo "Ctrl-C, while the cluster starts and in mid-phase"
for words in "" "phase 1 of 1 slow: "; do
	bin/boot-and-trace --accel tcg --traces "$traces" --experiment "$work/slow.ini" \
		>"$work/run.out" 2>&1 &
	pid=$!
	if [ -n "$words" ]; then
		wait_for_words "$words"
	else
		[ -n "$(wait_for_daemon ceph-mon)" ] || complain "no ceph-mon has started"
	fi
	kill -INT $pid
	wait $pid
	status=$?
	[ $status = 130 ] || complain "status $status after SIGINT: $(tail -n 5 "$work/run.out")"
	no_cluster_left "$traces"
done

echo "a daemon that is killed in mid-phase ends the run with that reason"
for daemon in ceph-osd ceph-mds; do
	bin/boot-and-trace --accel tcg --traces "$traces" --experiment "$work/slow.ini" \
		>"$work/run.out" 2>&1 &
	pid=$!
	wait_for_words "phase 1 of 1 slow: "
	victim=$(wait_for_daemon $daemon)
	[ -n "$victim" ] && kill -KILL "$victim"
	wait $pid
	status=$?
	cp "$work/run.out" "$work/out"
	[ $status = 10 ] || complain "status $status after $daemon was killed: $(tail "$work/out")"
	says "in phase slow: ceph ${daemon#ceph-}" && says "ended with killed by SIGKILL" &&
		says "the end of its log: "
	no_cluster_left "$traces"
done

echo "the run itself is killed: the namespaces end with it"
bin/boot-and-trace --accel tcg --traces "$traces" --experiment "$work/slow.ini" \
	>"$work/run.out" 2>&1 &
pid=$!
wait_for_words "phase 1 of 1 slow: "
kill -KILL $pid
wait $pid 2>/dev/null
for i in $(seq 100); do
	[ -z "$(daemons_below "$traces")" ] && break
	sleep 0.1
done
[ -z "$(daemons_below "$traces")" ] || complain "daemons outlived the run"
# its directory is the next run's to remove
expect 1 bin/boot-and-trace --accel tcg --traces "$traces" --experiment no-such

echo "a package that is missing is named"
mkdir "$work/bin"
for p in sh env cat ls qemu-system-x86_64 ceph-mon monmaptool; do
	ln -s "$(command -v $p)" "$work/bin/$p"
done
expect 2 env PATH="$work/bin" "$PWD/bin/boot-and-trace" --traces "$traces" \
	--experiment "$work/slow.ini" && says "ceph-osd is not installed (Debian: ceph-osd)"

echo "namespaces that are forbidden: the setting that forbids them"
expect 2 unshare -r -p -f --mount-proc sh -c 'echo 0 >/proc/sys/user/max_net_namespaces &&
	exec "$@"' sh bin/boot-and-trace --accel tcg --traces "$traces" \
	--experiment "$work/slow.ini" && says "sysctl user.max_net_namespaces = 0"

echo "a user without privileges, with an installation and images that he may read"
if [ "$(id -u)" = 0 ]; then
	mkdir "$work/user" "$work/user/traces"
	expect 0 make -s install DESTDIR="$work/user" PREFIX=/usr
	cp "$base_image" "$work/user/base"
	sed -n '1,/^\[phase hard-16-on-4\]/p' "$work/small.ini" |
		sed '/^\[kernel patched\]/,/^$/d' >"$work/user/one.ini"
	printf 'pattern = ior-hard-read\nthreads = 4\nclients = 2\nchecks = data-intact\n' \
		>>"$work/user/one.ini"
	chown -R 65534:65534 "$work/user"
	chmod 711 "$work"
	expect 0 setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$work/user" \
		"$work/user/usr/bin/blkproof-boot-and-trace" --accel tcg --run one \
		--traces "$work/user/traces" --experiment "$work/user/one.ini" \
		--image base="$work/user/base"
	expect 0 bin/verify "$work/user/traces/one" && says "data-intact PASS 1/1"
	[ -z "$(daemons_below "$work/user")" ] || complain "daemons of the user still run"
	[ "$(ls -A "$work/user/traces")" = one ] || complain "left: $(ls -A "$work/user/traces")"
fi

exit $bad
