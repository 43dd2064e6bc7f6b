#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-docs.sh
#
# Runs in the guest: runs every example that the file "list" beside it names, each
# with a fresh trace. Prints TAP without numbers, which docs.sh adds.
# shellcheck source=qemu-scripts/guest/results.sh
. /lib/results.sh
cd "$(dirname "$0")" || exit 1
here=$PWD
remote=/sys/kernel/tracing/remotes/hypervisor
log=/tmp/example.log

# Restores the state that a remote has after boot
reset_remote()
{
	grep -l '^traceoff' $remote/events/*/*/trigger | while read -r file; do
		echo '!traceoff' >"$file"
	done
	echo 0 >$remote/tracing_on
	echo 0 >$remote/events/enable
	echo >$remote/trace
	# A reader that was killed may not be gone yet
	tries=50
	while grep -q '(loaded)' $remote/buffer_size_kb && [ $tries -gt 0 ]; do
		sleep 0.1
		echo >$remote/trace
		tries=$((tries - 1))
	done
	echo local >$remote/trace_clock
	echo nop >$remote/current_tracer
	: >$remote/set_graph_function
	echo 1 >$remote/options/overwrite
	echo 0 >$remote/options/stacktrace
	echo 1408 >$remote/buffer_size_kb
}

# Programs find tracing on, and 20 events on CPU 0
prepare_program()
{
	echo 1 >$remote/events/hypervisor/selftest/enable
	echo 1 >$remote/tracing_on
	taskset 1 sh -c "for i in \$(seq 20); do echo \$i >$remote/write_event; done"
}

prints()	# TEXT
{
	[ -z "$1" ] || grep -qF -- "$1" $log && return
	echo "did not print: $1" >>$log
	return 1
}

# The example has to print something and keep running
run_endless()	# NAME
{
	setsid sh -e "$here/$1" >$log 2>&1 &
	wait_for test -s $log
	sleep 2
	if ! kill -- -$! 2>/dev/null; then
		echo "ended" >>$log
		return 1
	fi
	wait $! 2>/dev/null
	[ -s $log ]
}

run()		# KIND NAME ARGUMENT
{
	case $1 in
	c) prepare_program && timeout 300 "$here/$2" >$log 2>&1 && prints "$3" ;;
	sh) timeout 300 sh -e "$here/$2" >$log 2>&1 </dev/null && prints "$3" ;;
	endless) run_endless "$2" ;;
	esac
}

while read -r kind name argument; do
	if reset_remote && cd /tmp && run "$kind" "$name" "$argument" </dev/null; then
		echo "ok $name"
	else
		head -n 30 $log | sed 's/^/# /'
		echo "not ok $name"
	fi
done <"$here/list"
