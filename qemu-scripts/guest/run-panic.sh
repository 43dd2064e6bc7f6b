#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-panic.sh el2 | el2-twice | el2-enabled | text | host | oops
#
# Runs in the guest, with the module crash.ko beside it, and lets the guest die. Prints
# TAP; panic.sh checks the console.
#
#   el2          EL2 panics
#   el2-twice    EL2 panics, and writing the last event faults; if it is not protected
#   el2-enabled  EL2 panics, while another CPU switches an event on all the time
#   text         the host writes to EL2's text; if that is protected
#   host         the kernel has an oops, several times in different settings, and what is
#                left of the trace is checked; then the kernel panics
#   oops         the kernel panics because of an oops
# shellcheck source=qemu-scripts/guest/results.sh
. /lib/results.sh

dump_on_oops=/proc/sys/kernel/ftrace_dump_on_oops
here=$(dirname "$(realpath "$0")")

has_text()	# FILE TEXT
{
	[ "$(cat "$1")" = "$2" ]
}

# Waits for it
comes_to_be()	# FILE TEXT
{
	wait_for has_text "$@"
}

# The events of the last dump in the kernel's log
dumped()
{
	dmesg | awk '/Dumping ftrace instance/ { text = "" }
		/^\[[0-9]+\]\t/ { text = text $0 "\n" } END { printf "%s", text }'
}

# The dump is the end of the trace. Tracing is off, though shortly after the oops and not during
# it, and the events are still enabled
check_oops()
{
	echo 1 >tracing_on
	write_events 1 40
	crash 0 2
	comes_to_be tracing_on 0
	result $? "oops: tracing is off"
	dumped >/tmp/dumped
	tail -n 30 trace | cmp -s - /tmp/dumped
	result $? "oops: the dump is the end of the trace"
	[ "$(grep -c ' selftest id=' trace)" = 40 ]
	result $? "oops: the whole trace is there"
	[ "$(cat events/hypervisor/selftest/enable)" = 1 ]
	result $? "oops: the events are on"
	write_events 41 41
	! grep -q ' selftest id=41' trace
	result $? "oops: nothing is written afterwards"
}

check_orig_cpu()
{
	echo hypervisor=orig_cpu >$dump_on_oops
	echo 1 >tracing_on
	write_events 1 10
	crash 1 2
	comes_to_be tracing_on 0
	dumped >/tmp/dumped
	tail -n 30 per_cpu/cpu1/trace | cmp -s - /tmp/dumped
	result $? "orig_cpu: the dump is the end of that CPU's trace"
}

# The same, whatever ftrace_dump_on_oops says
check_sysrq()
{
	echo 0 >$dump_on_oops
	echo 1 >tracing_on
	write_events 51 60
	echo z >/proc/sysrq-trigger
	comes_to_be tracing_on 0
	result $? "SysRq-z: tracing is off"
	dumped >/tmp/dumped
	tail -n 30 trace | cmp -s - /tmp/dumped
	result $? "SysRq-z: the dump is the end of the trace"
}

# Tracing cannot be switched off. Then the oops has switched the events off for good
check_off_fails()
{
	dir=$(pwd)
	echo 0 >tracing_on
	insmod "$here/remote_test.ko" || exit 1
	cd ../test || exit 1
	echo selftest >set_event
	echo 1 >tracing_on
	echo test >$dump_on_oops
	echo -5 >/sys/module/remote_test/parameters/enable_answer
	crash 0 2
	comes_to_be events/test/selftest/enable 0
	result $? "oops: tracing cannot be switched off, and the event is off"
	dmesg | grep -q 'test: cannot be switched off'
	result $? "oops: the log says so"
	[ "$(cat tracing_on)" = 1 ]
	result $? "oops: tracing is still on"
	echo 71 >write_event
	! grep -q ' selftest id=71' trace
	result $? "oops: nothing is written"
	echo 0 >/sys/module/remote_test/parameters/enable_answer
	echo selftest >set_event
	echo 72 >write_event
	grep -q ' selftest id=72' trace
	result $? "oops: the event can be switched on again"
	cd "$dir" || exit 1
	rmmod remote_test
}

check_neither()
{
	echo 0 >$dump_on_oops
	echo 1 >tracing_on
	crash 0 2
	sleep 0.3
	[ "$(cat tracing_on)" = 1 ]
	result $? "tracing goes on without ftrace_dump_on_oops"
	write_events 61 61
	grep -q ' selftest id=61' trace
	result $? "and writes events"
}

# A dump that does not end: nothing else of the remote waits for it. A file that is closed
# would unload the buffer, at which the dump looks
check_endless_dump()
{
	debugfs=/sys/kernel/debug
	# All but the oops is on CPU 0
	taskset -p 1 $$ >/dev/null
	size=$(cut -d ' ' -f 1 buffer_size_kb)
	# What is recorded now has not been printed yet
	echo 1 >tracing_on
	echo 0 >tracing_on
	echo >trace
	# shellcheck disable=SC2217 # it only keeps the file open
	sleep 1000 <per_cpu/cpu0/trace_pipe_raw &
	reader=$!
	wait_for test /proc/$reader/fd/0 -ef per_cpu/cpu0/trace_pipe_raw
	echo hypervisor >$dump_on_oops
	echo Y >$debugfs/stick
	crash 1 2 &
	comes_to_be $debugfs/stuck Y
	result $? "endless dump: it sticks"
	kill $reader
	sleep 0.3
	cat buffer_size_kb >/tmp/size &
	comes_to_be /tmp/size "$size (loaded)"
	result $? "endless dump: the remote is not locked, and the buffer is still there"
	echo N >$debugfs/stick
	comes_to_be buffer_size_kb "$size (unloaded)"
	result $? "endless dump: when it ends after all, the buffer is unloaded"
	wait
	taskset -p 3 $$ >/dev/null
	echo 0 >$dump_on_oops
}

cd /sys/kernel/tracing/remotes/hypervisor || exit 1

symbol()	# NAME
{
	sed -n "s/^\([0-9a-f]*\) . __kvm_nvhe_$1\$/0x\1/p" /proc/kallsyms
}

insmod "$here/crash.ko" percpu_bases="$(symbol kvm_arm_hyp_percpu_base)" \
	percpu_start="$(symbol __per_cpu_start)" trace_cpus="$(symbol hyp_trace_cpus)" \
	text="$(symbol __hyp_text_start)" \
	host_hcall_id="$(cat events/hypervisor/host_hcall/id)" || exit 1
[ "$(cat $dump_on_oops)" = hypervisor ]
result $? "ftrace_dump_on_oops is on, by the command line"
echo selftest host_hcall hyp_panic >set_event

case $1 in
el2)
	echo 1 >tracing_on
	write_events 1 40
	crash 0 1
	;;
el2-twice)
	echo hyp_panic >set_event
	echo 1 >tracing_on
	crash 0 3
	;;
el2-enabled)
	echo 1 >tracing_on
	crash 1 4 &
	sleep 0.2
	crash 0 1
	;;
text)
	echo 1 >/proc/sys/kernel/panic_on_oops
	echo host_mem_abort >set_event
	echo 1 >tracing_on
	crash 0 5
	;;
host)
	check_oops
	check_orig_cpu
	check_sysrq
	check_off_fails
	check_endless_dump
	check_neither
	echo "1..$nr"
	echo hypervisor >$dump_on_oops
	write_events 1 40
	echo c >/proc/sysrq-trigger
	;;
oops)
	echo 1 >/proc/sys/kernel/panic_on_oops
	echo 1 >tracing_on
	write_events 1 40
	crash 0 2
	;;
esac
