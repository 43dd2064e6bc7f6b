#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What hyptrace live and top print, and that they restore tracefs. TAP; runs as root in a
# guest that has the remote, with hyptrace and hyp_workload in PATH, and the program pty
# in the directory of this script.
# shellcheck disable=SC2086,SC2046 # $D, $T and numbers: no spaces

# shellcheck source=tools/tracing/hyptrace/tests/tap.sh
. "$(dirname "$0")/tap.sh"

# The sum of the numbers in standard input
total()
{
	awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# The length of its longest line
longest()
{
	awk '{ if (length > n) n = length } END { printf "%.0f\n", n }'
}

# Events, host events and lost events, as the kernel has counted them
counted()
{
	n='\([0-9]*\)'
	sed -n "s/.*: $n hypervisor events, $n host events, $n lost\$/\1 \2 \3/p" $D/err
}

# The same, as they were printed
printed()
{
	echo "$(grep -v '\*\*\*' $D/out | grep -c '^\[[0-9]*\] .* hyp ')" \
		"$(grep -v '\*\*\*' $D/out | grep -c '^\[[0-9]*\] .* host ')" \
		"$(sed -n 's/.* \*\*\* \([0-9]*\) events lost$/\1/p' $D/out | total)"
}

in_order()
{
	cut -c7-22 $D/out >$D/times
	sort -c $D/times
}

# A sub-buffer that is too full to hold the number of lost events has a mark only
vague()
{
	grep -q '\*\*\* events lost, number unknown$' $D/out
}

# All, except for lost events without a number
complete()
{
	if vague; then
		[ "$(counted | cut -d ' ' -f 1,2)" = "$(printed | cut -d ' ' -f 1,2)" ] &&
			[ "$(counted | cut -d ' ' -f 3)" -gt "$(printed | cut -d ' ' -f 3)" ]
	else
		[ "$(counted)" = "$(printed)" ]
	fi
}

several()	# NUMBER...
{
	for n; do
		[ $n -gt 100 ] || return 1
	done
}

check_printed()	# TEXT
{
	echo "# counted $(counted), printed $(printed)"
	check "$1: each event once" complete
	check "$1: in order" in_order
}

# Without the output of COMMAND. The buffers are large enough for all, however slow live is
expect 0 ", 0 lost$" hyptrace live -b 16384 -- sh -c "hyp_workload -n 40 >/dev/null"
check_printed "whole"
check "both sides" several $(counted | cut -d ' ' -f 1,2)
check "names of tasks" grep -q ' hyp_workload-[0-9]* *hyp_enter: reason=hvc' $D/out

# It sleeps while buffers overflow
expect 0 "lost" hyptrace live -b 8 -- \
	sh -c "hyp_workload -n 60 >/dev/null & kill -STOP \$PPID; wait; kill -CONT \$PPID"
check_printed "with losses"
check "losses" several $(counted | cut -d ' ' -f 3)

# One side, a filter, one CPU
expect 0 " 0 host events" hyptrace live --hyp-only -- sh -c "echo 7 >$R/write_event"
check "--hyp-only" grep -q ' hyp .* selftest: id=7$' $D/out
expect 0 " 0 hypervisor events" hyptrace live --host-only -- sleep 0.2
check "--host-only" grep -q ' host .* sched_switch: ' $D/out
expect 0 " 1 hypervisor events" hyptrace live -E selftest -f 'id > 7' -- \
	sh -c "for i in 6 7 8; do echo \$i >$R/write_event; done"
check "a filter" grep -q 'selftest: id=8$' $D/out
expect 0 " hypervisor events, " hyptrace live -P 1 -- sh -c "hyp_workload -t 1 >/dev/null"
check "one CPU" [ "$(cut -c1-5 $D/out | sort -u)" = "[001]" ]

# An event is printed while live still runs
hyptrace live -q -E selftest >$D/out &
live=$!
# In this order: before its events are enabled, tracing goes on and off once
until [ "$(cat $R/events/hypervisor/selftest/enable)" = 1 ] && [ "$(cat $R/tracing_on)" = 1 ]; do
	sleep 0.1
done
echo 42 >$R/write_event
check "an event is printed as it happens" wait_for grep -q 'selftest: id=42$' $D/out
kill -INT $live
wait $live
check "ends by Ctrl-C" [ $? -eq 0 ]

terminated()
{
	hyptrace live >/dev/null &
	until [ "$(cat $R/tracing_on)" = 1 ]; do
		sleep 0.1
	done
	kill $!
	wait $!
}

expect 143 "hypervisor events" terminated
expect 0 "hypervisor events" sh -c "hyptrace live -- sleep 30 | head -n 3"
check "head got its lines" [ "$(wc -l <$D/out)" -eq 3 ]
expect 1 "No space left" sh -c "hyptrace live -d 5s >/dev/full"

expect 0 " hypervisor events, " hyptrace live --color=always -- sh -c "echo 7 >$R/write_event"
check "colours" grep -q "^$(printf '\033')\[36m.* selftest: id=7$(printf '\033')" $D/out
for color in never auto; do
	expect 0 " hypervisor events, " hyptrace live --color=$color -- \
		sh -c "echo 7 >$R/write_event"
	check "no colours: $color" [ "$(grep -c "$(printf '\033')" $D/out)" -eq 0 ]
done

expect 2 "bad color 'red': expected auto, always or never$" hyptrace live --color=red
expect 2 "bad color 'a': expected auto, always or never$" hyptrace live --color=a
expect 2 "exclude all events: expected one of them" hyptrace live --hyp-only --host-only
expect 127 "nosuchcommand" hyptrace live -q -- nosuchcommand
expect 1 "nosuchevent" hyptrace live -E nosuchevent

# On a terminal
mkdir -p /dev/pts
mount -t devpts none /dev/pts
pty="timeout -s KILL 600 $(dirname "$0")/pty"
end_of_file=$(printf '\004')
export TERM=linux
esc=$(printf '\033')
screen="${esc}[H"

expect 7 "" $pty 24 80 -- hyptrace record -o $D/x -- sh -c "exit 7"
expect 0 "" $pty 24 80 -- hyptrace live -- sh -c "echo 7 >$R/write_event"
check "colours on a terminal" grep -q "^$esc\[36m.* selftest: id=7" $D/out
expect 0 "" $pty 24 80 -- env NO_COLOR=1 hyptrace live -- sh -c "echo 7 >$R/write_event"
check "NO_COLOR" [ "$(grep -c "$esc\[36m" $D/out)" -eq 0 ]
expect 0 "" $pty 24 80 ": " "$(printf '\003')" -- hyptrace live
check "Ctrl-C on a terminal" grep -q ' hypervisor events, ' $D/out
expect 0 "" $pty 24 80 "ready" "$(printf '\003')" -- hyptrace record -o $D/x -- \
	sh -c "trap 'echo >>$D/interrupted; kill -CONT \$PPID' INT; kill -STOP \$PPID
		echo ready
		for i in \$(seq 600); do [ ! -e $D/interrupted ] || break; sleep 0.1; done
		for i in \$(seq 25); do sleep 0.1; done; echo >>$D/ended"
check "Ctrl-C on a terminal: COMMAND gets it once" [ "$(wc -l <$D/interrupted)" -eq 1 ]
check "Ctrl-C on a terminal: COMMAND goes on" [ -e $D/ended ]
expect 0 "" $pty 24 80 "lost" "$end_of_file" -- hyptrace record -o $D/x -- cat
check "record's progress line" grep -q \
	"$esc\[K *[0-9.]* s  hyp [0-9]*/s  host [0-9]*/s  [0-9.]* MB  lost [0-9]" $D/out

# While the reader is stopped, the buffers fill up
stopped="kill -STOP \$PPID; hyp_workload -n 60 >/dev/null; kill -CONT \$PPID"
expect 0 "" $pty 24 80 "(CPU " "$end_of_file" -- \
	hyptrace record --no-overwrite -b 8 -o $D/x -- sh -c "$stopped; cat"
check "record's progress line counts dropped events" grep -q "lost [1-9].* (CPU " $D/out

# The sum of a key's numbers, over all documents in $D/out
sum()	# KEY LINES
{
	sed -n "/$2/s/.*\"$1\": \([0-9]*\).*/\1/p" $D/out | total
}

places()	# CPUS|TASKS: all times
{
	awk -v want="\"$1\": \\\\[" '
		/": \[/ { on = $0 ~ want }
		on && /"unknown":/ {
			n = split($0, part, /[:,}]/)
			for (i = 1; i < n; i++)
				if (part[i] ~ /"(task|irq|softirq|idle|el2|guest|unknown)"/)
					sum += part[i + 1]
		}
		END { printf "%.0f\n", sum }' $D/out
}

# The writes are over several intervals, and two documents come after them
writes="for i in 1 2 3 4 5; do echo \$i >$R/write_event; sleep 0.3; done
	n=\$(grep -c '^{' $D/out)
	for i in \$(seq 600); do
		[ \$(grep -c '^{' $D/out) -lt \$((n + 2)) ] || break
		sleep 0.1
	done"
expect 0 "" hyptrace top --json -i 400ms -b 8192 -- \
	sh -c "hyp_workload -t 2 >/dev/null & $writes
		wait"
check "top: some documents" [ "$(grep -c '^{"wall"' $D/out)" -ge 3 ]
calls=$(sum count __hyp_trace_selftest)
check "top: each of 5 calls once: $calls" [ "$calls" -eq 5 ]
check "top: times of CPUs add up" [ "$(places cpus)" -eq $((2 * $(sum wall '"wall"'))) ]
check "top: times of tasks add up" [ "$(places tasks)" -eq $((2 * $(sum wall '"wall"'))) ]
entries=$(sum count '"hvc"\|"guest_exit\|"host_abort"\|"smc"')
check "top: each entry once" \
	[ "$(sum entries '"cpu":')" -eq $((entries + $(sum entries_without_exit losses))) ]

# With --cumulative, the last table has everything
expect 0 "" hyptrace top --json --cumulative -i 400ms -- sh -c "$writes"
sed -n 'H; /^{"wall"/h; $ { x; p; }' $D/out >$D/last
check "top --cumulative: tables have earlier events, too" \
	[ "$(sum count __hyp_trace_selftest)" -gt 5 ]
mv $D/last $D/out
check "top --cumulative: the last one has all events" [ "$(sum count __hyp_trace_selftest)" -eq 5 ]
check "top --cumulative: times add up" [ "$(places cpus)" -eq $((2 * $(sum wall '"wall"'))) ]

expect 0 "" hyptrace top --no-overwrite -b 8 --json -i 400ms -- sh -c "$stopped"
check "top: dropped events count as lost" [ "$(sum lost '"wall"')" -gt 0 ]

expect 0 "" hyptrace top -i 200ms -n 2 -r 3
check "top: as many updates as requested" [ "$(grep -c '^hyptrace top: ' $D/out)" -eq 2 ]
check "top: no escape sequences" [ "$(grep -c "$esc" $D/out)" -eq 0 ]
check "top: 80 columns" [ "$(longest <$D/out)" -le 80 ]
expect 0 "" sh -c "hyptrace top -i 100ms | head -n 1"

expect 0 "" $pty 10 40 "$screen" "" "$screen" q -- hyptrace top
last=$(tr -d '\r' <$D/out |
	sed -n "s/.*$esc\[H//; 1h; /^hyptrace top/h; /^hyptrace top/!H; \$ { x; p; }" |
	sed "s/$esc\[[KJ]//g")
check "top: fills a terminal" [ "$(echo "$last" | sed '/^$/d' | wc -l)" -ge 5 ]
check "top: no more lines than fit" [ "$(echo "$last" | wc -l)" -le 10 ]
check "top: no longer lines than fit" [ "$(echo "$last" | longest)" -le 40 ]
check "top: in place" [ "$(grep -c "$esc\[H" $D/out)" -ge 2 ]
expect 0 "" $pty 24 80 -- env TERM=dumb hyptrace top -n 1
check "top: TERM=dumb" [ "$(grep -c "$esc" $D/out)" -eq 0 ]
expect 0 "" $pty 24 80 "$screen" "$(printf '\003')" -- hyptrace top

# Ctrl-Z: the terminal is as before while top is stopped, and top reads keys again after that
cat >$D/job <<-EOF
	set -m
	stty -a >$D/tty
	hyptrace top -i 100ms
	echo \$? >$D/job_status
	stty -a >$D/stopped
	echo stopped
	fg
	stty -a >$D/ended
EOF
expect 0 "" $pty 24 80 "$screen" "$(printf '\032')" \
	"stopped" "" "$screen" q -- sh $D/job
check "top is stopped by Ctrl-Z" [ "$(cat $D/job_status)" -gt 128 ]
check "top is stopped: the terminal is as before" cmp $D/tty $D/stopped
check "top is continued, and ended by q: the terminal is as before" cmp $D/tty $D/ended

expect 2 "bad interval '0'" hyptrace top -i 0
expect 2 "bad number of iterations 'x'" hyptrace top -n x
expect 2 "bad number of rows '0'" hyptrace top -r 0
expect 1 "hyp_enter or hyp_exit is not among the events" hyptrace top -E selftest
expect 1 "or has a filter: top needs both without a filter" \
	hyptrace top -d 10ms -E hyp_enter -E hyp_exit -f 'vcpu != 0'
expect 0 "" hyptrace top --json -n 1 -i 200ms -e sched_switch -f 'prev_pid == 0'
check "top: with a filter of sched_switch, the tasks of the host's time are unknown" \
	[ "$(grep -c '"pid": [0-9].*"task": [1-9]' $D/out)" -eq 0 ]

# Standard output, or a terminal, that nobody reads: a signal ends hyptrace all the same
mkfifo $D/fifo
exec 3<>$D/fifo
waits_in_write()	# PID FD
{
	cat /proc/$1/task/*/syscall 2>/dev/null | grep -q "^64 0x$2 "
}

dd if=/dev/zero of=$D/fifo bs=4k 2>/dev/null &
filler=$!
until waits_in_write $filler 1; do
	sleep 0.1
done
kill -9 $filler

has_ended()	# PID
{
	! kill -0 $1 2>/dev/null
}

# Runs COMMAND with the full pipe as FD, and sends SIGNAL when it waits for the pipe's
# reader, unless COMMAND does. Exit status: its, 137 if it does not end
stuck()	# SIGNAL FD COMMAND...
{
	signal=$1 fd=$2
	shift 2
	case $fd in
	1) "$@" >&3 & ;;
	2) "$@" 2>&3 & ;;
	esac
	pid=$!
	wait_for waits_in_write $pid $fd
	[ $signal = none ] || kill -$signal $pid
	wait_for has_ended $pid
	kill -9 $pid 2>/dev/null
	wait $pid
}

missing="standard output is not read: its end is missing"
load="exec hyp_workload -t 60 >/dev/null"
expect 143 "$missing" stuck TERM 1 hyptrace live -q -- sh -c "$load"
expect 0 "$missing" stuck INT 1 hyptrace live -q
expect 129 "$missing" stuck HUP 1 hyptrace live -q -d 30s
expect 143 "$missing" stuck none 1 hyptrace live -q -E selftest --hyp-only -- \
	sh -c "echo 7 >$R/write_event; kill -TERM \$PPID; sleep 20"
expect 143 "$missing" stuck TERM 1 hyptrace top -i 100ms
expect 143 "$missing" stuck TERM 1 hyptrace top --json -n 1 -i 100ms -- sh -c "$load"
expect 143 "" stuck TERM 2 hyptrace live -E selftest -d 10ms
expect 143 "" stuck TERM 2 hyptrace record -o $D/stuck.dat -- true
check "record: the summary is not read: the file" hyptrace check $D/stuck.dat
# Ctrl-S, and a signal when the progress line is not taken
stop="until cat /proc/\$PPID/task/*/syscall | grep -q '^64 0x2 '; do sleep 0.1; done
	kill -TERM \$PPID; sleep 20"
expect 143 "" $pty 24 80 "${esc}[K" "$(printf '\023')" -- \
	hyptrace record -o $D/stuck.dat -- sh -c "$stop"
check "record: the progress line is not read: the file" hyptrace check $D/stuck.dat
exec 3>&-

echo "1..$nr"
