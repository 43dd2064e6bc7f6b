#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-vm.sh
#
# Runs in a guest of "boot.sh --vm": the command "vm" takes what it should, runs it in a guest
# as it is, returns its status, brings out its files, and refuses everything else. Prints TAP.
nr=0

# The rest of the line returns STATUS and prints lines of which one matches
expect()	# STATUS PATTERN COMMAND...
{
	want=$1 pattern=$2
	shift 2
	"$@" >/tmp/said 2>&1
	status=$?
	nr=$((nr + 1))
	if [ $status -eq "$want" ] && grep -qx -e "$pattern" /tmp/said; then
		echo "ok $nr $*"
	else
		sed 's/^/# /' /tmp/said
		echo "not ok $nr $* (status $status)"
	fi
}

expect 1 "vm: unknown argument '--nonsense'.*" vm --nonsense
expect 1 "vm: --mem needs a value.*" vm --mem
expect 7 "it's" vm --smp 1 --out /tmp/got -- 'echo "it'\''s"; echo 5 >/out/five; exit 7'
expect 0 5 cat /tmp/got/five
# shellcheck disable=SC2016	# not to be expanded
expect 0 "a  b it's \$HOME" vm --smp 1 -- echo "a  b" "it's" '$HOME'
expect 3 "recorded" vm --smp 1 --record /tmp/guest.dat -- 'echo recorded; exit 3'
expect 0 "[[]000[]] .* host .* sys_enter: NR 64 .*" hyptrace report /tmp/guest.dat
expect 126 '.*Kernel panic.*' vm --smp 1 -- 'echo c >/proc/sysrq-trigger'
expect 126 '.*too large to fit in RAM.*' vm --mem 1M -- true
expect 1 0 sh -c 'ls -d /tmp/tmp.* 2>/dev/null | wc -l; exit 1'
