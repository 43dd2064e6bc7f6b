#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-scribble.sh N SEED
#
# Damages what the remote "test" has left in its memory N times, and reads whatever is shown of
# it, in all ways. Needs the modules remote_test.ko and scribble.ko beside it. Prints TAP.
remotes=/sys/kernel/tracing/remotes
last=$remotes/test_last_boot
here=$(dirname "$(realpath "$0")")
shown=0
odd=0
# More than the events can have as text
max=$((16 << 20))

# The same as events that were written, or as the kernel says it of others
check_lines()	# FILE
{
	! grep -v -E '^(\[[0-9]{3}\]\s+[0-9.]+: (selftest|numbers|names|line|unknown event) |CPU:[0-9]+ \[LOST)' \
		"$1" | grep -q . || odd=$((odd + 1))
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
insmod "$here/scribble.ko" || exit 1
cd / || exit 1
for i in $(seq "$1"); do
	rmmod remote_test
	echo $(($2 + i)) >/sys/kernel/debug/scribble
	insmod "$here/remote_test.ko" || exit 1
	[ ! -d $last ] || look $(($2 + i))
done
echo "# $shown of $1 damaged images were shown"
[ "$shown" -gt $(($1 / 2)) ] && echo "ok 1 damaged images are shown" ||
	echo "not ok 1 damaged images are shown"
[ "$odd" = 0 ] && echo "ok 2 all lines are those of events" ||
	echo "not ok 2 all lines are those of events: $odd exceptions"
dmesg | grep -E 'WARNING|BUG|Oops|KASAN|UBSAN|lockup' && echo "not ok 3 the kernel has no complaint" ||
	echo "ok 3 the kernel has no complaint"
echo "1..3"
