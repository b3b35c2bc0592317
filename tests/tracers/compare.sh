# SPDX-License-Identifier: GPL-2.0-only
# Does verify read the traces in $work/rec as trace-cmd report and blkparse do?  Every event, with
# its time, CPU, task and fields.  Then cuts of them, none of which may go unnoticed.
# Sourced after tests/lib.sh.

# "PID CPU TIME EVENT FIELDS", raw as trace-cmd report -R prints them, to verify's words
canonical='
function hex(s,   i, v) {
	sub(/^0x/, "", s)
	for (i = 1; i <= length(s); i++)
		v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return v + 0
}
function num(name) {
	return name in f ? (f[name] ~ /^0x/ ? hex(f[name]) : f[name] + 0) : 0
}
function field(label, value) {
	return sprintf(" %s=%.0f", label, value)
}
function dev(name) {
	return sprintf(" dev=%d,%d", int(num(name) / 1048576), num(name) % 1048576)
}
function page(type) {
	return type dev("s_dev") field("ino", hex(f["i_ino"])) field("index", num("index"))
}
function touch(type) {
	return page(type) "-" sprintf("%.0f", num("last_index" in f ? "last_index" : "index"))
}
function folio(type) {
	return page(type) field("pfn", num("pfn")) field("order", "order" in f ? num("order") : -1)
}
function readahead(type) {
	return page(type) field("req_count", num("req_count") + num("nr_to_read")) \
		field("order", num("order")) field("size", num("size")) \
		field("async_size", num("async_size") + num("lookahead_size")) \
		field("ra_pages", num("ra_pages")) field("mmap_miss", num("mmap_miss"))
}
function request(type) {
	# an empty flush is at no sector, and its operation is a second F
	sub(/^FF/, "F", f["rwbs"])
	return "rq_" type dev("dev") \
		field("sector", f["sector"] ~ /^(-1|18446744073709551615)$/ ? 0 : num("sector")) \
		field("bytes", num("bytes") ? num("bytes") : num("nr_sector") * 512) \
		" " f["rwbs"] field("error", num("error"))
}
BEGIN {
	split("queue rq_insert insert rq_issue issue rq_complete complete rq_requeue requeue " \
		"bio_queue queue bio_backmerge merge bio_frontmerge merge getrq get " \
		"bio_remap remap rq_remap remap", word, " ")
	for (i = 2; i in word; i += 2)
		type_of["block_" word[i]] = word[i + 1]
}
{
	split("", f)
	for (i = 5; i <= NF; i++) {
		eq = index($i, "=")
		if (eq)
			f[substr($i, 1, eq - 1)] = substr($i, eq + 1)
	}
	if ($3 !~ /\./) # a clock that does not count ns
		$3 = sprintf("%d.%09d", int($3 / 1000000000), $3 % 1000000000)
	out = "other"
	if ($4 in type_of)
		out = request(type_of[$4])
	else if ($4 == "block_plug" || $4 == "block_unplug" || $4 == "block_split")
		out = "rq_other"
	else if ($4 == "mm_filemap_fault")
		out = touch("fault")
	else if ($4 ~ /^mm_filemap_(get|map)_pages$/)
		out = touch(substr($4, 12))
	else if ($4 == "mm_filemap_add_to_page_cache")
		out = folio("folio_add")
	else if ($4 == "mm_filemap_delete_from_page_cache")
		out = folio("folio_delete")
	else if ($4 ~ /^page_cache_(sync|async)_ra$/)
		out = readahead("ra_" substr($4, 12, index(substr($4, 12), "_") - 1))
	else if ($4 ~ /^page_cache_ra_(order|unbounded)$/)
		out = readahead(substr($4, 12))
	else if ($4 == "print" && match($0, /buf=blkproof: /))
		out = "marker " substr($0, RSTART + RLENGTH)
	print $3, $2 + 0, $1, out
}'

# both list "TIME CPU PID TYPE FIELDS"; equal times in any order
as_trace_cmd() {
	trace-cmd report -R -t "$1" 2>/dev/null | sed -E -n \
		"s/^ *(.*)-([0-9]+) +\\[([0-9]+)\\] *([0-9.]+): +([A-Za-z0-9_]+):( +(.*))?\$/\\2 \\3 \\4 \\5 \\7/p" |
		awk "$canonical" | LC_ALL=C sort
}

# the beginning of a line of verify --events, and a request's fields
event='[1-9][0-9]* ([0-9.]+) \[0*([0-9]+)\] .*-([0-9]+)'
request='dev=([0-9,]+) sector=([0-9]+) bytes=([0-9]+) ([A-Z]+) error=-?([0-9]+)'

# verify's list: what it does not decode has no fields, and trace.dat has no sequence
as_verify() {
	bin/verify --events "$1" | sed -E -n \
		"s/^$event ([a-z_]+) ?(.*)\$/\\1 \\2 \\3 \\4 \\5/p" |
		sed -E 's/ sequence=0$//; s/ (rq_other|other) .*/ \1/; s/ $//' | LC_ALL=C sort
}

# same LABEL TOOL: $work/theirs and $work/ours have the same lines, and some
same() {
	n=$(wc -l <"$work/theirs")
	echo "$1: $n events"
	[ "$n" -ge 10 ] || complain "$1: $2 lists only $n events"
	cmp -s "$work/theirs" "$work/ours" && return
	complain "$1: verify lists $(wc -l <"$work/ours") events, $2 $n; the first that differ:"
	diff "$work/theirs" "$work/ours" | head -n 10
}

# compare_dat NAME [FORMAT]: a trace.dat, which verify must call FORMAT
compare_dat() {
	file=$work/rec/$1.dat
	[ -s "$file" ] || {
		complain "trace-cmd left no $1.dat"
		return
	}
	as_trace_cmd "$file" >"$work/theirs"
	as_verify "$file" >"$work/ours" 2>"$work/err" || complain "$1: $(cat "$work/err")"
	same "$1" "trace-cmd report"
	[ -z "${2:-}" ] || bin/verify "$file" 2>&1 | grep -qF "$2, " ||
		complain "$1: not read as $2"
}

# as_blkparse DIRECTORY BASE...: "TIME CPU PID TYPE DEVICE FIELDS SEQUENCE", times from the first
# record on
as_blkparse() {
	dir=$1
	shift
	(cd "$dir" && blkparse -q $(printf ' -i %s' "$@") \
		-f '%T.%9t %c %p %a %D %S %N %d %e %s\n') 2>/dev/null | awk '
	BEGIN {
		split("Q queue M merge F merge G get I insert D issue C complete R requeue A remap",
			word, " ")
		for (i = 1; i in word; i += 2)
			type_of[word[i]] = word[i + 1]
	}
	# not messages: they come in the default format, and those with a cgroup not at all
	$1 !~ /^[0-9.]+$/ {
		next
	}
	!($4 in type_of) {
		print $1, $2, $3, "rq_other", $5, $NF
		next
	}
	{
		sub(/^FN/, "F", $8)
		print $1, $2, $3, "rq_" type_of[$4], $5, $6, $7, $8, $9, $NF
	}' | LC_ALL=C sort
}

verify_as_blkparse() {
	bin/verify --events "$1" | sed -E -n \
		"s/^$event (rq_[a-z]+) $request (sequence=[0-9]+)\$/\\1 \\2 \\3 \\4 \\5 \\6 \\7 \\8 \\9 &/p" |
		awk '
	function ns(t,   p) {
		split(t, p, ".")
		return p[1] * 1000000000 + p[2]
	}
	{
		if (NR == 1)
			first = ns($1)
		t = ns($1) - first
		$1 = sprintf("%d.%09d", int(t / 1000000000), t % 1000000000)
		sub(/.*=/, "", $NF)
		if ($NF == 0) # a message
			next
		if ($4 == "rq_other")
			print $1, $2, $3, $4, $5, $NF
		else
			print $1, $2, $3, $4, $5, $6, $7, $8, $9, $NF
	}' | LC_ALL=C sort
}

# compare_blktrace NAME FORMAT BASE...: a set in $work/rec/NAME
compare_blktrace() {
	name=$1
	format=$2
	shift 2
	as_blkparse "$work/rec/$name" "$@" >"$work/theirs"
	verify_as_blkparse "$work/rec/$name" >"$work/ours" 2>"$work/err"
	[ ! -s "$work/err" ] || complain "$name: $(cat "$work/err")"
	same "blktrace $name" blkparse
	bin/verify "$work/rec/$name" 2>&1 | grep -qF "$format, " || complain "$name: not read as $format"
}

# cuts NAME FILE [OFFSET...]: the file up to each of these bytes, and to 200 others
cuts() {
	name=$1
	file=$2
	shift 2
	size=$(stat -c %s "$file")
	n=0
	undetected=0
	for at in "$@" $(awk -v size="$size" 'BEGIN {
			srand(7)
			for (i = 0; i < 200; i++)
				print int(rand() * size)
		}'); do
		[ "$at" -lt "$size" ] || continue
		head -c "$at" "$file" >"$work/cut"
		bin/verify "$work/cut" >"$work/out" 2>"$work/err"
		status=$?
		n=$((n + 1))
		case $name in
		blktrace*)
			# between two records there is nothing to see
			[ $status = 2 ] || {
				undetected=$((undetected + 1))
				continue
			}
			;;
		esac
		[ $status = 2 ] && grep -q 'PASS' "$work/out" && complain "$name cut at $at: a PASS"
		[ $status = 2 ] || complain "$name cut at $at: status $status"
		grep -qF "$work/cut: " "$work/err" || complain "$name cut at $at: $(cat "$work/err")"
		[ $((n % 10)) = 0 ] || continue
		bin/verify --partial "$work/cut" >"$work/out" 2>"$work/err"
		status=$?
		[ $status = 2 ] || [ $status = 3 ] || complain "$name cut at $at, --partial: $status"
		grep -q '^ *PASS ' "$work/out" && complain "$name cut at $at, --partial: a PASS"
	done
	echo "$name: $n cuts, $undetected between two records"
	[ "$undetected" -le 20 ] || complain "$name: $undetected of $n cuts were not seen"
}

# Readahead of the file, "SECTOR BYTES"
readahead_of() {
	bin/verify --events "$1" | awk '$5 == "rq_queue" && / RA / { print $7, $8 }' | LC_ALL=C sort -u
}

# Records of version 8, which blkparse cannot read: the same reads of the same file as in version 7
compare_v8() {
	readahead_of "$work/rec/one" >"$work/theirs"
	readahead_of "$work/rec/v8" >"$work/ours"
	n=$(wc -l <"$work/ours")
	echo "blktrace v8: $n readahead requests"
	[ "$n" -ge 5 ] && cmp -s "$work/theirs" "$work/ours" ||
		complain "v8: $(diff "$work/theirs" "$work/ours" | head -n 5)"
	bin/verify "$work/rec/v8" 2>&1 | grep -qF "blktrace v8, " || complain "v8: not read as blktrace v8"
	cuts blktrace-v8 "$(ls -S "$work"/rec/v8/disk.* | head -n 1)"
}

# A plan of system calls that were really traced has each of them, to the byte
compare_calls() {
	bin/replay-plan "$work/rec/calls.dat" -o "$work/calls.plan" >"$work/out" 2>&1 ||
		complain "calls: $(cat "$work/out")"
	sed -n '/^begin$/,/^end/s/^[0-9]* 0 \([a-z]* 0 .*\)/\1/p' "$work/calls.plan" >"$work/ours"
	cat >"$work/theirs" <<-'TEXT'
		read 0 0 5000
		read 0 5000 100
		read 0 1000000 7
		sequential 0 0 0
		readahead 0 2097152 131072
		willneed 0 4194304 65536
		dontneed 0 4096 8192
	TEXT
	echo "calls: $(wc -l <"$work/ours") of 7"
	cmp -s "$work/theirs" "$work/ours" || complain "calls: $(diff "$work/theirs" "$work/ours")"
	grep -q '^note touches: [1-9][0-9]* calls of mmap' "$work/calls.plan" ||
		complain "calls: the mapping is not mentioned"
}

# compare_all: everything that guest.sh leaves
compare_all() {
	endian=${1:-}
	compare_dat v6 "trace.dat v6$endian"
	compare_dat v7-none "trace.dat v7$endian"
	for file in "$work"/rec/v7-z*.dat; do
		algorithm=${file##*/v7-}
		algorithm=${algorithm%.dat}
		compare_dat "v7-$algorithm" "trace.dat v7 $algorithm$endian"
	done
	compare_dat instances
	compare_dat instances-v6
	compare_dat mono
	[ ! -e "$work/rec/tsc.dat" ] || compare_dat tsc
	compare_dat host
	compare_dat guest
	compare_dat lost
	[ ! -e "$work/rec/calls.dat" ] || compare_calls
	# trace-cmd's recorders do lose a few events at the end, now and then
	whole=0
	for name in v6 v7-none "v7-$algorithm" instances; do
		bin/verify "$work/rec/$name.dat" | grep -q "none known to be lost" && whole=$((whole + 1))
	done
	echo "$whole of 4 recordings have all events that the kernel counted"
	[ $whole -ge 2 ] || complain "lost events, of which trace-cmd knows none"
	bin/verify "$work/rec/lost.dat" >"$work/out"
	[ $? = 3 ] && says "LOST: overrun"
	grep -q '^ *PASS ' "$work/out" && complain "lost: a PASS, and events were lost"
	if [ -d "$work/rec/one" ]; then
		compare_blktrace one "blktrace v7${endian% 32-bit}" disk
		compare_blktrace two "blktrace v7${endian% 32-bit}" vda vdb
		file=$(ls -S "$work"/rec/one/disk.* | head -n 1)
		cuts blktrace "$file"
	fi
	[ ! -d "$work/rec/v8" ] || compare_v8
	cuts v6 "$work/rec/v6.dat"
	file=$work/rec/v7-$algorithm.dat
	cuts "v7-$algorithm" "$file" \
		$(trace-cmd dump --sections "$file" 2>/dev/null | sed -n 's/.*@ \([0-9]*\).*/\1/p')
}
