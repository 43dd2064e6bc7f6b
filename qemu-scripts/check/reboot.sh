#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: reboot.sh MODE END...
#
# Checks what the next boot shows of a boot that has ended in each of the ways that
# run-reboot.sh knows, in one of boot.sh's modes. Needs build/obj/test_modules, and for kexec
# build/kernel-kexec with its modules. Prints TAP.
#
# Environment: KERNEL=x  the kernel in build/kernel-x and its modules, but for kexec
#              CPU=model the guest's CPU (default max, by which the kernel is at another
#                        place in each boot); see boot.sh
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

# In the middle of the memory. With a smaller alignment it would be where a kernel with
# CONFIG_DEBUG_VM and pages of 16 KiB overwrites memory as it starts
unused="reserve_mem=4M:512M:hyp"
used="$unused trace_remote_mem=hypervisor:hyp"

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# >= 2)) || die "a MODE and an END are needed; see --help"
mode=$1
shift
for end; do
	more=(--boots 2)
	kernel=kernel${KERNEL:+-$KERNEL}
	modules=test_modules${KERNEL:+-$KERNEL}
	memory=$used
	case $end in
	hang | reset) more+=(--reset-at "ready to") ;;
	tree)
		# One remote may not use memory that is free, and another not that of the first
		memory="trace_remote_mem=hypervisor:hyp trace_remote_mem=test:free"
		more+=(--overlay "$SCRIPTS/check/reserved.dts")
		more+=(--add "$BUILD/$kernel/kernel/trace/remote_test.ko")
		;;
	reboot)
		memory+=" trace_remote_mem=test:hyp"
		more+=(--add "$BUILD/$kernel/kernel/trace/remote_test.ko")
		;;
	traced)
		more+=(--append "trace_remote=hypervisor:selftest,hyp_boot,trace_on,trace_off,hyp_panic")
		;;
	kexec*)
		kernel='kernel-kexec'
		modules=test_modules-kexec
		image=$BUILD/$kernel/arch/arm64/boot/Image
		# A kernel that was started by kexec would have to use the LPI tables of the other
		# one, which nothing but EFI protects
		more=(--boots 3 --add "$BUILD/tests/kexec" --append irqchip.gicv3_nolpi=1)
		[[ $end != kexec-other ]] || image=$BUILD/kernel/arch/arm64/boot/Image
		[[ $end != kexec-loaded ]] || memory=$unused
		more+=(--add "$BUILD/$kernel/kernel/trace/remote_test.ko")
		more+=(--add "$image")
		;;
	esac
	"$SCRIPTS/boot.sh" --mode "$mode" --cpu "${CPU:-max,pauth-impdef=on}" --smp 2 "${more[@]}" --append "$memory" \
		--kernel "$BUILD/$kernel/arch/arm64/boot/Image" \
		--add "$BUILD/obj/$modules/crash.ko" \
		--add "$SCRIPTS/guest/run-reboot.sh" -- /root/run-reboot.sh "$end" ||
		echo "not ok 1 $end: boot.sh ended with status $?"
done
