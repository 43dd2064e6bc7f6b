#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-tests.sh [OPTION]... [PROGRAM[:TEST]]...
#        run-tests.sh --run COMMAND...
#
# Runs in the guest: runs all test programs beside it that this kernel has something for, or
# those that are named, or one test of such a program. Prints TAP, with a line "# suite NAME"
# before each program. A program that dies or prints no result fails.
#
#   --without PREFIX   leave out variants whose names begin with PREFIX. Those of the
#                      remote "test" begin with "software", and are left out if
#                      remote_test.ko is not there
#   --not TEST         leave out this test; may repeat
#   --cycles N         the number of cycles of leak.c
#   --part N/M         of all programs, or those that are named, run the Nth of every M
#   --functions        meanwhile, all functions of EL2 are traced, but nothing is recorded, as
#                      set_graph_function has a function that is never called
#
# The second form runs one command, and prints its output as it comes.
#
# A report of the kernel's own checks is a failure, too: warnings, KASAN, UBSAN, KCSAN,
# lockdep, poisoned memory, objects, leaks. The script first tests that it finds these.
cd "$(dirname "$0")" || exit 1

# How reports of the kernel and of EL2 begin
REPORTS='WARNING:|BUG[: ]|Oops|Internal error|nVHE hyp (panic|BUG)|UBSAN:|ODEBUG:|pagealloc:'
REPORTS="$REPORTS|suspected memory leaks|INFO: (task|trying|lockdep|rcu)|rcu: INFO:|Kernel panic"
# The base kernel warns when an allocation fails for an ordinary ring buffer, or for the
# probe that records the names of tasks. The program "faults" makes both fail. Seen once on a
# busy machine: a CPU that goes off counts a task that is in no list any more
EXPECTED='WARNING: .* (trace_rb_cpu_prepare|tracepoint_probe_unregister|sched_cpu_dying)\+'
KMEMLEAK=/sys/kernel/debug/kmemleak
log=/tmp/kernel.log

# Drops KCSAN's reports that name no function of the list "our-functions"
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

# Prints what the kernel and EL2 have reported since the last call
reports()
{
	dmesg -c >"$log"
	if [ -f our-functions ]; then
		our_races <"$log"
	else
		cat "$log"
	fi | grep -vE "$EXPECTED" | grep -E "$REPORTS"
}

# Prints a failure of the test WHAT if there are reports since the last call
check_log()	# WHAT
{
	if reports >/tmp/reports; then
		sed 's/^/# /' "$log"
		echo "not ok 1 the kernel's log of $1: $(head -n 1 /tmp/reports)"
	fi
}

# Writes a report of each kind to the kernel's log, and checks that it is found
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

# kmemleak reports an object when it is 5 s old. The first scan may miss one, as there may be
# an old pointer to it on a stack
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

# When CPUs go offline and come back under load, the scheduler's fair server miscounts and
# warns (dl_rq->running_bw > old), while it holds a lock that printk() must not be called with
stop_fair_server()
{
	for runtime in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[ ! -e "$runtime" ] || echo 0 >"$runtime"
	done
}

load_module()
{
	if [ -f remote_test.ko ]; then
		insmod remote_test.ko || echo "not ok 1 remote_test.ko"
	elif [ ! -e /sys/kernel/tracing/remotes/test ]; then	# nor built in
		without="$without software"
	fi
}

# A factor for the time limits of tests, which only end a test that hangs: enough for a busy
# machine, and for a kernel that checks every access
export HYPTRACE_SLACK=20

# Prints options of the kselftest harness that leave out variants and tests that run
# elsewhere, as they need another kernel or more time
left_out()	# PROGRAM
{
	for prefix in $without; do
		"./$1" -l 2>&1 | grep -oE "\<${prefix}[a-z0-9_]*\>"
	done | sort -u | sed 's/^/-V /'
	for test in $not; do
		echo "-T $test"
	done
	[ "${HYPTRACE_HOURS-}" ] || echo "-T over_hours"
	# Without fault injection, only the remote "test" can be told to refuse
	[ "$1" != refused ] || [ -d /sys/kernel/debug/fail_hyp_trace ] || echo "-V hypervisor"
}

remote=/sys/kernel/tracing/remotes/hypervisor

# Two programs are for kernels that have function tracers, and that can let allocations fail
runs_here()	# PROGRAM
{
	case $1 in
	*.sh | *.ko | hyp_workload | hostile | kexec) return 1 ;;
	# It chooses itself what is traced
	functions) [ $functions = no ] && [ -e $remote/current_tracer ] || return 1 ;;
	faults) [ -d /sys/kernel/debug/failslab ] || return 1 ;;
	esac
	[ -x "$1" ] && [ -f "$1" ]
}

# The harness does not mind if a test that is to be left out does not exist
need_test()	# TEST
{
	for program in *; do
		! runs_here "$program" || "./$program" -l 2>&1
	done | grep -q "\<$1\$" || echo "not ok 1 there is no test '$1'"
}

trace_functions()
{
	[ $functions = yes ] || return 0
	echo bench_deep >$remote/set_graph_function && echo function_graph >$remote/current_tracer ||
		echo "not ok 1 functions cannot be traced"
}

# They were traced until now
end_functions()	# PROGRAM
{
	[ $functions = yes ] || return 0
	[ "$(cat $remote/set_graph_function $remote/current_tracer)" = "__kvm_nvhe_bench_deep
function_graph" ] || echo "not ok 1 $1 has changed the tracer"
	echo nop >$remote/current_tracer
	: >$remote/set_graph_function
}

run_suite()	# PROGRAM [TEST]
{
	trace_functions
	echo "# suite $1, after $(cut -d ' ' -f 1 /proc/uptime) s"
	# shellcheck disable=SC2046	# words
	"./$1" $(left_out "$1") ${2:+-t "$2"} >/tmp/suite.log 2>&1
	status=$?
	cat /tmp/suite.log
	case $status in
	0 | 4) grep -Eq '^(ok|1\.\.0)' /tmp/suite.log || echo "not ok 1 $1: no result" ;;
	*) grep -q '^not ok' /tmp/suite.log || echo "not ok 1 $1: status $status" ;;
	esac
	end_functions "$1"
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
without=
not=
part=1/1
functions=no
while :; do
	case ${1-} in
	--without) without="$without $2" ;;
	--not)
		need_test "$2"
		not="$not $2"
		;;
	--cycles) export HYPTRACE_CYCLES="$2" ;;
	--part) part=$2 ;;
	--functions)
		functions=yes
		shift
		continue
		;;
	*) break ;;
	esac
	shift 2
done
load_module
named=yes
[ $# -gt 0 ] || {
	named=no
	set -- *
}
turn=0
for program; do
	test=${program#"${program%%:*}"}
	program=${program%%:*}
	runs_here "$program" || {
		[ $named = no ] || echo "not ok 1 $program is not there, or not for this kernel"
		continue
	}
	turn=$((turn % ${part#*/} + 1))
	[ $turn != "${part%/*}" ] ||
		run_suite "$program" ${test:+"${test#:}"}
done

echo "# suite leaked"
check_leaks
check_log "the rest"
