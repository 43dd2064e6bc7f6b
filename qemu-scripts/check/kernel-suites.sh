# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Part of check.sh: suites that need a kernel of their own, or another command line.

# Without remotes, the functions of ordinary buffers are those of the base. Of ring_buffer.c,
# two are not, nor is what the compiler puts one of them into: an iterator does not read
# past a page, and the meta page of an ordinary buffer has more counters
check_pristine()
{
	local compare=("$SCRIPTS/check/pristine.py" "$BUILD/kernel-off" "$TREE" "$BUILD/pristine")

	"${compare[@]}" kernel/trace/ring_buffer.c rb_iter_head_event rb_update_meta_page \
		reset_disabled_cpu_buffer ring_buffer_map ring_buffer_map_get_reader || :
	"${compare[@]}" kernel/trace/trace.c || :
}

check_off()
{
	"$SCRIPTS/build-kernel.sh" --name off --config "$SCRIPTS/config/off.config"
	check_pristine
	guest protected 2 --kernel "$BUILD/kernel-off/arch/arm64/boot/Image" -- sh -c '
		[ ! -e /sys/kernel/tracing/remotes ] && hyp_workload -t 2' ||
		{ echo "not ok 1 a kernel without hypervisor tracing"; return; }
	echo "ok 1 a kernel without hypervisor tracing"
	# Only the benchmark itself enables virtualization here
	guest nvhe 2 --append "kvm.enable_virt_at_load=0" \
		--kernel "$BUILD/kernel-off/arch/arm64/boot/Image" -- '
		echo 1 >/sys/kernel/debug/hyp_bench && ! dmesg | grep WARNING' ||
		{ echo "not ok 2 benchmarks before there is a VM"; return; }
	echo "ok 2 benchmarks before there is a VM"
}

# KVM can be told to enable virtualization only when the first VM is created. Tracing has to
# enable it, too
check_late()
{
	guest nvhe 2 --append "kvm.enable_virt_at_load=0" -- '
		hyptrace record -q -o /tmp/trace.dat -- hyp_workload -n 3 && hyptrace check /tmp/trace.dat &&
		! dmesg | grep WARNING' ||
		{ echo "not ok 1 virtualization is not enabled at load"; return; }
	echo "ok 1 virtualization is not enabled at load"
}

suite_off()
{
	job off check_off
	job "off, at load" check_late
}

# Runs tests on another kernel, which has been built
test_kernel()	# NAME MODE CPU PROGRAM...
{
	local name=$1 mode=$2 cpu=$3
	local -a software=() tests
	shift 3

	add_tests
	! grep -q '^CONFIG_TRACE_REMOTE_TEST=m' "$BUILD/kernel-$name/.config" ||
		add_software "kernel-$name"
	guest "$mode" 2 --cpu "$cpu" --kernel "$BUILD/kernel-$name/arch/arm64/boot/Image" \
		"${tests[@]}" "${software[@]}" -- /root/tests/run-tests.sh "$@"
}

# Builds it first, and runs the tests that depend on what differs in it
other_kernel()	# NAME MODE CPU PROGRAM...
{
	"$SCRIPTS/build-kernel.sh" --name "$1" --config "$SCRIPTS/config/$1.config"
	test_kernel "$@"
}

suite_pages()
{
	job "64 KiB pages" pages_in_all_modes
}

pages_in_all_modes()
{
	local mode
	local -a programs=(map read both)

	for mode in $MODES; do
		other_kernel 64k "$mode" "" "${programs[@]}"
		programs=(map)
	done
}

# The objects of kernel/trace/, without a warning at W=1
trace_objects()	# ARCH
{
	"$SCRIPTS/build-kernel.sh" --arch "$1" W=1 kernel/trace/
	echo "ok 1 kernel/trace for $1"
}

# The project's objects for arm64, without a warning at W=1. With options off, some of them are
# not there, and whole directories take their place
arm64_objects()	# gcc|clang [FRAGMENT]
{
	local targets=(kernel/trace/ arch/arm64/kvm/hyp/nvhe/ arch/arm64/kvm/handle_exit.o)

	(($# == 2)) || mapfile -t targets < <(project_objects)
	[[ $1 == gcc ]] || targets+=(LLVM=1)
	"$SCRIPTS/build-kernel.sh" --name "$1-objects${2:+-$2}" \
		--config "$SCRIPTS/config/werror.config" \
		--config "$SCRIPTS/config/${2:-functions}.config" W=1 "${targets[@]}"
	echo "ok 1 kernel/trace and EL2 by $1${2:+, $2}"
}

# A kernel that clang and lld have built passes the selftests
clang_kernel()
{
	local mode

	"$SCRIPTS/build-kernel.sh" --name clang LLVM=1
	for mode in $MODES; do
		test_kernel clang "$mode" ""
	done
}

# Options that others have: PREEMPT_RT, the remote "test" built in, no benchmark, snapshots,
# and lockdown, under which tracefs has to refuse
corners()
{
	local image=$BUILD/kernel-corners/arch/arm64/boot/Image

	other_kernel corners protected ""
	guest protected 2 --kernel "$image" --add "$SCRIPTS/guest/run-lockdown.sh" -- \
		sh /root/run-lockdown.sh
	guest protected 2 --kernel "$image" --append "lockdown=confidentiality" -- '
		! ls /sys/kernel/tracing/remotes && hyp_workload -n 1 && ! dmesg | grep WARNING' ||
		{ echo "not ok 1 a kernel that is locked down at boot"; return; }
	echo "ok 1 a kernel that is locked down at boot"
}

# The quick form has one of each kind. With the options that are on, gcc at W=1 is what "lint"
# uses; the kernel "off" is without them
suite_builds()
{
	job "builds, arm" trace_objects arm
	job "builds, clang" arm64_objects clang
	[[ $all == yes ]] || return 0
	job "builds, i386" trace_objects i386
	job "builds, s390" trace_objects s390
	job "builds, gcc" arm64_objects gcc
	job "builds, gcc off" arm64_objects gcc off
	job "builds, clang off" arm64_objects clang off
	job "builds, clang kernel" clang_kernel
	job "builds, corners" corners
}

# Runs the selftests or PROGRAM..., or the Nth of every M of these, on a kernel that checks
# itself, which is several times slower. Poisoning of pages is off unless asked for. KASAN
# records the stack traces for which slub_debug has U. In QEMU, such a kernel may take minutes
# to wake up from suspend, also if it has never traced: the test "suspended" is left out
checked_kernel()	# NAME MODE N/M [ARGUMENT-OF-BOOT]... [-- PROGRAM...]
{
	local name=$1 mode=$2 part=$3
	local -a tests boot=()
	shift 3

	while (($#)) && [[ $1 != -- ]]; do
		boot+=("$1")
		shift
	done
	(($# == 0)) || shift
	build_checked_kernel "$name"
	add_tests "test_modules-$name"
	guest "$mode" 2 --timeout 5400 "${boot[@]}" \
		--append "page_poison=1 slub_debug=FZP log_buf_len=1M" \
		--kernel "$BUILD/kernel-$name/arch/arm64/boot/Image" \
		"${tests[@]}" -- /root/tests/run-tests.sh --part "$part" --not suspended "$@"
}

# The name says which configurations it has: a-b has a.config and b.config. The other base may
# have a file of its own, a.mainline.config
build_checked_kernel()	# NAME
{
	local part configs=()

	for part in ${1//-/ }; do
		if [[ -e $SCRIPTS/config/$part.$BASE.config ]]; then
			part=$part.$BASE
		fi
		configs+=(--config "$SCRIPTS/config/$part.config")
	done
	"$SCRIPTS/build-kernel.sh" --name "$1" "${configs[@]}"
	"$SCRIPTS/build-test-modules.sh" "kernel-$1"
}

# All of QEMU's CPUs that have 16 KiB pages have VHE. On "max", which has LPA2, the base's
# pKVM does not start with such pages
suite_debug()
{
	local part

	for part in 1/2 2/2; do
		job "debug, hvhe, $part" checked_kernel debug hvhe "$part" --cpu neoverse-n1
	done
}

debug_in_all_modes()
{
	local mode
	local -a software

	add_software kernel-debug
	for mode in $MODES; do
		checked_kernel debug "$mode" 1/1 --cpu neoverse-n1 "${software[@]}"
	done
}

# What changes EL2's text, and what it runs then
debug_functions()
{
	local mode programs=(counters events filter functions stacks switching triggers)

	for mode in $MODES; do
		checked_kernel debug-functions "$mode" 1/1 --cpu neoverse-n1 -- "${programs[@]}"
	done
}

# What the last boot has left is read by code that no other job runs
debug_last_boot()
{
	local mode

	build_checked_kernel debug
	damaged_images 100 debug neoverse-n1
	for mode in $MODES; do
		KERNEL=debug CPU=neoverse-n1 "$SCRIPTS/check/reboot.sh" "$mode" el2 oops traced
	done
}

suite_debug-all()
{
	job "debug, all remotes" debug_in_all_modes
	job "debug, functions" debug_functions
	job "debug, last boot" debug_last_boot
}

# The project's functions. Only KCSAN's reports of races in these count
our_functions()
{
	(cd "$BUILD/kernel-kcsan" && aarch64-linux-gnu-nm arch/arm64/kvm/hyp_*.o kernel/trace/remote_test.o \
		kernel/trace/trace_remote*.o kernel/trace/ring_buffer_remote*.o)
}

check_races()	# MODE
{
	local list=$BUILD/check/our-functions
	local -a software

	build_checked_kernel kcsan
	add_software kernel-kcsan
	mkdir -p "$BUILD/check"
	our_functions | sed -n 's/.* [tT] \([^.]*\).*/\1/p' | sort -u >"$list"
	# KCSAN watches more accesses, and for longer, than it does by default
	checked_kernel kcsan "$1" 1/1 "${software[@]}" --add "$list:/root/tests/our-functions" \
		--append "kcsan.skip_watch=300 kcsan.udelay_task=300"
}

suite_kcsan()
{
	job kcsan races_in_all_modes
}

races_in_all_modes()
{
	local mode

	for mode in $MODES; do
		check_races "$mode"
	done
}

# The suite "debug" lets some allocations of a recording fail. This one lets each fail, on a
# faster kernel
each_fault()
{
	"$SCRIPTS/build-kernel.sh" --name faults --config "$SCRIPTS/config/faults.config"
	guest protected 2 --timeout 7200 --kernel "$BUILD/kernel-faults/arch/arm64/boot/Image" \
		--add "$BUILD/tests/faults:/root/tests/faults" \
		--add "$BUILD/tests/refused:/root/tests/refused" \
		--add "$SCRIPTS/guest/run-tests.sh:/root/tests/run-tests.sh" -- \
		env HYPTRACE_EACH_FAULT=1 /root/tests/run-tests.sh refused faults
}

suite_faults()
{
	job faults each_fault
}

# EL2 takes each VM for a protected one, in the protected modes. In the quick form, in one of them
hidden_vms()
{
	local mode modes=$MODES

	[[ $all == yes ]] || modes=$FIRST_MODE
	for mode in $modes; do
		[[ $mode == nvhe ]] || other_kernel secrets "$mode" "" secrets
	done
}

suite_secrets()
{
	job secrets hidden_vms
}

# All that the other suites test, while functions are traced, but for tests that choose
# themselves which
functions_meanwhile()	# MODE
{
	guest "$1" 4 --kernel "$BUILD/kernel-functions/arch/arm64/boot/Image" "${tests[@]}" -- \
		/root/tests/run-tests.sh --functions --without ordinary --without software \
		--not with_the_graph --not functions
	KERNEL=functions MODE=$1 CPUS=4 "$SCRIPTS/soak.sh" --seconds 60
}

# In the quick form, in one mode
functions_of_el2()
{
	local mode modes=$MODES
	local -a tests

	[[ $all == yes ]] || modes=$FIRST_MODE
	build_checked_kernel functions
	add_tests test_modules-functions
	for mode in $modes; do
		guest "$mode" 4 --kernel "$BUILD/kernel-functions/arch/arm64/boot/Image" \
			"${tests[@]}" -- /root/tests/run-tests.sh events functions \
			stacks switching:functions
		guest "$mode" 2 --kernel "$BUILD/kernel-functions/arch/arm64/boot/Image" \
			--add "$TOOL/tests/tap.sh" --add "$TOOL/tests/graph.sh" -- sh /root/graph.sh
		guest "$mode" 2 --kernel "$BUILD/kernel-functions/arch/arm64/boot/Image" \
			--add "$SCRIPTS/guest/run-functions.sh" -- sh /root/run-functions.sh
		[[ $mode == nvhe ]] || CALLS=20000 KERNEL=functions "$SCRIPTS/stress.sh" "$mode"
		[[ $all == no ]] || functions_meanwhile "$mode"
	done
}

# With the options that let EL2 save its own backtrace in protected mode
panics_of_functions()
{
	local mode

	build_checked_kernel functions-backtrace
	for mode in $MODES; do
		"$SCRIPTS/check/panic-functions.sh" "$mode" --each
	done
}

suite_functions()
{
	job functions functions_of_el2
	[[ $all == no ]] || job "functions, panic" panics_of_functions
}

mutants_are_caught()
{
	"$SCRIPTS/mutants.sh"
	echo "ok 1 all mutants are caught"
}

suite_mutants()
{
	job mutants mutants_are_caught
}

# The quick form only makes the patches
patch_series()
{
	local each=()

	[[ $all == no ]] || each=(--build)
	"$SCRIPTS/series.sh" "${each[@]}"
	echo "ok 1 the series of patches"
}

suite_series()
{
	job series patch_series
}

suite_mainline()
{
	job "other sources" "$SCRIPTS/check/other-sources.sh"
	if [[ $all == yes ]]; then
		job mainline env MODES="$MODES" "$SCRIPTS/check/mainline.sh"
	else
		job "mainline, some" env BASE=mainline \
			"$SCRIPTS/check/untested.sh" "$SCRIPTS/check/mainline.sh" --quick
	fi
}

suite_um()
{
	job um "$SCRIPTS/bench-native.sh" --quick
}
