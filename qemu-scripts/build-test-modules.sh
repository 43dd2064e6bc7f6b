#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: build-test-modules.sh
#
# Builds the kernel modules of the selftests for build/kernel, in build/obj/test_modules.
set -euo pipefail
. "$(dirname "$0")/common.sh"

SRC=$REPO/tools/testing/selftests/hyptrace/test_modules
OUT=$BUILD/obj/test_modules

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# == 0)) || die "unknown argument '$1'; see --help"
mkdir -p "$OUT"
# One at a time: two would overwrite each other's objects
exec 9>"$OUT/.lock"
flock 9
cp -u "$SRC"/* "$OUT"
make -C "$BUILD/kernel" M="$OUT" ARCH=arm64 CROSS_COMPILE="${CROSS_COMPILE:-aarch64-linux-gnu-}" \
	KCFLAGS=-Werror modules
