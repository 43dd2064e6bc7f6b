#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: mainline.sh
#
# Tests hyptrace on the mainline kernel, which is built in build/mainline, in each mode: the
# test programs of the files and of the buffers, the tests of remotes that this kernel has
# itself, unmodified, and whether a recording accounts for every event. Prints TAP. Skips
# itself if the kernel's source cannot be fetched.
#
# Environment: MODES (protected hvhe nvhe)
set -euo pipefail
export BASE=mainline
. "$(dirname "$0")/../lib/common.sh"

MODES=${MODES:-protected hvhe nvhe}
PROGRAMS=(both clock control events filter libtracefs lifecycle map read refused wait)

# Those of the remote "test" run in the first mode only
programs()	# MODE
{
	local mode=$1 tests=()

	tests=(--add "$BUILD/tests:/root/tests"
		--add "$SCRIPTS/guest/run-tests.sh:/root/tests/run-tests.sh")
	[[ $mode != "${MODES%% *}" ]] ||
		tests+=(--add "$BUILD/kernel/kernel/trace/remote_test.ko:/root/tests/remote_test.ko")
	"$SCRIPTS/boot.sh" --mode "$mode" --smp 4 --timeout 1800 "${tests[@]}" -- \
		/root/tests/run-tests.sh --without ordinary "${PROGRAMS[@]}"
}

recording()	# MODE
{
	local out=$BUILD/check/mainline-$1

	rm -rf "$out"
	"$SCRIPTS/boot.sh" --mode "$1" --smp 4 --timeout 600 --out "$out" -- \
		hyptrace record -o /out/trace.dat -- hyp_workload -n 60
	"$BUILD/host/hyptrace" check "$out/trace.dat"
	echo "ok 1 a recording in $1 mode accounts for every event"
}

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# == 0)) || die "unknown argument '$1'; see --help"
[[ -e $TARBALL || $SOURCE ]] || "$SCRIPTS/setup.sh" ||
	{ echo "ok 1 the mainline kernel # SKIP its source cannot be fetched"; exit; }
"$SCRIPTS/build-kernel.sh"
"$SCRIPTS/build-tools.sh"
"$SCRIPTS/build-initramfs.sh"
for mode in $MODES; do
	programs "$mode"
	"$SCRIPTS/check/ftracetest.sh" --mainline --mode "$mode" --smp 4
	recording "$mode"
done
