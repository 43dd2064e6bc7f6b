#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: panic.sh MODE
#
# Checks what is left of the trace when EL2 or the kernel dies, in one of boot.sh's
# modes. In both cases the console has the last events, which are checked here;
# run-panic.sh checks the rest in the guest. Needs build/obj/test_modules. Prints
# TAP.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

limit=30
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Lets the guest die, and copies its console to $tmp/console
die_in_guest()	# MODE WHAT
{
	local status=0 console

	"$SCRIPTS/boot.sh" --mode "$1" --smp 2 --append \
		"ftrace_dump_on_oops=hypervisor trace_remote.dump_limit=$limit" \
		--add "$BUILD/obj/test_modules/crash.ko" \
		--add "$BUILD/kernel/kernel/trace/remote_test.ko" \
		--add "$SCRIPTS/guest/run-panic.sh" -- /root/run-panic.sh "$2" \
		2>"$tmp/stderr" || status=$?
	console=$(sed -n 's/^The whole console: //p' "$tmp/stderr")
	[[ $status == 126 && $console ]] || {
		echo "not ok 1 $2: boot.sh ended with status $status"
		cat "$tmp/stderr"
		return 1
	}
	tr -d '\r' <"$console" >"$tmp/console"
}

# The events of the last dump
dumped()
{
	awk '/^Dumping ftrace instance hypervisor buffer:$/ { text = ""; lines = 0 }
	     /^-----*$/ { lines++; next }
	     lines == 1 { text = text $0 "\n" }
	     END { printf "%s", text }' "$tmp/console"
}

# The last events that run-panic.sh wrote: a hypercall for each number, on both CPUs in turn.
# EVENT... follow, on CPU 0
expected()	# EVENT...
{
	local i first=$((40 - (limit - $#) / 2 + 1)) event

	for ((i = first; i <= 40; i++)); do
		printf '%d host_hcall id=__hyp_trace_selftest invalid=0\n' $((i % 2))
		printf '%d selftest id=%d\n' $((i % 2)) "$i"
	done
	for event; do
		printf '0 %s\n' "$event"
	done
}

# Removes times, the arguments of calls, and what differs from boot to boot
normalised()
{
	sed -E -e 's/^\[00([0-9])\]\t *[0-9]+\.[0-9]{6}: /\1 /' -e 's/ args=.*//' \
		-e 's/ esr=.* ec=(\w+) far=.* ip=__kvm_nvhe_\w+\+.*/ ec=\1/'
}

times_rise()
{
	sed -nE 's/^\[[0-9]+\]\t *([0-9]+\.[0-9]{6}): .*/\1/p' | sort -c -n
}

check_dump()	# WHAT EVENT...
{
	local what=$1
	shift

	dumped >"$tmp/dumped"
	if expected "$@" | diff - <(normalised <"$tmp/dumped") && times_rise <"$tmp/dumped"; then
		echo "ok 1 $what: the last $limit events of both CPUs, in order"
	else
		echo "not ok 1 $what: the last $limit events of both CPUs, in order"
		cat "$tmp/dumped"
	fi
}

# If writing hyp_panic faults, the panic that is reported is the one that came first
check_first()
{
	if grep -q 'nVHE hyp panic at: .* __kvm_nvhe_enter_vmid_context+' "$tmp/console" &&
	   grep -q '^FAR:[0-9a-f]*ead00' "$tmp/console"; then
		echo "ok 1 EL2 panics twice: the first one is reported"
	else
		echo "not ok 1 EL2 panics twice: the first one is reported"
		grep -aE 'hyp panic|PC:|FAR:' "$tmp/console" | sed 's/^/# /'
	fi
}

# A CPU that was writing an event may still complete that one
check_last()
{
	dumped >"$tmp/dumped"
	if tail -n 2 "$tmp/dumped" | grep -q ' hyp_panic '; then
		echo "ok 1 EL2 panics: the host cannot switch an event on afterwards"
	else
		echo "not ok 1 EL2 panics: the host cannot switch an event on afterwards"
		sed 's/^/# /' "$tmp/dumped"
	fi
}

# EL2 has refused a write of the host, and EL2 or the host dies of it
check_text()
{
	dumped >"$tmp/dumped"
	if tail -n 2 "$tmp/dumped" | grep -q ' host_mem_abort .* outcome=refused$'; then
		echo "ok 1 the host cannot write to EL2's text"
	else
		echo "not ok 1 the host cannot write to EL2's text"
		sed 's/^/# /' "$tmp/dumped"
	fi
}

# A panic that follows an oops does not print the events again
check_once()
{
	local nr

	nr=$(grep -c '^Dumping ftrace instance hypervisor buffer:$' "$tmp/console")
	dumped >"$tmp/dumped"
	if ((nr == 1)) && grep -q ' selftest id=40$' "$tmp/dumped"; then
		echo "ok 1 the kernel panics by an oops: the events are printed once"
	else
		echo "not ok 1 the kernel panics by an oops: the events are printed $nr times"
	fi
}

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# == 1)) || die "one MODE is needed; see --help"
die_in_guest "$1" el2
check_dump "EL2 panics" 'host_hcall id=__kvm_tlb_flush_vmid invalid=0' \
	'hyp_panic ec=DABT_CUR'
die_in_guest "$1" el2-enabled
check_last
# The host can break EL2's writer only if EL2 is not protected
if [[ $1 == nvhe ]]; then
	die_in_guest "$1" el2-twice
	check_first
fi
if [[ $1 != nvhe ]]; then
	die_in_guest "$1" text
	check_text
fi
die_in_guest "$1" host
check_dump "the kernel panics"
die_in_guest "$1" oops
check_once
