#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-only
# PID 1 of a guest in which trace-cmd and blktrace record a small workload in every way that
# verify has to read.  Of its two disks one has a file system with /file, the other takes what was
# recorded: NAME.dat with the options that NAME stands for, blktrace's files, and "log".
export PATH=/bin:/sbin:/usr/bin:/usr/sbin
/bin/busybox --install -s
mkdir -p /dev /proc /sys /mnt /out /tmp /var/run
mount -t devtmpfs none /dev
mount -t proc none /proc
mount -t sysfs none /sys
[ ! -s /modules ] || for module in $(cat /modules); do
	insmod "$module"
done
mount -t tracefs none /sys/kernel/tracing
mount -t debugfs none /sys/kernel/debug
# whichever of the two the machine found first
disk=vda other=vdb
mount /dev/vda /mnt
if [ ! -e /mnt/file ]; then
	umount /mnt
	disk=vdb other=vda
	mount /dev/vdb /mnt
fi
mount /dev/$other /out && [ -e /mnt/file ] || {
	echo "TRACERS: no disks"
	poweroff -f
}
ip link set lo up
mkdir -p /etc
echo "127.0.0.1 localhost machine" >/etc/hosts
tracing=/sys/kernel/tracing
exec 2>/out/log

cat >/work.sh <<'WORK'
#!/bin/sh
echo 3 >/proc/sys/vm/drop_caches
echo "blkproof: phase begin work" >/sys/kernel/tracing/trace_marker
dd if=/mnt/file of=/dev/null bs=64k
dd if=/mnt/file of=/dev/null bs=4k skip=900 count=30
dd if=/dev/zero of=/mnt/written bs=16k count=16 conv=fsync
rm /mnt/written
echo "something else" >/sys/kernel/tracing/trace_marker
echo "blkproof: phase end work" >/sys/kernel/tracing/trace_marker
WORK
chmod +x /work.sh

pages=
for system in filemap readahead; do
	[ -d $tracing/events/$system ] && pages="$pages -e $system"
done

# record NAME OPTION...
record() {
	name=$1
	shift
	echo "== $name: trace-cmd record $*" >&2
	trace-cmd record -q -o "/out/$name.dat" "$@" /work.sh >&2 || echo "$name" >>/out/failed
}

echo "TRACERS: trace-cmd"
record v7-none --compression none $pages -e block
record v6 --file-version 6 $pages -e block
for algorithm in $(trace-cmd list -c | sed -n 's/^[^a-z]*\(z[a-z]*\),.*/\1/p'); do
	record v7-$algorithm --compression $algorithm $pages -e block
done
record instances $pages -B disk -e block -B tasks -e sched -B nothing -e ext4:ext4_shutdown
record instances-v6 --file-version 6 $pages -B disk -e block -B tasks -e sched
# what a plan of accesses is made of, as replay-plan(1) has it
if [ -x /calls ]; then
	echo "== calls" >&2
	echo 3 >/proc/sys/vm/drop_caches
	calls=
	for call in read pread64 readahead fadvise64 madvise mmap openat; do
		calls="$calls -e syscalls:sys_enter_$call -e syscalls:sys_exit_$call"
	done
	trace-cmd record -q -o /out/calls.dat $pages $calls /calls /mnt/file >&2 ||
		echo calls >>/out/failed
fi
record mono -C mono --date $pages -e block
if grep -q x86-tsc $tracing/trace_clock; then
	record tsc -C x86-tsc $pages -e block
fi
# a ring buffer that is too small, and nobody empties it: losses
echo "== lost" >&2
trace-cmd start -b 8 -e sched -e filemap -e block >&2
/work.sh >&2
trace-cmd stop >&2
trace-cmd extract -o /out/lost.dat >&2 || echo lost >>/out/failed
trace-cmd reset >&2
trace-cmd start -b 1400 >&2
trace-cmd reset >&2
# host and guest are one here: its agent over the loopback, as over a guest's vsock; the host's
# part is an instance, since there is one top buffer only
echo "== with guest" >&2
trace-cmd agent -N 127.0.0.1 >&2 &
agent=$!
sleep 2
trace-cmd record -q -o /out/host.dat -B host -C mono -e sched:sched_switch \
	-A 127.0.0.1:823 --name machine -C mono $pages -e block /work.sh >&2 ||
	echo host >>/out/failed
kill $agent
mv /out/host-*.dat /out/guest.dat

# traced DIRECTORY DEVICES COMMAND...: the command, with the workload and a message meanwhile
traced() {
	dir=$1
	shift
	mkdir /out/$dir
	echo "== blktrace $dir: $*" >&2
	"$@" >&2 &
	pid=$!
	sleep 1
	/work.sh >&2
	echo "a message" >/sys/kernel/debug/block/$disk/msg
	sleep 1
	kill -INT $pid
	wait $pid || echo "$dir" >>/out/failed
}

if [ -e /sys/block/$disk/trace ]; then
	echo "TRACERS: blktrace"
	traced one blktrace -d /dev/$disk -D /out/one -o disk
	traced two blktrace -d /dev/$disk -d /dev/$other -D /out/two
	[ ! -x /blktrace-v2 ] || traced v8 /blktrace-v2 /dev/$disk /out/v8/disk
fi

uname -rm >/out/uname
getconf PAGESIZE >>/out/uname 2>/dev/null
cat /proc/modules >/out/modules 2>/dev/null
exec 2>/dev/console
kill -KILL -1 # all but this one: what the agent has left has the log open
umount /mnt
umount /out && echo "TRACERS: done"
poweroff -f
