#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: mainline.sh [--quick]
#
# Tests hyptrace on the mainline kernel, which is built in build/mainline, in each mode: the
# test programs of the files, the buffers and the events, the tests of remotes that this
# kernel has itself, unmodified, whether a recording accounts for every event, in protected
# mode with protected guests, what delayed a vCPU, kernel parameters, and the last boot. Then
# EL2 is attacked, its functions are traced, the formats of all events and the histories of
# pages are read, and the core metrics are measured. Prints TAP. Skips itself if the kernel's
# source cannot be fetched, or is of a release with which the patches were not tested and
# cannot be built.
#
#   --quick   in protected mode only, some of the programs and of the kernel's own tests,
#             without the attack. Skips itself if the source is not there; "make setup
#             BASE=mainline" fetches it
#   --build     only build what the tests need
#
# Environment: MODES (protected hvhe nvhe)
set -euo pipefail
export BASE=mainline
. "$(dirname "$0")/../lib/common.sh"

MODES=${MODES:-protected hvhe nvhe}
. "$(dirname "$0")/guest-suites.sh"
. "$(dirname "$0")/tool-suites.sh"
. "$(dirname "$0")/kernel-suites.sh"

# On virtual time, which load on the machine does not disturb
QUICK=(control events guests read secrets wait)
quick_programs()
{
	local tests

	add_tests test_modules
	guest protected 2 --icount "${tests[@]}" -- \
		/root/tests/run-tests.sh --without ordinary "${QUICK[@]/%wait/wait:notified}"
}

# On virtual time, too, but for what looks for races or sleeps until an alarm. The kernel's
# timers do not stop there, as they did on CPUs of QEMU 7.2 that run at the same time
programs()	# MODE
{
	selftests "$1" "--icount --smp 4" -- --without ordinary --not suspended both clock control \
		events filter guests libtracefs lifecycle map read refused secrets
	selftests "$1" "--smp 4" -- --without ordinary wait clock:suspended
}

# On virtual time: one of them expects of a process that it has killed that its files are closed
# when the next command runs
mainlines_tests()	# MODE CPUS [TEST]...
{
	"$SCRIPTS/check/ftracetest.sh" --mainline --icount --mode "$1" --smp "$2" -- "${@:3}"
}

build()		# ARGUMENT-OF-BUILD-TOOLS...
{
	"$SCRIPTS/build-kernel.sh"
	"$SCRIPTS/build-tools.sh" "$@"
	"$SCRIPTS/build-initramfs.sh"
	"$SCRIPTS/build-test-modules.sh"
	"$SCRIPTS/mutants.sh" --check
}

quick()
{
	build --tests "${QUICK[@]}"
	quick_programs
	# Not those that read for a long time, which the programs above do as well
	mainlines_tests protected 2 remotes/{,hypervisor/}{buffer_size,hotplug,reset,unloading}.tc
	check_order protected 2 70 500
	check_formats protected
}

form=${1:-}
case $form in
-h | --help) usage; exit ;;
--build) build; exit ;;
--quick | '') ;;
*) die "unknown argument '$1'; see --help" ;;
esac
if [[ ! -e $TARBALL && ! $SOURCE ]]; then
	if [[ $form == --quick ]] || ! "$SCRIPTS/setup.sh"; then
		echo "ok 1 the mainline kernel # SKIP no source; 'make setup BASE=mainline' fetches it"
		exit
	fi
fi
if [[ $form == --quick ]]; then
	quick
	exit
fi
built=$("$SCRIPTS/check/untested.sh" "$0" --build | tee /dev/stderr)
[[ $built != *' # SKIP '* ]] || exit 0
"$SCRIPTS/check/other-sources.sh"
for mode in $MODES; do
	programs "$mode"
	mainlines_tests "$mode" 4
	check_order "$mode" 4 70 1000
	check_why "$mode"
	"$SCRIPTS/check/from-boot.sh" "$mode"
	"$SCRIPTS/check/reboot.sh" "$mode" el2 host traced
	[[ $mode == nvhe ]] || CALLS=20000 "$SCRIPTS/stress.sh" "$mode"
done
# shellcheck disable=SC2034	# for functions_of_el2
all=yes
functions_of_el2
panics_of_functions
check_formats "$FIRST_MODE"
check_pages
"$SCRIPTS/bench.sh" --core --compare
