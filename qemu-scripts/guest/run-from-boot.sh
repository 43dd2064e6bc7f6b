#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-from-boot.sh MODE all | some | none
#
# Runs in the guest, which from-boot.sh has booted with parameters of remotes, in one of
# boot.sh's modes. Prints TAP.
#
#   all    all events from the boot on, in buffers large enough for them, beside the kernel's own
#          events of initcalls
#   some   each parameter, and some that are wrong
#   none   buffers for which there is no memory
# shellcheck source=qemu-scripts/guest/results.sh
. /lib/results.sh

remote=/sys/kernel/tracing/remotes/hypervisor
mode=$1
what=$2
about=$what

has()		# FILE WORD
{
	grep -qw -e "$2" "$1"
	result $? "$1 has $2"
}

is()		# FILE TEXT
{
	[ "$(cat "$1")" = "$2" ]
	result $? "$1 is $2"
}

logged()	# TEXT
{
	dmesg | grep -qF "$1"
	result $? "the log has: $1"
}

# In lines that begin with seconds and microseconds: the latter, without leading zeroes, by which a
# number would be octal
in_us()
{
	sed -E -e 's/^([0-9]+)\.([0-9]{6})/\1\2/' -e 's/^0+([0-9])/\1/'
}

# Lines of the microsecond, the CPU and the event
events_of()	# TRACE
{
	sed -nE 's/^ *\[0*([0-9]+)\]\t *([0-9]+\.[0-9]{6}): (.*)/\2 \1 \3/p' "$1" | in_us
}

# The steps of EL2's start on the CPU that made them, and the hypercall that they are of
check_start()
{
	steps="pool tables switch allocator host_stage2 refcounts fixmap owners ffa vms"
	cpu=$(awk '/hyp_boot step=pool/ { print $2 }' /tmp/events)
	awk -v cpu="$cpu" -v steps="$steps" '
		$2 != cpu { next }
		/host_hcall id=__pkvm_init / { in_call = entered; next }
		$3 == "hyp_enter" { entered = 1 }
		$3 == "hyp_exit" { if (in_call) { ended = returned; exit }; entered = 0 }
		in_call && $3 == "host_hcall_ret" && $4 == "ret=0" { returned = 1 }
		in_call && $3 == "hyp_boot" { sub("step=", "", $4); seen = seen " " $4 }
		END { exit !(ended && seen == " " steps) }' /tmp/events
	result $? "all steps of __pkvm_init, between the events of its call"

	# EL2 owns its memory; pages that follow each other are one event
	owned=$(awk '/step=owners/ { on = 1 } /step=ffa/ { on = 0 }
		on && /host_s2_set_owner .* owner=hyp ret=0$/' /tmp/events | wc -l)
	[ "$owned" -gt 2 ] && [ "$owned" -lt 100 ]
	result $? "EL2 becomes the owner of its memory, in $owned ranges"

	awk '/step=deprivilege/ { cpus[$2] = 1 } END { exit !(cpus[0] && cpus[1]) }' /tmp/events
	result $? "each CPU deprivileges the host"
}

# The first events of each CPU say that EL2 comes up there
check_up()
{
	for cpu in 0 1; do
		awk -v cpu=$cpu '$2 == cpu && nr++ < 2 { text = text " " $4 }
			END { exit text != " step=entered step=up" }' /tmp/events
		result $? "CPU $cpu: the first events are those of EL2 that comes up"
	done
}

# As the kernel prints it
host_time()	# EVENT
{
	sed -nE "s/^.* ([0-9]+\.[0-9]{6}): $1.*/\1/p" /sys/kernel/tracing/trace | in_us
}

# The time is the kernel's: all that KVM's initcall does is between its begin and its end
check_clock()
{
	begin=$(host_time 'initcall_start: func=kvm_arm_init')
	end=$(host_time 'initcall_finish: func=kvm_arm_init')
	first=$(awk '{ print $1; exit }' /tmp/events)
	up=$(awk '/step=up/ { print $1; exit }' /tmp/events)
	[ "$begin" ] && [ "$end" ] && [ "$begin" -le "$first" ] && [ "$up" -le "$end" ]
	result $? "EL2 comes up in KVM's initcall: $begin $first $up $end"
}

# All of the trace, and the host's, are in a recording. After that they are gone
check_recording()
{
	hyptrace record --from-boot -o /tmp/boot.dat 2>/tmp/recorded
	result $? "it can be recorded"
	grep -q " $(wc -l </tmp/events) hypervisor events, .* 0 lost$" /tmp/recorded
	result $? "all of it is recorded: $(cat /tmp/recorded)"
	hyptrace check /tmp/boot.dat >/tmp/checked
	result $? "the recording accounts for it: $(tail -n 1 /tmp/checked)"
	hyptrace report /tmp/boot.dat |
		awk '/host .* initcall_start: func=kvm_arm_init/ { state = 1 }
			state == 1 && /hyp .* hyp_boot: step=entered/ { state = 2 }
			state == 2 && /host .* initcall_finish: func=kvm_arm_init/ { state = 3 }
			END { exit state != 3 }'
	result $? "host and hypervisor are in one order"

	hyptrace stat /tmp/boot.dat >/tmp/stat
	steps="deprivilege entered fixmap ffa host_stage2 owners pool refcounts switch tables vms allocator"
	[ "$mode" != nvhe ] || steps=entered
	for step in $steps; do
		grep -qE "^$step +[1-9]" /tmp/stat
		result $? "stat has the step $step"
	done

	hyptrace record --from-boot -o /tmp/again.dat 2>/tmp/again
	[ $? = 1 ] && grep -q "the hypervisor has not been traced" /tmp/again
	result $? "it is recorded once"
}

check_all()
{
	for cpu in 0 1; do
		has per_cpu/cpu$cpu/stats "overrun: 0"
		has per_cpu/cpu$cpu/stats "dropped events: 0"
	done
	is tracing_on 1
	taskset 1 sh -c 'echo 1234 >write_event'
	echo 0 >tracing_on
	events_of trace >/tmp/events
	[ "$(grep -c 'selftest id=1234' /tmp/events)" = 1 ]
	result $? "the same buffer goes on"

	awk '$1 < last[$2] { print "# after " last[$2] ": " $0; bad = 1 }
		{ last[$2] = $1 } END { exit bad }' /tmp/events
	result $? "no time goes back"
	awk '$3 == "hyp_enter" { if (in_el2[$2]++) bad = 1 }
		$3 == "hyp_exit" { if (--in_el2[$2]) bad = 1 }
		END { exit bad }' /tmp/events
	result $? "each visit has its begin and its end"
	check_up
	check_clock
	[ "$mode" = nvhe ] || check_start
	[ "$(grep -c 'trace_on flags=' /tmp/events)" = 2 ]
	result $? "the writers are switched on once"
	check_recording
}

check_some()
{
	is tracing_on 1
	has trace_clock '\[mono\]'
	is options/overwrite 0
	is events/hypervisor/hyp_exit/enable 1
	is events/hypervisor/mem_transition/enable '1*'
	is events/hypervisor/host_hcall/enable 0
	is events/hypervisor/hyp_exit/filter "reason == 6"
	has events/hypervisor/mem_transition/trigger 'traceoff:count=1 if pfn == 1'
	is buffer_size_kb "512 (loaded)"
	logged "hypervisor: trace_remote=: there is no event no_such_event"
	logged "hypervisor: trace_remote_clock=hypervisor:sundial: error -22"
	logged "hypervisor: trace_remote_buf_size=hypervisor:0: error -22"
	logged "hypervisor: trace_remote_buf_size=hypervisor:12x: error -22"
	logged "hypervisor: trace_remote_options=: cannot set fast: error -22"
	logged "hypervisor: trace_remote_filter=hypervisor:hyp_exit.colour == 3: error -22"
	logged "hypervisor: trace_remote_filter=hypervisor:no_such_event.reason == 3: error -2"
	logged "hypervisor: trace_remote_filter=hypervisor:hyp_exit: error -2"
	logged "hypervisor: trace_remote_trigger=hypervisor:hyp_exit.explode: error -22"
	logged "trace_remote_mem=nowhere: there is no such remote so far"
	logged "trace_remote=no_such_remote: there is no such remote so far"

	hyptrace record --from-boot -o /tmp/boot.dat 2>/tmp/refused
	[ $? = 1 ] && grep -q "by the clock 'mono', the host by 'local'" /tmp/refused
	result $? "there is no recording by two clocks"
	is tracing_on 1
	echo 0 >tracing_on
	events_of trace >/tmp/events
	[ "$(grep -c ' hyp_exit ' /tmp/events)" -gt 10 ] &&
		! grep ' hyp_exit ' /tmp/events | grep -v 'reason=eret_host'
	result $? "the filter is there from the boot on"
	! grep -vE '^[0-9]+ [01] (hyp_exit|mem_transition|trace_on|trace_off) ' /tmp/events
	result $? "only these events"
	# The header of the first record, which EL2 had in its log: an id, and nothing above it
	for cpu in 0 1; do
		first=$(dd if=per_cpu/cpu$cpu/trace_pipe_raw bs=4096 count=1 2>/dev/null |
			od -A n -t x4 -j 20 -N 4)
		[ "${first# 0000}" != "$first" ]
		result $? "CPU $cpu: the header of the first record is an id: $first"
	done

	insmod /root/remote_test.ko
	logged "test: trace_remote_mem: no memory was reserved as 'nothing'"
	is ../test/tracing_on 1
	is ../test/events/test/selftest/enable 1
	is ../test/buffer_size_kb "100 (loaded)"
	rmmod remote_test
	insmod /root/remote_test.ko
	is ../test/tracing_on 1
	rmmod remote_test
}

# Nothing of the boot is in a trace that begins later
check_none()
{
	logged "hypervisor: cannot trace from the boot on: error -12"
	is tracing_on 0
	echo 64 >buffer_size_kb
	hyp_workload -n 2
	echo 0 >/sys/devices/system/cpu/cpu1/online
	echo 1 >tracing_on
	echo 1 >/sys/devices/system/cpu/cpu1/online
	taskset 2 sh -c 'echo 1234 >write_event'
	echo 0 >tracing_on
	for cpu in 0 1; do
		has per_cpu/cpu$cpu/stats "dropped events: 0"
	done
	events_of trace >/tmp/events
	grep -q 'selftest id=1234' /tmp/events
	result $? "it can be traced later"
	! grep -q 'id=__pkvm_init' /tmp/events
	result $? "and what happened during the boot is not in the trace"
}

cd "$remote" || exit 1
check_"$what"
echo "1..$nr"
