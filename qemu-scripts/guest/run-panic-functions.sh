#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-panic-functions.sh call | SYMBOL OFFSET
#
# Runs in the guest, with the module crash.ko beside it, and lets EL2 panic while the graph
# of its functions is recorded; panic-functions.sh checks the backtrace.
#
#   call            in a hypercall, while all functions are hooked
#   SYMBOL OFFSET   at an instruction of what hooks functions, which is replaced by one that is
#                   undefined. It is executed in calls of bench_deeper(), of which all are
#                   hooked for which there is room
here=$(dirname "$(realpath "$0")")
place=

if [ "$1" != call ]; then
	place=$(sed -n "s/^\([0-9a-f]*\) . __kvm_nvhe_$1\$/0x\1/p" /proc/kallsyms)
	[ "$place" ] || exit 1
	place="text=$(printf '0x%x' $((place + $2)))"
fi
insmod "$here/crash.ko" ${place:+"$place"} || exit 1
cd /sys/kernel/tracing/remotes/hypervisor || exit 1
if [ "$place" ]; then
	echo bench_deep bench_deeper >set_ftrace_filter
	echo bench_deep >set_graph_function
fi
echo function_graph >current_tracer
echo 1 >tracing_on
if [ ! "$place" ]; then
	echo 1 >/sys/kernel/debug/crash
else
	echo 5 2>/dev/null >/sys/kernel/debug/crash
	echo 8 >/sys/kernel/debug/hyp_bench
fi
