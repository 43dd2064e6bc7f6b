#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# hyptrace record --graph, and what hyptrace graph makes of it. TAP; runs as root in a guest
# whose EL2 traces functions, with hyptrace in PATH.
# shellcheck disable=SC2086 # $D, $R: no spaces

# shellcheck source=tools/tracing/hyptrace/tests/tap.sh
. "$(dirname "$0")/tap.sh"

F=handle___hyp_trace_selftest

cat >$D/run <<END
cat $R/current_tracer $R/set_graph_function >$D/on
for i in 1 2 3; do echo \$i >$R/write_event; done
END

record()
{
	expect 0 " hypervisor events, " hyptrace record -o $D/g.dat "$@" -- sh $D/run
}

expect 1 "no function 'no_such_function' at EL2: expected one of available_filter_functions" \
	hyptrace record --graph-function=no_such_function -o $D/x -d 10ms
check "nothing was recorded" [ ! -e $D/x ]
expect 1 "no function 'nor_this\*' at EL2" \
	hyptrace record --graph-function=$F --graph-function='nor_this*' -o $D/x -d 10ms
expect 2 "--host-only with --graph: expected one of them" hyptrace record --host-only --graph

record --graph-function=$F
check "the tracer was on" [ "$(head -n 1 $D/on)" = function_graph ]
check "the list had the function" [ "$(tail -n +2 $D/on)" = __kvm_nvhe_$F ]
expect 0 "" hyptrace check $D/g.dat
expect 0 "" hyptrace graph --function=$F $D/g.dat
check "each call is there" grep -q "$F  *3 " $D/out
expect 0 "" hyptrace graph --entry="*hyp_trace_selftest" $D/g.dat
check "below the hypercall" grep -q "^ *$F  *3 " $D/out

# Several functions, and a pattern
record --graph-function=$F --graph-function='handle___pkvm_*'
check "the list had all of them" grep -q __kvm_nvhe_handle___pkvm_ $D/on
check "and the first" grep -qx __kvm_nvhe_$F $D/on

# All functions, and settings of the user's, which are restored
echo "$F handle_trap" >$R/set_graph_function
echo function >$R/current_tracer
record --graph
check "the list was empty" [ "$(tail -n +2 $D/on)" = "#### all functions enabled ####" ]
check "the user's tracer is restored" [ "$(cat $R/current_tracer)" = function ]
check "the user's list is restored" [ "$(wc -l <$R/set_graph_function)" -eq 2 ]
expect 0 "" hyptrace check $D/g.dat
expect 0 "" hyptrace graph $D/g.dat
check "more functions are there" [ "$(grep -c '^ *[a-z_]*  *[0-9]' $D/out)" -gt 5 ]
echo nop >$R/current_tracer
echo >$R/set_graph_function
echo "1..$nr"
