# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2086 # $D, $T and numbers: no spaces
# For tests that run in a guest: TAP, and a check that tracefs is restored.

T=/sys/kernel/tracing
R=$T/remotes/hypervisor
D=$(mktemp -d)
nr=0

result()	# OK-OR-NOT TEXT
{
	nr=$((nr + 1))
	echo "$1 $nr $2"
}

state()
{
	cat $R/tracing_on $R/buffer_size_kb $R/trace_clock $R/events/enable \
		$R/options/overwrite $R/events/*/*/filter
	for file in $R/options/stacktrace $R/current_tracer $R/set_graph_function \
		$R/events/*/*/trigger; do
		[ ! -e $file ] || cat $file
	done
	ls $T/instances
}

# Runs COMMAND until it succeeds, for a minute at most. Exit status: 1 if it never did
wait_for()	# COMMAND...
{
	for _ in $(seq 600); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

# The test TEXT: the rest of the line is a command that has to succeed
check()	# TEXT COMMAND...
{
	text=$1
	shift
	if "$@"; then
		result ok "$text"
	else
		result "not ok" "$text"
	fi
}

# Checks the exit status, for one line that matches (none if PATTERN is ""), and tracefs
expect()	# STATUS PATTERN COMMAND...
{
	want=$1 pattern=$2
	shift 2
	state >$D/before
	"$@" >$D/out 2>$D/err
	status=$?
	state >$D/after
	if [ $status -ne $want ]; then
		echo "# status $status, not $want"
	elif [ -n "$pattern" ] && ! grep -q -e "$pattern" $D/err; then
		echo "# no '$pattern' in what it said:"
	elif [ "$(wc -l <$D/err)" -ne $((${#pattern} > 0)) ]; then
		echo "# more lines than it should say:"
	elif ! cmp -s $D/before $D/after; then
		echo "# tracefs has changed:"
		diff $D/before $D/after | sed 's/^/# /'
	else
		result ok "$*"
		return
	fi
	sed 's/^/# /' $D/err
	result "not ok" "$*"
}

echo "TAP version 13"
