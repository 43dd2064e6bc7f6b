#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: pages_test.sh HYPTRACE PAGES
#
# Checks that each command has a manual page in the directory PAGES, with the summary and the
# options of its --help; that no line of --help is too long; and that bash completes commands,
# options and their values. TAP.
set -u
hyptrace=$1 pages=$2 nr=0 failed=0
here=$(dirname "$0")
# shellcheck source=/dev/null
. "$here/../hyptrace-completion.bash"

result()	# STATUS WHAT
{
	nr=$((nr + 1))
	(($1 == 0)) || failed=1
	(($1 == 0)) && echo "ok $nr $2" || echo "not ok $nr $2"
}

# WANT is among the completions of the last argument
completes()	# WANT WORD...
{
	local want=$1 word
	shift

	COMP_WORDS=("$hyptrace" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_hyptrace
	for word in $want; do
		[[ " ${COMPREPLY[*]} " == *" $word "* ]] || {
			echo "# '$*': no '$word' in: ${COMPREPLY[*]}"
			return 1
		}
	done
	[[ $want || ${#COMPREPLY[*]} == 0 ]]
}

check()		# WANT WORD...
{
	completes "$@"
	result $? "completion of '${*:2}'"
}

# The text behind a command's name in --help is also the title of its page, and is in the
# list of commands of hyptrace(1)
has_summary()	# COMMAND
{
	local summary

	summary=$("$hyptrace" --help | sed -n "s/^  $1  *//p")
	sed -n '/^--*$/{n;p;q}' "$pages/hyptrace-$1.rst" | grep -qxF -- "$summary" &&
		grep -xF -A1 "**$1**" "$pages/hyptrace.rst" | grep -qxF -- "        $summary"
}

# The text of --help without the options. A line that is too long is broken, unless the right
# margin is far away
help_text()	# COMMAND
{
	"$hyptrace" "$1" --help | sed '/^  *-[-a-zA-Z]/,/^$/d' |
		grep -vE '^$|^Mandatory or optional arguments'
}

has_short_lines()	# COMMAND
{
	diff <(help_text "$1") <(ARGP_HELP_FMT=rmargin=200 help_text "$1") >&2
}

echo "TAP version 13"
for command in $(_hyptrace_commands "$hyptrace"); do
	"$here/options.sh" "$hyptrace" "$command" | cmp - "$pages/options-$command.txt" >&2
	result $? "the page of $command has its options (see 'make options')"
	grep -qF "**hyptrace-$command**" "$pages/common_see_also.txt"
	result $? "the page of $command is referred to"
	has_summary "$command"
	result $? "the page of $command, and hyptrace(1), have its summary"
	has_short_lines "$command"
	result $? "the help of $command has no line that is too long"
done

tracefs=$(mktemp -d)
trap 'rm -rf "$tracefs"' EXIT
export HYPTRACE_TRACEFS=$tracefs
mkdir -p "$tracefs/remotes/hypervisor"
printf 'kvm:kvm_entry\nsched:sched_switch\n' >"$tracefs/available_events"
echo 'hypervisor:hyp_enter' >"$tracefs/remotes/hypervisor/available_events"
echo '[local] boot' >"$tracefs/remotes/hypervisor/trace_clock"
touch "$tracefs/some.dat"
check "record report stat" ""
check "report record" re
check "" nosuch
check "--cpus --json" stat --
check "--json -j" stat -
check "kvm kvm_entry" record -e kvm
check "sched_switch" record --event = sched
check "hyp_enter" record -E ""
check "local boot" record --clock = ""
check "any zstd" record --compression = ""
check "relative" report --time = rel
check "p99 p99.9" stat --sort = p9
check "entries" stat -s en
check "us" stat --unit u
check "" stat --time ab
check "$tracefs/some.dat" stat "$tracefs/so"
check "" report -C lo
check "" why --time rel
check "" graph --time rel
check "" graph -e kvm
check "entry" graph --by = e
check "p50 p99" graph -s p
check "ms" graph -u m
check "--folded" export --fo
check "bash" record -- bas
echo "1..$nr"
exit $failed
