#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: check.sh [--all] [--jobs N] [SUITE]...
#        check.sh --list
#
# Runs the quick tests, which show whether a change broke something; with --all, also those
# that take long; or the suites that are named. Some suites have a quick form, and a longer
# one that --all runs. A suite consists of one or more jobs; jobs run in parallel.
#
#   --all      run all suites, in their longer form, except for those that take so long that
#              they run only if named. Takes hours: for before a release
#   --jobs N   run N jobs at a time (default: one more than there are CPUs)
#   --list     list the suites: name, when it runs, and which fault only it finds
#
# The output of each job is in build/logs/check-*.log. The first job that fails ends the
# run. A table shows how long each job took, then come the tests that failed; the last line
# is "N passed, N failed, N skipped". A test is skipped only if it cannot run on this CPU, in
# this mode, with one CPU, or with this kind of buffer; or if the mainline kernel's source is
# not there, or of a release with which the patches were not tested and something fails.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/jobs.sh"

# NAME WHEN FAULT, where FAULT is what only this suite finds. WHEN is
#   quick   always
#   both    always, and more of it with --all
#   long    with --all only
#   named   only if it is named
SUITES='
writer   both   the ring buffer writer: wrong data, a wrong bound or memory order, in user space
model    both   the ring buffer protocol: an order of steps that loses an event, a missing barrier
guest    both   tracefs files, mmap, wake-ups, loading and clocks: wrong behaviour, in each mode
mainline both   the mainline kernel: a patch or a test that does not fit, a protected guest
hostile  both   a hypercall that EL2 should refuse and does not, in both protected modes
hours    quick  a timestamp that drifts or wraps after hours, in each mode
ftrace   both   tracefs files and module loading: wrong behaviour when used from a shell
upstream both   ordinary ring buffers and ftrace: a regression that the patches cause
boot     quick  a kernel parameter without effect; events missing of how EL2 starts, in each mode
panic    quick  events missing from the dump when EL2 or the kernel dies, in each mode
reboot   both   events that the next boot does not show, or shows wrongly, after a crash or reset
order    both   an event out of order or unaccounted for, under load, in each mode
tool     both   hyptrace: a wrong figure, a bad file accepted, an unreadable export
docs     quick  an example in a document that does not work
bench    quick  a basic operation that takes more instructions than recorded
off      quick  a kernel without hypervisor tracing that does not build or run guests
builds   both   a compiler, a word size or an option with which the code does not build or run
secrets  both   an event that tells the host about a protected guest
functions both  the function tracers of EL2: a wrong call, return address or list
soak     both   an event unaccounted for when everything happens at once
pages    long   code that is correct for 4 KiB pages only
series   both   a file that no patch of the series has; a patch after which the kernel is broken
lint     both   style, types, page sizes, documents, history, stale mutants, cache maintenance
debug    long   faults that KASAN, UBSAN, lockdep and the like report, with 16 KiB pages
mutants  long   a security test that does not notice when EL2 is broken on purpose
um       long   the front end: faults on an architecture other than arm64, in User-mode Linux
debug-all named as debug, in each mode and also with the remote "test"
kcsan    named  data races
faults   named  an allocation failure that is handled badly, for each allocation of a recording
'
MODES=${MODES:-protected hvhe nvhe}
# shellcheck disable=SC2034	# for the suites
all=no

# Prints the suites that are WHEN
suites()	# WHEN...
{
	local name when what

	while read -r name when what; do
		[[ " $* " != *" $when "* ]] || echo "$name"
	done <<<"$SUITES"
}

list()
{
	local name when what

	while read -r name when what; do
		[[ ! $name ]] || printf '%-10s %-6s %s\n' "$name" "$when" "$what"
	done <<<"$SUITES"
}

. "$SCRIPTS/check/guest-suites.sh"
. "$SCRIPTS/check/host-suites.sh"
. "$SCRIPTS/check/kernel-suites.sh"
. "$SCRIPTS/check/tool-suites.sh"

chosen=()
while (($#)); do
	case $1 in
	-h | --help) usage; exit ;;
	--list) list; exit ;;
	--all) all=yes ;;
	--jobs) need_value "$1" $#; JOBS=$2; shift ;;
	-*) die "unknown argument '$1'; see --help" ;;
	*)
		[[ " $(suites quick both long named | xargs) " == *" $1 "* ]] ||
			die "no suite '$1'; see --list"
		chosen+=("$1")
		;;
	esac
	shift
done
[[ $JOBS =~ ^[1-9][0-9]?$ ]] || die "--jobs '$JOBS': 1 to 99"
if ((${#chosen[@]} == 0)); then
	mapfile -t chosen < <(if [[ $all == yes ]]; then suites quick both long; else suites quick both; fi)
fi
for suite in "${chosen[@]}"; do
	"suite_$suite"
done
trap end_jobs EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# Not "run_jobs || ...": that would switch off errexit inside the jobs
set +e
run_jobs
status=$?
set -e
show_table
# At the end, where it is also seen if only the last lines of the output are
show_failures
totals
exit "$status"
