#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What hyptrace record leaves behind when it is killed or the disk is full, and CPUs that
# go offline and come online. TAP; runs as root in a guest that has the remote, with
# hyptrace and hyp_workload in PATH.
# shellcheck disable=SC2086 # $D, $T and numbers: no spaces

# shellcheck source=tools/tracing/hyptrace/tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd $D || exit 1
state >clean
CPU1=/sys/devices/system/cpu/cpu1/online

is_clean()
{
	state | diff clean -
}

# Switching tracing on loads the buffer, but no event is enabled at that time
tracing()
{
	! grep -q 0 $R/events/enable && grep -q 1 $R/tracing_on
}

# In the background, as long as $pid runs
start()	# COMMAND...
{
	"$@" 2>$D/err.bg &
	pid=$!
	until tracing && [ -e $D/x.dat.part/head ]; do
		sleep 0.1
	done
}

# Whether record, which goes on, has written more than BYTES to these files together
written()	# BYTES FILE...
{
	bytes=$1
	shift
	[ "$(cat "$@" | wc -c)" -gt $bytes ]
}

events()	# FILE
{
	hyptrace report $1 | sed -n 's/^total: events=\([0-9]*\) .* corrupt=0$/\1/p'
}

many()	# FILE
{
	n=$(events $1)
	echo "# $n events"
	[ "${n:-0}" -gt 500 ]
}

no_violations()	# FILE
{
	hyptrace check $1 >$D/checked 2>&1
	sed 's/^/# /' $D/checked
	grep -q '^check: .* violations=0 .* unaccounted=0 ' $D/checked
}

# Killed at different moments, under load, once there are many() events
for delay in 0.0 0.4 0.8; do
	start hyptrace record -q -o x.dat -- hyp_workload -t 60
	until written 40000 x.dat.part/hypervisor.*; do
		sleep 0.1
	done
	sleep $delay
	kill -9 $pid
	wait $pid
	check "killed: settings are left behind" [ "$(cat $R/tracing_on)" = 1 ]
	hyptrace record -q -o x.dat -- true 2>err
	check "killed: the next one restores them, and says so" \
		grep -q "restoring the tracefs settings" err
	check "killed: and what to do" \
		grep -q "x.dat.part exists, .* 'hyptrace recover x.dat.part'" err
	check "killed: tracefs is restored by the next hyptrace" is_clean
	expect 0 "x.dat: recovered" hyptrace recover x.dat.part
	check "killed: the recorded events are there" many x.dat
	check "killed: they are in order" no_violations x.dat
	check "killed: nothing else is left" [ "$(find . -name '*.part')" = "" ]
	rm x.dat
	killall hyp_workload
	while pidof hyp_workload >/dev/null; do
		sleep 0.1
	done
done

# Killed while a sub-buffer was being written: an incomplete one, and an invalid one
for end in 100 4096; do
	start hyptrace record -q -o x.dat -- sleep 60
	until written 4096 x.dat.part/hypervisor.0; do
		hyp_workload -t 1
	done
	kill -9 $pid
	wait $pid
	tr '\0' '\377' </dev/zero | head -c $end >>x.dat.part/hypervisor.0
	hyptrace recover x.dat.part 2>err
	check "a torn sub-buffer of $end bytes is left out" \
		grep -q "x.dat.part/hypervisor.0: the last sub-buffer is incomplete" err
	check "a torn sub-buffer: the others are in order" no_violations x.dat
	rm x.dat
done

# hyptrace recover while record still runs, and with an existing file
start hyptrace record -o x.dat -- sh -c "until [ -e down ]; do sleep 0.1; done"
expect 1 "x.dat.part: the recording is still running" hyptrace recover x.dat.part
expect 1 "x.dat.part: another hyptrace is recording into it" hyptrace record -q -o x.dat -- true
: >down
wait $pid
check "a recording is not disturbed" no_violations x.dat
mkdir x.dat.part
expect 1 "x.dat exists already" hyptrace recover x.dat.part
expect 1 "cannot open x.dat.part/head" hyptrace recover -o y.dat x.dat.part
rmdir x.dat.part
expect 1 "cannot open y.part: No such file" hyptrace recover y.part
expect 2 "expected one FILE.part, got none" hyptrace recover
expect 2 "is not named FILE.part" hyptrace recover x.dat

# The journal of hyptrace live
hyptrace live >/dev/null 2>&1 &
pid=$!
until tracing; do
	sleep 0.1
done
kill -9 $pid
wait $pid
check "live is killed: settings are left behind" [ "$(cat $R/tracing_on)" = 1 ]
hyptrace record -q -o x.dat -- true 2>err
check "live is killed: the next one restores them, and says so" \
	grep -q "restoring the tracefs settings" err
check "live is killed: all is restored" is_clean

# Files in the directory that are not of the recording
expect 0 "x.dat.part is kept: there are other files in it" \
	hyptrace record -q -o x.dat -- sh -c "echo precious >x.dat.part/notes"
check "another file in the directory stays" grep -q precious x.dat.part/notes
check "another file in the directory: the recording" no_violations x.dat
rm -r x.dat.part

# No space: for the head, for the data, for the file that is made from them
mkdir full
mount -t tmpfs -o size=100k tmpfs full
expect 1 "cannot write full/x.part/head: No space left" hyptrace record -q -o full/x -- true
check "no space for the head: nothing is left behind" [ "$(ls full)" = "" ]
mount -o remount,size=3m full
expect 1 "cannot write the trace data: No space left on device; the data recorded .*'hyptrace recover full/x.part'" \
	hyptrace record -q -o full/x -- sh -c "hyp_workload -n 1000000000 >/dev/null"
mount -o remount,size=40m full
expect 0 "full/x: recovered" hyptrace recover full/x.part
check "no space for the data: the recorded events are there" many full/x

mount -o remount,size=16m full
# hyptrace is stopped until the spare space for the last data is there
# shellcheck disable=SC2016 # the shell below hyptrace expands it
fill='kill -STOP $PPID; dd if=/dev/zero of=full/spare bs=4k count=100
	dd if=/dev/zero of=full/filler bs=4k; rm full/spare; kill -CONT $PPID'
expect 1 "cannot write full/y.part/head: No space left on device; the data recorded .*'hyptrace recover full/y.part'" \
	hyptrace record -q --compression none -o full/y -- \
	sh -c "{ hyp_workload -n 200; $fill; } >/dev/null 2>&1"
expect 1 "cannot write full/y.part/head: No space left" hyptrace recover full/y.part
rm full/filler
expect 0 "full/y: recovered" hyptrace recover full/y.part
check "no space for the file: all events are there" no_violations full/y
check "no space for the file: the counters are there" hyptrace check full/y
umount full

# CPUs go offline and come online
load="hyp_workload -n 30"
expect 0 ", 0 lost" hyptrace record -b 16384 -o x.dat -- \
	sh -c "$load; echo 0 >$CPU1; $load; echo 1 >$CPU1; $load"
check "a CPU goes offline and comes online: order" no_violations x.dat
check "a CPU goes offline and comes online: events" many x.dat
echo 0 >$CPU1
expect 0 "CPU 1 came online while tracing: its events are missing" \
	hyptrace record -q -o x.dat -- sh -c "echo 1 >$CPU1"

# COMMAND is killed, and record gets SIGTERM
expect 137 "hypervisor events" hyptrace record -o x.dat -- sh -c "kill -9 \$\$"
check "COMMAND is killed: the file" no_violations x.dat
expect 143 "hypervisor events" hyptrace record -o x.dat -- sh -c "kill \$PPID; sleep 9"
check "SIGTERM: the file" no_violations x.dat

echo "1..$nr"
