#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-functions.sh
#
# Runs in the guest: records a workload with the graph of EL2's functions, and checks what
# hyptrace and trace-cmd make of it; the same while a CPU goes off and comes back. Prints TAP.
# shellcheck source=qemu-scripts/guest/results.sh
. /lib/results.sh

file=/tmp/trace.dat
# A function that calls no other one, and one that runs when a CPU goes off. Without protection,
# EL2 walks no page tables, and the host calls the firmware itself
leaf=leaf_walker
calls_firmware=psci
if ! dmesg | grep -q ' Protected .* mode initialized'; then
	leaf=__sysreg_save_state_nvhe
	calls_firmware=__kvm_vcpu_run
fi

is_complete()	# FILE
{
	hyptrace check "$1" | tee /tmp/check
	grep -q '^check: .* violations=0 lost=0 unaccounted=0 ' /tmp/check
}

hyptrace record --graph -q -b 8192 -o $file -- hyp_workload -n 3
result $? "functions: recorded"
is_complete $file
result $? "functions: all events are there, in order"
hyptrace graph $file >/tmp/graph
grep '^calls: recorded=[0-9]* too_deep=0 without_return=0$' /tmp/graph &&
	grep -q ' handle_trap$' /tmp/graph && grep -q ' handle___kvm_vcpu_run$' /tmp/graph
result $? "functions: each call has its return"

# Records, while a CPU goes off and comes back, and all calls of it are there
hotplug()
{
	hyptrace record --graph -q -b 8192 -o /tmp/hotplug.dat -- sh -c '
		for i in 1 2; do
			echo 0 >/sys/devices/system/cpu/cpu1/online &&
			hyp_workload -n 1 &&
			echo 1 >/sys/devices/system/cpu/cpu1/online &&
			hyp_workload -n 1 || exit
		done' &&
	is_complete /tmp/hotplug.dat &&
	hyptrace graph /tmp/hotplug.dat | grep '^calls: recorded=[0-9]* too_deep=0 ' &&
	hyptrace report -P 1 /tmp/hotplug.dat | grep -q "funcgraph_entry: .* $calls_firmware"
}

hotplug
result $? "functions: a CPU goes off and comes back"
# Of each call, trace-cmd prints where it begins. A call of nothing else is one line there
for name in 'handle_trap() {' 'handle___kvm_vcpu_run() {' "$leaf"; do
	ours=$(hyptrace report $file | grep -c "funcgraph_entry: .* $name")
	theirs=$(trace-cmd report $file 2>/dev/null |
		 grep -ac "funcgraph_entry: .* __kvm_nvhe_$name")
	[ "$ours" -gt 0 ] && [ "$ours" = "$theirs" ]
	result $? "functions: $theirs calls of ${name%%(*} by trace-cmd, $ours by hyptrace"
done
echo "1..$nr"
