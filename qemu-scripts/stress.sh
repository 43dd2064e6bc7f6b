#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: stress.sh [MODE]...
#
# Attacks EL2 as a hostile host would, with hypercalls, in each MODE (default: protected
# and hvhe, in which the host is not trusted). In protected mode, the machine has a firmware
# with FF-A, and a hole in its memory; in the others, the buffers are in memory that outlives
# the kernel. See Documentation/trace/hypervisor-testing.rst.
# Prints TAP, with a line for each round, which is also in build/logs/stress-*.log.
#
# Environment: SEED=n    chooses the attacks (default: another one each time)
#              CALLS=n   hypercalls for each mode (default 1000000)
#              ROUND=n   only this round of the seed
#              CPUS=n    of the guest (default 4)
#              KERNEL=x  the kernel in build/kernel-x; without it, that in build/kernel
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

SEED=${SEED:-$(random_seed)}
CALLS=${CALLS:-1000000}
ROUND=${ROUND:-}
CPUS=${CPUS:-4}
kernel=kernel${KERNEL:+-$KERNEL}
modules=$BUILD/obj/test_modules${KERNEL:+-$KERNEL}

# Even a loaded machine makes hundreds of calls a second
attack()	# MODE
{
	local machine=(--append "reserve_mem=8M:2M:hyp trace_remote_mem=hypervisor:hyp")

	# The firmware does not know all features of the CPU that has VHE
	[[ $1 != protected ]] || machine=(--firmware "$BUILD/obj/firmware/firmware.bin" --hole)
	"$SCRIPTS/boot.sh" "${machine[@]}" --mode "$1" --smp "$CPUS" --timeout $((300 + CALLS / 200)) \
		--kernel "$BUILD/$kernel/arch/arm64/boot/Image" \
		--add "$BUILD/tests/hostile:/root/hostile" \
		--add "$modules/hostile.ko:/root/hostile.ko" -- \
		/root/hostile -s "$SEED" -n "$CALLS" ${ROUND:+-r "$ROUND"} /root/hostile.ko
}

case ${1-} in
-h | --help) usage; exit ;;
esac
for number in "$SEED" "$CALLS" "$CPUS" ${ROUND:+"$ROUND"}; do
	[[ $number =~ ^[0-9]+$ ]] || die "SEED, CALLS, CPUS and ROUND are numbers, not '$number'"
done
(($#)) || set -- protected hvhe
step "Build the modules and the firmware of the tests" "$SCRIPTS/build-test-modules.sh" "$kernel"
mkdir -p "$LOGS"
for mode; do
	log=$LOGS/stress${KERNEL:+-$KERNEL}-$mode.log
	start=$SECONDS
	note "# $mode, seed $SEED, $CALLS calls, $CPUS CPUs"
	attack "$mode" 2>&1 | tee "$log" || die "$mode: failed; see $log"
	note "# $mode: $((SECONDS - start)) s"
done
