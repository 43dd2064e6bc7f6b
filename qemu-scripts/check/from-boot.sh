#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: from-boot.sh MODE
#
# Boots guests in one of boot.sh's modes with parameters by which remotes trace from the boot on;
# run-from-boot.sh checks in the guest what they have recorded. Prints TAP.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

in_guest()	# MODE WHAT PARAMETER...
{
	local mode=$1 what=$2 mem=1G parameter parameters=()
	shift 2

	for parameter; do
		parameters+=(--append "$parameter")
	done
	# Too little for the buffers
	[[ $what != none ]] || mem=512M
	"$SCRIPTS/boot.sh" --mode "$mode" --smp 2 --mem $mem "${parameters[@]}" \
		--add "$SCRIPTS/guest/run-from-boot.sh" \
		--add "$BUILD/kernel/kernel/trace/remote_test.ko" \
		-- /root/run-from-boot.sh "$mode" "$what"
}

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# == 1)) || die "one MODE is needed; see --help"

in_guest "$1" all trace_remote=hypervisor trace_remote_buf_size=hypervisor:16M \
	trace_remote_options=hypervisor:nooverwrite \
	trace_event=initcall:initcall_start,initcall:initcall_finish

# In this mode, EL2 also knows when a CPU comes up again
[[ $1 != protected ]] ||
	in_guest "$1" none trace_remote=hypervisor trace_remote_buf_size=hypervisor:300M

in_guest "$1" some \
	trace_remote=hypervisor:hyp_exit,mem_*,no_such_event \
	trace_remote=hypervisor:trace_on \
	trace_remote=no_such_remote trace_remote=test:self* \
	trace_remote_mem=nowhere trace_remote_mem=test:nothing \
	trace_remote_buf_size=hypervisor:512K trace_remote_buf_size=hypervisor:0 \
	trace_remote_buf_size=hypervisor:12x trace_remote_buf_size=test:100k \
	trace_remote_clock=hypervisor:mono trace_remote_clock=hypervisor:sundial \
	trace_remote_options=hypervisor:fast,nooverwrite \
	'trace_remote_filter="hypervisor:hyp_exit.reason == 6"' \
	'trace_remote_filter="hypervisor:hyp_exit.colour == 3"' \
	'trace_remote_filter="hypervisor:no_such_event.reason == 3"' \
	trace_remote_filter=hypervisor:hyp_exit \
	'trace_remote_trigger="hypervisor:mem_transition.traceoff:1 if pfn == 1"' \
	trace_remote_trigger=hypervisor:hyp_exit.explode
