#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: mainline.sh
#
# Tests hyptrace on the mainline kernel, which is built in build/mainline, in each mode: the
# test programs of the files, the buffers and the events, the tests of remotes that this
# kernel has itself, unmodified, and whether a recording accounts for every event, in
# protected mode with protected guests. Then EL2 is attacked. Prints TAP. Skips itself if the
# kernel's source cannot be fetched.
#
# Environment: MODES (protected hvhe nvhe)
set -euo pipefail
export BASE=mainline
. "$(dirname "$0")/../lib/common.sh"

MODES=${MODES:-protected hvhe nvhe}
. "$(dirname "$0")/guest-suites.sh"
PROGRAMS=(both clock control events filter guests libtracefs lifecycle map read refused
	secrets wait)

# Those of the remote "test" run in the first mode only
programs()	# MODE
{
	local -a software=() tests

	add_tests test_modules
	[[ $1 != "$FIRST_MODE" ]] || add_software kernel
	guest "$1" 4 --timeout 1800 "${tests[@]}" "${software[@]}" -- \
		/root/tests/run-tests.sh --without ordinary "${PROGRAMS[@]}"
}

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# == 0)) || die "unknown argument '$1'; see --help"
[[ -e $TARBALL || $SOURCE ]] || "$SCRIPTS/setup.sh" ||
	{ echo "ok 1 the mainline kernel # SKIP its source cannot be fetched"; exit; }
"$SCRIPTS/build-kernel.sh"
"$SCRIPTS/build-tools.sh"
"$SCRIPTS/build-initramfs.sh"
"$SCRIPTS/build-test-modules.sh"
"$SCRIPTS/mutants.sh" --check
for mode in $MODES; do
	programs "$mode"
	"$SCRIPTS/check/ftracetest.sh" --mainline --mode "$mode" --smp 4
	check_order "$mode" 4 70 1000
	[[ $mode == nvhe ]] || CALLS=20000 "$SCRIPTS/stress.sh" "$mode"
done
