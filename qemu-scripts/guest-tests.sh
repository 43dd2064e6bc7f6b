#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: guest-tests.sh [PROGRAM]...
#        guest-tests.sh --run COMMAND...
#
# Runs in the guest: every test program beside it, or those named, TAP to standard output, one
# "# suite NAME" line before each. A suite that dies or says nothing fails. If the
# module remote_test.ko is there, the tests run on its remote as well.
#
# The second form runs one command, its output as it comes.
#
# Whatever the kernel's checks report meanwhile fails, too: warnings, KASAN, UBSAN,
# KCSAN, lockdep, poisoned memory, objects, leaks. That this is so is tested first.
cd "$(dirname "$0")" || exit 1

# How reports of the kernel and of EL2 begin
REPORTS='WARNING:|BUG[: ]|Oops|Internal error|nVHE hyp (panic|BUG)|UBSAN:|ODEBUG:|pagealloc:'
REPORTS="$REPORTS|suspected memory leaks|INFO: (task|trying|lockdep|rcu)|rcu: INFO:|Kernel panic"
# The base warns when memory is refused for an ordinary ring buffer, or for the probe that
# notes the names of tasks, which is what faults does to record
EXPECTED='WARNING: .* (trace_rb_cpu_prepare|tracepoint_probe_unregister)\+'
KMEMLEAK=/sys/kernel/debug/kmemleak
log=/tmp/kernel.log

# Of KCSAN's reports those of a race in a function of the list, if there is one
our_races()
{
	awk '
	NR == FNR { ours[$1] = 1; next }
	!/BUG: KCSAN: / { print; next }
	{
		for (i = 1; i <= NF; i++) {
			name = $i
			sub(/[.+].*/, "", name)
			if (name in ours) { print; next }
		}
	}' our-functions -
}

# What the kernel has said since the last time
reports()
{
	dmesg -c >"$log"
	if [ -f our-functions ]; then
		our_races <"$log"
	else
		cat "$log"
	fi | grep -vE "$EXPECTED" | grep -E "$REPORTS"
}

# TAP for what the kernel has said since the last time, WHAT being the test
check_log()	# WHAT
{
	if reports >/tmp/reports; then
		sed 's/^/# /' "$log"
		echo "not ok 1 the kernel's log of $1: $(head -n 1 /tmp/reports)"
	fi
}

# One of each kind, the way that a real one takes
plant_reports()
{
	while read -r text; do
		echo "$text" >/dev/kmsg
		reports >/tmp/reports || echo "not ok 1 a planted report is missed: $text"
	done <<-EOF
		WARNING: CPU: 0 PID: 1 at kernel/trace/planted.c:1
		WARNING: possible circular locking dependency detected
		WARNING: suspicious RCU usage
		BUG: KASAN: slab-use-after-free in planted
		BUG: KCSAN: data-race in planted / trace_pipe_read
		BUG: sleeping function called from invalid context at planted.c:1
		BUG kmalloc-64 (Not tainted): Left Redzone overwritten
		UBSAN: shift-out-of-bounds in planted.c:1:1
		ODEBUG: free active (active state 0) object: planted
		pagealloc: memory corruption
		kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
		INFO: trying to register non-static key.
		INFO: task planted:1 blocked for more than 120 seconds.
		rcu: INFO: rcu_sched self-detected stall on CPU
		Internal error: Oops: 96000004
		kvm [1]: nVHE hyp BUG at: planted
	EOF
	dmesg -c >/dev/null
	echo "ok 1 planted reports are found"
}

# An object is reported when it is 5 s old; a first look may find a pointer on a stack
check_leaks()
{
	[ -e "$KMEMLEAK" ] || return 0
	sleep 6
	echo scan >"$KMEMLEAK"
	echo scan >"$KMEMLEAK"
	if grep -q 'unreferenced object' "$KMEMLEAK"; then
		sed 's/^/# /' "$KMEMLEAK"
		echo "not ok 1 leaked objects"
	else
		echo "ok 1 no leaked object"
	fi
}

# With CPUs that go and come under load, the scheduler's server for ordinary tasks miscounts
# and warns (dl_rq->running_bw > old), under a lock that printk() must not be called with
stop_fair_server()
{
	for runtime in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[ ! -e "$runtime" ] || echo 0 >"$runtime"
	done
}

load_module()
{
	[ ! -f remote_test.ko ] || insmod remote_test.ko || echo "not ok 1 remote_test.ko"
}

# Time for tests, many times as much on a kernel that checks every access
set_slack()
{
	if zcat /proc/config.gz 2>/dev/null | grep -Eq '^CONFIG_(KASAN|KCSAN)=y'; then
		export HYPTRACE_SLACK=20
	fi
}

run_suite()	# PROGRAM
{
	echo "# suite $1, after $(cut -d ' ' -f 1 /proc/uptime) s"
	"./$1" >/tmp/suite.log 2>&1
	status=$?
	cat /tmp/suite.log
	case $status in
	0 | 4) grep -Eq '^(ok|1\.\.0)' /tmp/suite.log || echo "not ok 1 $1: no result" ;;
	*) grep -q '^not ok' /tmp/suite.log || echo "not ok 1 $1: status $status" ;;
	esac
	check_log "$1"
}

echo "# suite kernel_log"
check_log boot
plant_reports
stop_fair_server
[ ! -e /sys/kernel/debug/kcsan ] || echo on >/sys/kernel/debug/kcsan
if [ "${1-}" = --run ]; then
	shift
	"$@"
	status=$?
	check_log "$1"
	exit $status
fi
load_module
set_slack
[ $# -gt 0 ] || set -- *
for program; do
	case $program in
	*.sh | *.ko | hyp_workload | hostile) continue ;;
	esac
	[ -x "$program" ] && [ -f "$program" ] && run_suite "$program"
done

echo "# suite leaked"
check_leaks
check_log "the rest"
