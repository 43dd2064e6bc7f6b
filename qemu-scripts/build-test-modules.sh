#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: build-test-modules.sh [KERNEL]
#
# Builds the kernel modules of the selftests for the kernel in build/KERNEL. KERNEL is
# "kernel" (the default) or "kernel-NAME"; the modules are then in build/obj/test_modules
# or build/obj/test_modules-NAME. Builds the firmware of the selftests as well, in
# build/obj/firmware.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

SRC=$REPO/tools/testing/selftests/hyptrace/test_modules

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# <= 1)) || die "unknown argument '$2'; see --help"
kernel=${1:-kernel}
[[ $kernel == kernel* && -d $BUILD/$kernel ]] || die "there is no $BUILD/$kernel; see --help"
OUT=$BUILD/obj/test_modules${kernel#kernel}
mkdir -p "$OUT"
# One at a time: two would overwrite each other's objects
exec 9>"$OUT/.lock"
flock 9
cp -u "$SRC"/* "$OUT"
make -C "$REPO/tools/testing/selftests/hyptrace/firmware" O="$BUILD/obj/firmware" \
	CROSS_COMPILE="${CROSS_COMPILE:-aarch64-linux-gnu-}"
make -C "$BUILD/$kernel" M="$OUT" ARCH=arm64 CROSS_COMPILE="${CROSS_COMPILE:-aarch64-linux-gnu-}" \
	KCFLAGS=-Werror modules
