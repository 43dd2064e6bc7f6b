#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# hyptrace record --stop-on: what led to an event is in the file, and nothing is left behind. Runs
# as root in a guest on virtual time with the remote, hyptrace and hyp_workload in PATH.
# shellcheck disable=SC2086,SC2154 # $D, $T, $R of tap.sh: no spaces
# shellcheck source=tools/tracing/hyptrace/tests/tap.sh
. "$(dirname "$0")/tap.sh"

F=$D/trace.dat

# For hyptrace compare
knows_time()
{
	hyptrace record -q -o $F -- true && grep -aq "hyptrace: time=virtual$" $F && rm $F
}
check "the file says that time is virtual" knows_time

# Files are not written in the background of an error
no_file()
{
	[ ! -e $F ] && [ ! -e $F.part ]
}

expect 1 "^hyptrace: .*expected an event" hyptrace record -o $F --stop-on ''
expect 1 "nosuch" hyptrace record -o $F --stop-on 'nosuch id == 1'
expect 1 "expected one event" hyptrace record -o $F --stop-on hypervisor
expect 1 "Field not found" hyptrace record -o $F --stop-on 'selftest nosuch > 1us' -- true
expect 1 "Field not found" hyptrace record -o $F --stop-on 'selftest duration > 1us' -- true
expect 1 "too large" hyptrace record -o $F --stop-on 'hyp_exit duration > 99999999999s'
expect 2 "bad time '1x'" hyptrace record -o $F --stop-on selftest --keep 1x
expect 2 "bad time '0ms'" hyptrace record -o $F --stop-on selftest --keep 0ms
expect 2 "without --stop-on" hyptrace record -o $F --keep 1ms
expect 2 "no-overwrite with --stop-on" hyptrace record -o $F --stop-on selftest --no-overwrite
expect 2 "host-only with --stop-on" hyptrace record -o $F --stop-on selftest --host-only
expect 1 "another one with --clock" hyptrace record -o $F -C counter --stop-on selftest -- true
expect 1 "has not happened: nothing was written" \
	hyptrace record -o $F --stop-on 'selftest id == 43' -- sh -c "echo 42 >$R/write_event"
expect 1 "has not happened" hyptrace record -o $F --stop-on 'selftest id == 43' -d 50ms
check "nothing was written" no_file

echo traceon >$R/events/hypervisor/selftest/trigger
expect 1 "has a trigger that switches tracing already" \
	hyptrace record -o $F --stop-on 'selftest id == 43' -- true
echo '!traceon' >$R/events/hypervisor/selftest/trigger

# The event is the last one of its CPU. It was not asked for by -E
stops_at_42()
{
	hyptrace record -q -o $F -E hyp_enter --stop-on 'selftest id == 42' -- sh -c "
		for i in 40 41 42 43 44; do echo \$i >$R/write_event; done; sleep 10" &&
	hyptrace report $F | grep -e ' selftest: ' -e ' hyp_enter: ' >$D/events &&
	grep -q 'selftest: id=41' $D/events &&
	tail -n 1 $D/events | grep -q 'selftest: id=42$' &&
	hyptrace check $F | grep -q 'violations=0 .*unaccounted=0'
}
check "the event is the last one" stops_at_42

# What it says: the event, and what to do next
says()		# OPTION...
{
	hyptrace record -o $F "$@" --stop-on 'selftest id == 42' -- \
		sh -c "echo 42 >$R/write_event" 2>$D/err
	grep -q 'CPU [0-9]* has stopped tracing: .*selftest id=42$' $D/err &&
		grep -q "next: hyptrace why $F$" $D/err && ! grep -q held $D/err
}
check "it says what has stopped it" says
[ ! -e $R/options/stacktrace ] || check "also if a stack follows" says --stacks

# With --why, record goes on as hyptrace why, with the same output
hands_over()
{
	hyptrace record -o $F --why --stop-on 'selftest id == 42' -- sh -c "
		hyp_workload -n 50 >$D/work; echo 42 >$R/write_event" >$D/out 2>$D/err &&
	hyptrace why $F >$D/why && grep -q 'To blame: ' $D/why && cmp $D/out $D/why &&
	! grep -q 'next:' $D/err
}
check "with --why, it says what led to the event" hands_over

# A visit of more than 10 us, as there are in protected mode when a VM is made: the last exit is
# that long after its entry
slow_visit()
{
	hyptrace record -q -o $F --stop-on 'hyp_exit duration > 10us' -- hyp_workload -n 50 &&
	hyptrace report $F | grep -e ' hyp_enter: ' -e ' hyp_exit: ' | tail -n 2 >$D/last &&
	awk '
	{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+$/) t[NR] = $i; what[NR] = $0 }
	END { exit !(what[1] ~ / hyp_enter: / && what[2] ~ / hyp_exit: / &&
		     t[2] - t[1] > 0.0000095) }' $D/last
}
check "a slow visit stops it" slow_visit

# From the first event of the hypervisor to the last one. Those of the host are few, so that one
# sub-buffer may have all of them. Whole sub-buffers are kept, so the work is one event after the
# other
span_ms()
{
	hyptrace report $F | awk '
	!/ hyp  / { next }
	{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+$/) { t = $i; break } }
	!first { first = t } END { print int((t - first) * 1000) }'
}

work="for i in \$(seq 100 2000); do echo \$i >$R/write_event; done; echo 42 >$R/write_event"
keeps()
{
	hyptrace record -q -b 8192 -o $F --stop-on 'selftest id == 42' -- sh -c "$work" || return
	all=$(span_ms)
	hyptrace record -q -b 8192 -o $F --stop-on 'selftest id == 42' --keep 2ms -- \
		sh -c "$work" || return
	some=$(span_ms)
	echo "# all $all ms, some $some ms"
	[ $all -ge 8 ] && [ $some -ge 2 ] && [ $some -le $((all / 2)) ] &&
		hyptrace check $F | tee $D/check | grep -q 'violations=0 .*unaccounted=0' &&
		! grep -q 'lost=0 ' $D/check
}
check "it keeps only the last time" keeps

# A buffer that is too small is not silent
held_less()
{
	hyptrace record -b 16 -o $F --stop-on 'selftest id == 42' --keep 1s -- \
		sh -c "$work" 2>$D/err || return
	grep -q 'held only the last .*s before that, not 1.000s' $D/err
}
check "it says that the buffers held less" held_less

# Send a signal to one that waits for the event
interrupt()	# SIGNAL FILE
{
	hyptrace record -q -o $2 --stop-on 'selftest id == 42' 2>$D/err &
	until grep -q traceoff:unlimited $R/events/hypervisor/selftest/trigger; do sleep 0.01; done
	kill -$1 $!
	wait $!
}

# No file, and no trigger
ended()
{
	state >$D/before
	interrupt INT $D/signal.dat
	state >$D/after
	[ ! -e $D/signal.dat ] && cmp $D/before $D/after
}
check "a signal leaves nothing behind" ended

# Killed: the next one removes the trigger
killed()
{
	state >$D/before
	interrupt KILL $D/killed.dat
	hyptrace record -q -o $F -d 10ms 2>$D/err
	state >$D/after
	cmp $D/before $D/after
}
check "what a killed one has left is removed" killed

echo "1..$nr"
