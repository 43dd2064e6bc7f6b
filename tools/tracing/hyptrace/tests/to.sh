#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# hyptrace record --to: trace-cmd listen receives the recording, and what happens if it is not
# there, is something else or goes away. TAP; runs as root in a guest that has the remote and a
# network, with hyptrace, hyp_workload and trace-cmd in PATH.
# shellcheck disable=SC2086 # $D, $R and numbers: no spaces

# shellcheck source=tools/tracing/hyptrace/tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd $D || exit 1
ifconfig lo up
mkdir -p /etc
echo '127.0.0.1 localhost' >/etc/hosts
port=12345

# As the kernel shows it, in hexadecimal
port_is_open()	# PORT
{
	grep -q "^ *[0-9]*: [0-9A-F]*:$(printf %04X $1) [0-9A-F]*:0000 0A " /proc/net/tcp
}

wait_for_port()	# PORT PID
{
	until port_is_open $1; do
		kill -0 $2 || return
		sleep 0.1
	done
}

stop_listening()
{
	killall -9 trace-cmd 2>/dev/null
	while pidof trace-cmd >/dev/null; do
		sleep 0.1
	done
}

# At another port each time: the last one may still be in use. Sets TO
listen()
{
	stop_listening
	rm -rf got
	mkdir got
	port=$((port + 1))
	TO=127.0.0.1:$port
	trace-cmd listen -p $port -d $D/got >listen.log 2>&1 &
	wait_for_port $port $!
}

received()
{
	echo got/trace.*.dat
}

# What the two files have is the same, but for the command that says so
same()	# COMMAND FILE FILE
{
	hyptrace $1 $2 | sed "s|$2|FILE|" >one
	hyptrace $1 $3 | sed "s|$3|FILE|" >two
	diff one two >differences && [ "$(wc -l <one)" -gt 5 ] && return
	head -n 6 differences | sed 's/^/# /'
	return 1
}

no_violations()	# FILE
{
	hyptrace check $1 >checked 2>&1
	sed 's/^/# /' checked
	grep -q '^check: .* violations=0 .* unaccounted=0 ' checked
}

# Events of the hypervisor that trace-cmd prints
printed()	# FILE
{
	trace-cmd report -i $1 2>/dev/null | grep -c ' hyp_enter: '
}

messages()	# FILE
{
	hyptrace report $1 | sed -n 's/.* selftest: *id=\([0-9]*\).*/\1/p' | tr '\n' ' '
}

nothing_here()
{
	[ "$(find . -name 'trace.dat*')" = "" ]
}

# Received, with a file here as well
listen
expect 0 "" hyptrace record -q --to $TO -o x.dat -- hyp_workload -n 50
got=$(received)
check "received: the events" same report x.dat $got
check "received: their statistics" same stat x.dat $got
check "received: order and counters" no_violations $got
n=$(printed x.dat)
echo "# $n events"
check "received: there are many" [ $n -gt 100 ]
check "received: trace-cmd prints them" [ "$(printed $got)" = $n ]
check "received: trace-cmd prints seconds" \
	sh -c "trace-cmd report -i $got 2>/dev/null | grep -q ' [0-9]*\.[0-9]*: hyp_enter: '"
sed 's/^/# /' listen.log
rm x.dat

# No file here
listen
expect 0 "^hyptrace: localhost:$port: [0-9]* hypervisor events, .* 0 lost" \
	hyptrace record -b 8192 --to localhost:$port -- hyp_workload -n 5
check "no file here" nothing_here
check "no file here: it was received" no_violations "$(received)"

listen
expect 0 "" hyptrace record -q --to $TO -P 1 -- hyp_workload -n 5
check "one CPU" sh -c "hyptrace report $(received) | grep -q '\[001\] .* hyp_enter'"

listen
expect 0 "" hyptrace record -q --to $TO --host-only -- hyp_workload -n 5
check "the host only" [ "$(printed "$(received)")" = 0 ]
check "the host only: its events" sh -c "hyptrace report $(received) | grep -q ' host .* kvm_exit'"

# trace-cmd waits for a message for 5 seconds
listen
expect 0 "" hyptrace record -q --to $TO -- \
	sh -c "echo 1 >$R/write_event; sleep 12; echo 2 >$R/write_event"
check "a long one" [ "$(messages "$(received)")" = "1 2 " ]

listen
expect 0 "" hyptrace record -q --stop-on 'selftest id == 42' --to $TO -- \
	sh -c "echo 42 >$R/write_event"
check "--stop-on" [ "$(messages "$(received)")" = "42 " ]
check "--stop-on: no file here" nothing_here

listen
expect 127 "nosuch" hyptrace record --to $TO -- nosuch
check "no COMMAND: no file here" nothing_here
check "no COMMAND: none there" [ "$(find got -name '*.dat' -size +8k)" = "" ]

# The connection is lost while something is recorded, in different ways
lose()	# WHAT COMMAND
{
	listen
	expect 1 "^hyptrace: $TO: connection lost: .*; the recording goes to trace.dat" \
		hyptrace record -q --to $TO -- \
		sh -c "echo 1 >$R/write_event; $2; echo 2 >$R/write_event"
	check "lost, $1: all is here" no_violations trace.dat
	check "lost, $1: also what came later" [ "$(messages trace.dat)" = "1 2 " ]
	rm -f trace.dat
}

lose killed "killall -9 trace-cmd; sleep 1"
lose terminated "killall trace-cmd; sleep 1"
# hyptrace says nothing for longer than trace-cmd waits
# shellcheck disable=SC2016 # the shell below hyptrace expands it
lose paused 'kill -STOP $PPID; sleep 8; kill -CONT $PPID; sleep 3'

stop_listening
expect 1 "^hyptrace: $TO: cannot connect: Connection refused" hyptrace record -q --to $TO -- true
check "refused: nothing is here" nothing_here

# Something else listens
echo hello there, who is this | nc -l -p 9 >/dev/null &
wait_for_port 9 $!
expect 1 "^hyptrace: 127.0.0.1:9: this is not trace-cmd listen, or it is too old" \
	hyptrace record -q --to 127.0.0.1:9 -- true
sleep 60 | nc -l -p 10 >/dev/null &
wait_for_port 10 $!
expect 1 "^hyptrace: 127.0.0.1:10: no answer of trace-cmd listen: timed out" \
	hyptrace record -q --to 127.0.0.1:10 -- true
check "something else: nothing is here" nothing_here

# trace-cmd does not read any more when COMMAND ends. What the user does then: $2, in the background
stopped()	# MESSAGE COMMAND
{
	listen
	expect 1 "^hyptrace: $TO: $1; the recording goes to trace.dat" \
		hyptrace record -q --to $TO -- \
		sh -c "$2 & echo 1 >$R/write_event; killall -STOP trace-cmd"
	check "$1: all is here" [ "$(messages trace.dat)" = "1 " ]
	rm -f trace.dat
}

# shellcheck disable=SC2016 # the shell below hyptrace expands it
stopped interrupted \
	"h=\$PPID; { while grep -q 1 $R/tracing_on; do sleep 0.1; done; sleep 3; kill -TERM \$h; }"
stopped "connection lost: trace-cmd listen has read nothing for 30 s" :
stop_listening

echo "1..$nr"
