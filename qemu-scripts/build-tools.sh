#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: build-tools.sh [--run | --tests PROGRAM...]
#
# Builds hyptrace for this machine (build/host/hyptrace) and, statically linked, for
# the guest (build/guest/hyptrace), and the workload and the selftests for the guest
# (build/guest/hyp_workload, build/tests/).
#
#   --run                only what "make run" needs, which is all but the selftests
#   --tests PROGRAM...   of the selftests, only these programs
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

CROSS_COMPILE=${CROSS_COMPILE:-aarch64-linux-gnu-}
TESTS=$TREE/tools/testing/selftests/hyptrace

build_host()
{
	make_tool host
	mkdir -p "$BUILD/host"
	install -C -m 755 "$TOOL_OBJ/tool-host/hyptrace" "$BUILD/host/"
}

build_guest()
{
	make_tool guest
	mkdir -p "$BUILD/guest"
	install -C -m 755 "$TOOL_OBJ/tool-guest/hyptrace" "$BUILD/guest/"
}

make_tests()	# TARGET...
{
	mkdir -p "$BUILD/obj/tests-guest"
	make -j "$(nproc)" -C "$TESTS" ARCH=arm64 CROSS_COMPILE="$CROSS_COMPILE" KERNEL="$TREE" \
		OUTPUT="$BUILD/obj/tests-guest" INSTALL_PATH="$BUILD/tests" "$@"
}

build_workload()
{
	make_tests "$BUILD/obj/tests-guest/hyp_workload"
	install -C -m 755 "$BUILD/obj/tests-guest/hyp_workload" "$BUILD/guest/"
}

build_tests()	# [PROGRAM]...
{
	if (($#)); then
		make_tests "${@/#/$BUILD/obj/tests-guest/}"
		mkdir -p "$BUILD/tests"
		install -C -m 755 "${@/#/$BUILD/obj/tests-guest/}" "$BUILD/tests/"
		return
	fi
	make_tests all
	make_tests install
}

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
run=no
tests=()
case ${1:-} in
--run) run=yes; shift ;;
--tests) need_value "$1" $#; shift; tests=("$@"); set -- ;;
esac
(($# == 0)) || die "unknown argument '$1'; see --help"
need_command make gcc "${CROSS_COMPILE}gcc"
step "Build the tools for this machine" build_host
step "Build the tools for the guest" build_guest
step "Build the workload for the guest" build_workload
[[ $run == yes ]] || step "Build the tests for the guest" build_tests "${tests[@]}"
