# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Bash completion for hyptrace. Commands and options are taken from its --help.

# The names of the commands
_hyptrace_commands()
{
	"$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_hyptrace_options()	# PROGRAM COMMAND
{
	"$1" "$2" --help 2>/dev/null | grep -oE -- '(^ *|, )--?[a-z-]+' | grep -o -- '-.*'
}

# Systems and events as separate words, since bash splits words at a colon
_hyptrace_events()	# DIRECTORY
{
	tr ':' '\n' 2>/dev/null <"$1/available_events" | sort -u
}

_hyptrace_clocks()	# DIRECTORY
{
	tr -d '[]' 2>/dev/null <"$1/trace_clock"
}

_hyptrace_functions()	# DIRECTORY
{
	sed 's/^__kvm_nvhe_//' 2>/dev/null <"$1/available_filter_functions"
}

# The values of an option; fails if the value is a file or free text
_hyptrace_values()	# COMMAND OPTION
{
	local trace=${HYPTRACE_TRACEFS:-/sys/kernel/tracing}

	case "$1 $2" in
	"graph -e" | "graph --entry") return 1 ;;
	*" -e" | *" --event") _hyptrace_events "$trace" ;;
	*" -E" | *" --hyp-event") _hyptrace_events "$trace/remotes/hypervisor" ;;
	"report -C" | "why --time") return 1 ;;
	*" -C" | *" --clock") _hyptrace_clocks "$trace/remotes/hypervisor" ;;
	*" --graph-function") _hyptrace_functions "$trace/remotes/hypervisor" ;;
	*" --compression") echo any none zstd zlib ;;
	*" --remote") ls "$trace/remotes" 2>/dev/null ;;
	"stat -u" | "stat --unit" | "graph -u" | "graph --unit") echo auto ns us ms s ;;
	"graph -b" | "graph --by") echo all entry ;;
	"graph -s" | "graph --sort") echo total self calls name mean min p50 p99 max ;;
	"graph -f" | "graph --function") return 1 ;;
	"stat -s" | "stat --sort")
		echo name count total mean min p50 p90 p99 p99.9 max
		echo entries host EL2 guest unknown
		;;
	"stat --time" | "graph --time") return 1 ;;
	*" -t" | *" --time") echo absolute relative delta ;;
	*" --color") echo auto always never ;;
	*) return 1 ;;
	esac
}

_hyptrace()
{
	local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} words
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}

	# bash splits "--option=value" into three words
	[[ $word != = ]] || word=
	[[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
	if ((COMP_CWORD == 1)); then
		words="$(_hyptrace_commands "$program") --help --version"
	elif [[ $before == -- ]]; then
		words=$(compgen -c -- "$word")
	elif [[ $word == -* ]]; then
		words=$(_hyptrace_options "$program" "$command")
	elif ! words=$(_hyptrace_values "$command" "$before"); then
		words=$(compgen -f -- "$word")
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o filenames -F _hyptrace hyptrace
