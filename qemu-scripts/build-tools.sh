#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: build-tools.sh
#
# Builds hyptrace for this machine (build/host/hyptrace) and, static, for the
# guest (build/guest/hyptrace), and the selftests for the guest (build/tests/).
set -euo pipefail
. "$(dirname "$0")/common.sh"

CROSS_COMPILE=${CROSS_COMPILE:-aarch64-linux-gnu-}
TOOL=$REPO/tools/tracing/hyptrace
TESTS=$TREE/tools/testing/selftests/hyptrace

build_host()
{
	make -C "$TOOL" O="$BUILD/obj/tool-host"
	mkdir -p "$BUILD/host"
	install -C -m 755 "$BUILD/obj/tool-host/hyptrace" "$BUILD/host/"
}

build_guest()
{
	make -C "$TOOL" O="$BUILD/obj/tool-guest" CROSS_COMPILE="$CROSS_COMPILE" LDFLAGS=-static
	mkdir -p "$BUILD/guest"
	install -C -m 755 "$BUILD/obj/tool-guest/hyptrace" "$BUILD/guest/"
}

build_tests()
{
	mkdir -p "$BUILD/obj/tests-guest"
	make -C "$TESTS" ARCH=arm64 CROSS_COMPILE="$CROSS_COMPILE" KERNEL="$TREE" \
		OUTPUT="$BUILD/obj/tests-guest" INSTALL_PATH="$BUILD/tests" all install
	install -C -m 755 "$BUILD/tests/hyp_workload" "$BUILD/guest/"
}

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# == 0)) || die "unknown argument '$1'; see --help"
need_command make gcc "${CROSS_COMPILE}gcc"
step "Build the tools for this machine" build_host
step "Build the tools for the guest" build_guest
step "Build the tests for the guest" build_tests
