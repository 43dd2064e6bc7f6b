#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-scribble.sh N SEED
#
# Damages what the remote "test" has left in its memory N times, and reads whatever is shown of
# it, in all ways. Needs the modules remote_test.ko and scribble.ko beside it. Prints TAP.
# shellcheck source=qemu-scripts/guest/results.sh
. /lib/results.sh

remotes=/sys/kernel/tracing/remotes
last=$remotes/test_last_boot
here=$(dirname "$(realpath "$0")")
shown=0
odd=0
# More than the events can have as text
max=$((16 << 20))

# The same as events that were written, or as the kernel says it of others, of which a damaged
# description may be all that there is
check_lines()	# FILE
{
	field=' [A-Za-z0-9_[]+\]?=(0x[0-9a-f]+|-?[0-9]+|\([0-9]+ bytes\))'
	event="(selftest|numbers|names|line|unknown event) .*|[A-Za-z0-9_]+($field)*"
	! grep -v -E "^(\[[0-9]{3}\]\s+[0-9.]+: ($event)|CPU:[0-9]+ \[LOST.*) *$" "$1" | grep . ||
		odd=$((odd + 1))
}

# The id by which an event is known
id_of()		# REMOTE EVENT
{
	sed -n 's/^ID: //p' "$remotes/$1/events/test/$2/format"
}

rename_as()	# HOW
{
	rmmod remote_test
	echo "$1" >/sys/kernel/debug/rename
	insmod "$here/remote_test.ko" || exit 1
}

count()		# EVENT FILE
{
	grep -c ": $1 " "$2"
}

# Names that cannot be used
check_bad_names()
{
	rename_as 2
	lost=$(($(count selftest /tmp/written) + $(count names /tmp/written)))
	[ "$(count unknown $last/trace)" = $lost ]
	result $? "events whose names cannot be used are unknown"
	[ "$(grep -c ': names q=' $last/trace)" = "$(count numbers /tmp/written)" ]
	result $? "the first one of a name is the one that is shown"
	grep -q '^print fmt: "SYM(w=' $last/events/test/line/format
	result $? "text stays what it was"
}

# An event that has another format now is shown by the one that it had
check_renamed()
{
	rename_as 1
	sed -n 's/.*selftest id=//p' /tmp/written >/tmp/ids
	# shellcheck disable=SC2046 # words
	printf '0x%x\n' $(cat /tmp/ids) >/tmp/hex
	sed -n 's/.*selftest no=//p' $last/trace | cmp - /tmp/hex
	result $? "events with another field are shown"
	grep -q "field:u64 no;.*offset:8;.*size:8;.*signed:0;" $last/events/test/selftest/format &&
		grep -q '^print fmt: "id=%llu", REC->no$' $last/events/test/selftest/format
	result $? "their format is that of their time"
	[ "$(id_of test_last_boot selftest)" ] &&
		[ "$(id_of test_last_boot selftest)" != "$(id_of test selftest)" ]
	result $? "and they have an id of their own"
	[ "$(id_of test numbers)" ] &&
		[ "$(id_of test_last_boot numbers)" = "$(id_of test numbers)" ]
	result $? "which the others have not"
	grep -v selftest /tmp/written >/tmp/others
	grep -v selftest $last/trace | cmp - /tmp/others
	result $? "the others are shown as before"
	hyptrace record -q --last-boot --remote test -o /tmp/renamed.dat &&
		hyptrace report /tmp/renamed.dat | sed -n 's/.* selftest: id=//p' | cmp - /tmp/ids
	result $? "hyptrace knows both kinds"
}

look()	# SEED
{
	shown=$((shown + 1))
	cat $last/last_boot_info $last/last_boot_log >/tmp/info
	head -c $max $last/trace >/tmp/trace
	if [ "$(wc -c </tmp/trace)" -ge $max ]; then
		echo "# $1: the file trace does not end"
		odd=$((odd + 1))
	fi
	check_lines /tmp/trace
	cat $last/per_cpu/cpu*/stats >/tmp/stats
	for cpu in 0 1; do
		dd if=$last/per_cpu/cpu$cpu/trace_pipe_raw of=/tmp/raw iflag=nonblock bs=4096 2>/dev/null
		dd if=$last/per_cpu/cpu$cpu/trace_pipe of=/tmp/pipe iflag=nonblock bs=4096 2>/dev/null
	done
}

insmod "$here/remote_test.ko" || exit 1
cd $remotes/test || exit 1
echo 1 >events/enable
echo 1 >tracing_on
for id in $(seq 3000); do
	echo "$id" >write_event
done
echo 0 >tracing_on
cat trace >/tmp/written
insmod "$here/scribble.ko" || exit 1
cd / || exit 1
check_renamed
check_bad_names
for i in $(seq "$1"); do
	rmmod remote_test
	echo $(($2 + i)) >/sys/kernel/debug/scribble
	insmod "$here/remote_test.ko" || exit 1
	[ ! -d $last ] || look $(($2 + i))
done
echo "# $shown of $1 damaged images were shown"
[ "$shown" -gt $(($1 / 2)) ]
result $? "damaged images are shown"
[ "$odd" = 0 ]
result $? "all lines are those of events, but for $odd images"
check_kernel
echo "1..$nr"
