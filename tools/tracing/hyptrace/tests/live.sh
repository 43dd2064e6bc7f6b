#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What hyptrace live prints, and that it leaves tracefs as it was. TAP; runs as root in
# a guest that has the remote, with hyptrace and hyp_workload in PATH.
# shellcheck disable=SC2086,SC2046 # $D, $T and numbers: no spaces

# shellcheck source=tools/tracing/hyptrace/tests/tap.sh
. "$(dirname "$0")/tap.sh"

# Events, host events and losses, as the kernel has counted them
counted()
{
	sed -n 's/.*: \([0-9]*\) hypervisor events, \([0-9]*\) host events, \([0-9]*\) lost$/\1 \2 \3/p' $D/err
}

# The same, as they were printed
printed()
{
	echo "$(grep -v '\*\*\*' $D/out | grep -c '^\[[0-9]*\] .* hyp ')" \
		"$(grep -v '\*\*\*' $D/out | grep -c '^\[[0-9]*\] .* host ')" \
		"$(sed -n 's/.* \*\*\* \([0-9]*\) events lost$/\1/p' $D/out | awk '{ n += $1 } END { print n + 0 }')"
}

in_order()
{
	cut -c7-22 $D/out >$D/times
	sort -c $D/times
}

# A sub-buffer that is too full to have the number of losses before it says that
vague()
{
	grep -q '\*\*\* events lost, their number is not known$' $D/out
}

# All but the losses that have no number
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

# COMMAND's output is not ours
expect 0 ", 0 lost$" hyptrace live -- sh -c "hyp_workload -t 2 >/dev/null"
check_printed "whole"
check "both sides" several $(counted | cut -d ' ' -f 1,2)
check "names of tasks" grep -q ' hyp_workload-[0-9]* *hyp_enter: reason=hvc' $D/out

# It sleeps while buffers overflow
expect 0 "lost" hyptrace live -b 8 -- \
	sh -c "hyp_workload -t 1 >/dev/null & kill -STOP \$PPID; wait; kill -CONT \$PPID"
check_printed "with losses"
check "losses" several $(printed | cut -d ' ' -f 3)

# Both sides at once, one, or what passes a filter
expect 0 " 0 host events" hyptrace live --hyp-only -- sh -c "echo 7 >$R/write_event"
check "--hyp-only" grep -q ' hyp .* selftest: id=7$' $D/out
expect 0 " 0 hypervisor events" hyptrace live --host-only -- sleep 0.2
check "--host-only" grep -q ' host .* sched_switch: ' $D/out
expect 0 " 1 hypervisor events" hyptrace live -E selftest -f 'id > 7' -- \
	sh -c "for i in 6 7 8; do echo \$i >$R/write_event; done"
check "a filter" grep -q 'selftest: id=8$' $D/out
expect 0 "" hyptrace live -P 1 -- sh -c "hyp_workload -t 1 >/dev/null"
check "one CPU" [ "$(cut -c1-5 $D/out | sort -u)" = "[001]" ]

# An event is there while live still runs
hyptrace live -q -E selftest >$D/out &
live=$!
tries=0
until [ "$(cat $R/tracing_on)" = 1 ] && [ "$(cat $R/events/hypervisor/selftest/enable)" = 1 ]; do
	sleep 0.1
done
echo 42 >$R/write_event
until grep -q 'selftest: id=42$' $D/out || [ $tries -eq 50 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
check "an event is printed as it happens" [ $tries -lt 50 ]
kill -INT $live
wait $live
check "ends by Ctrl-C" [ $? -eq 0 ]
expect 143 "hypervisor events" sh -c "hyptrace live >/dev/null & sleep 1; kill \$!; wait \$!"
expect 0 "hypervisor events" sh -c "hyptrace live -- sleep 30 | head -n 3"
check "head got its lines" [ "$(wc -l <$D/out)" -eq 3 ]
expect 1 "No space left" sh -c "hyptrace live -d 5s >/dev/full"

expect 0 "" hyptrace live --color=always -- sh -c "echo 7 >$R/write_event"
check "colours" grep -q "^$(printf '\033')\[36m.* selftest: id=7$(printf '\033')" $D/out
for color in never auto; do
	expect 0 "" hyptrace live --color=$color -- sh -c "echo 7 >$R/write_event"
	check "no colours: $color" [ "$(grep -c "$(printf '\033')" $D/out)" -eq 0 ]
done

expect 2 "bad color 'red': want auto, always or never" hyptrace live --color=red
expect 2 "leave nothing" hyptrace live --hyp-only --host-only
expect 127 "nosuchcommand" hyptrace live -q -- nosuchcommand
expect 1 "nosuchevent" hyptrace live -E nosuchevent

echo "1..$nr"
