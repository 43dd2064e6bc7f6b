#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: soak.sh [--seconds N]
#
# Does everything at once in a guest, and accounts for every event. All CPUs write events at
# EL2 at full rate. Readers of each kind start, are killed by SIGKILL and start again.
# Buffers are reset, clocks are changed, CPUs go offline and come back, guests run. Each
# event has a number; in the end each number was seen once or is counted as lost. Needs
# the kernel and the initramfs; 'make soak' makes them first.
#
# Ctrl-C ends it early, with a result for what was done by then.
#
#   --seconds N   how long, instead of MINUTES; longer, if not all of this has happened by then
#
# Environment: MINUTES=n (10), MODE=protected|hvhe|nvhe (protected), CPUS=n (4),
#              SEED=n (default: another one each time), which fixes what is chosen, but
#              not when it happens, KERNEL=x, the kernel in build/kernel-x: with
#              KERNEL=functions, EL2's functions are traced meanwhile
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

CROSS_COMPILE=${CROSS_COMPILE:-aarch64-linux-gnu-}
PROGRAM=$REPO/tools/testing/selftests/hyptrace/soak
OBJ=$BUILD/obj/soak

mode=${MODE:-protected}
cpus=${CPUS:-4}
minutes=${MINUTES:-10}
seed=${SEED:-$(random_seed)}
kernel=kernel${KERNEL:+-$KERNEL}
seconds=

parse_arguments()
{
	while (($#)); do
		case $1 in
		--seconds) need_value "$1" $#; seconds=$2; shift ;;
		-h | --help) usage; exit ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
		shift
	done
	[[ $minutes =~ ^[1-9][0-9]{0,4}$ ]] || die "MINUTES='$minutes': want 1 to 99999"
	[[ $seed =~ ^[0-9]{1,9}$ ]] || die "SEED='$seed': want a number of at most 9 digits"
	: "${seconds:=$((minutes * 60))}"
	[[ $seconds =~ ^[1-9][0-9]{0,6}$ ]] || die "--seconds '$seconds': want 1 or more"
}

build_soak()
{
	make -C "$PROGRAM" O="$OBJ" KERNEL="$TREE" CROSS_COMPILE="$CROSS_COMPILE"
}

# In a session of its own, so that Ctrl-C reaches only this script, which tells the guest
run_guest()
{
	exec setsid "$SCRIPTS/boot.sh" --mode "$mode" --smp "$cpus" \
		--timeout $((2 * seconds + 600)) --input "$tmp/stop" \
		--kernel "$BUILD/$kernel/arch/arm64/boot/Image" \
		--add "$OBJ/soak:/root/soak" --add "$SCRIPTS/guest/run-tests.sh" -- \
		"/root/run-tests.sh --run /root/soak -t $seconds -s $seed -i ||
		{ cat /tmp/guests.log; false; }"
}

parse_arguments "$@"
need_command make setsid "${CROSS_COMPILE}gcc"
mkdir -p "$OBJ"
step "Build the soak test" build_soak
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkfifo "$tmp/stop"
# Opened for reading, too, so that what is written before the guest reads is not lost
exec 3<>"$tmp/stop"
trap 'echo stop >&3' INT TERM
run_guest | tee "$tmp/output" &
pid=$!
# A signal interrupts wait
while kill -0 "$pid" 2>/dev/null; do
	wait "$pid" || :
done
if ! grep -q '^ok 1 soak' "$tmp/output" || grep -q '^not ok' "$tmp/output"; then
	die "failed; to repeat it: MODE=$mode CPUS=$cpus SEED=$seed${KERNEL:+ KERNEL=$KERNEL} make soak"
fi
