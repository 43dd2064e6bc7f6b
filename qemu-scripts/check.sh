#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: check.sh [SUITE]...
#
# Runs every test, but for suites that run only if named, or only those named:
#
#   writer      the ring-buffer writer, and the look at its pages at a panic, in user
#               space, under sanitizers, and with bugs that its tests have to find
#   model       the ring buffer's protocol, all that can happen within bounds
#   guest       the selftests, in each mode, with 1 and with 4 CPUs
#   hostile     a host that attacks EL2, in the modes in which it is not trusted
#   hours       the clocks over hours, in each mode; the time is virtual
#   ftrace      the kernel's ftracetest on both remotes, in each mode
#   upstream    the kernel's own tests give the same results as without patches
#   panic       the last events are printed when EL2 or the kernel dies, in each mode
#   order       a recording under load in each mode, and its order and accounting
#   tool        hyptrace's unit tests; bad input; live; names and symbols in its files;
#               statistics and exports of recordings, whole and with losses; the
#               exported page in a browser; trace-cmd and KernelShark see the same
#   docs        the examples of the documents
#   bench       no core cost has grown (see bench.sh)
#   off         a kernel without hypervisor tracing builds and runs guests; tracing where
#               KVM is told to leave EL2 alone until there is a guest
#   soak        everything at once for a short time, and the accounts (see soak.sh)
#   pages       a kernel with 64 KiB pages, in each mode
#   debug       the selftests on a kernel with 16 KiB pages that checks its locks, its
#               memory and its arithmetic
#   debug-all   on the remote "test" as well, and in each mode; only if named
#   kcsan       the selftests on a kernel that looks for data races; only if named
#   faults      each allocation of a recording fails once, of thousands; only if named
#   lint        style, types and documents (see lint.sh); the mutants of EL2 apply
#
# Each suite's output is in build/logs/check-*.log. Stops after the first suite
# that fails. The last line is "N passed, N failed, N skipped".
#
# Environment: MODES="protected hvhe nvhe", CPU_COUNTS="1 4"
set -euo pipefail
. "$(dirname "$0")/common.sh"

ALL_SUITES=(writer model tool guest hostile hours ftrace upstream panic order docs bench off soak
	pages debug lint)
MORE_SUITES=(debug-all kcsan faults)
MODES=${MODES:-protected hvhe nvhe}
CPU_COUNTS=${CPU_COUNTS:-1 4}

passed=0
failed=0
skipped=0

# Count the TAP lines of LOG; subtests of the kselftest harness are top-level
count_tap()	# LOG
{
	passed=$((passed + $(grep -cE '^ok ' "$1" || :)))
	failed=$((failed + $(grep -cE '^not ok ' "$1" || :)))
	skipped=$((skipped + $(grep -cE '^ok .*# SKIP' "$1" || :)))
	passed=$((passed - $(grep -cE '^ok .*# SKIP' "$1" || :)))
}

totals()
{
	echo "$passed passed, $failed failed, $skipped skipped"
}

# Where it happened, what, and the whole log. A suite that no test of its own says failed
# has the reason in its last lines
show_failures()	# WHAT LOG
{
	{
		echo "$1 failed:"
		grep -nE '^not ok [1-9]' "$2" | head -n 20 | sed 's/^/    /' || :
		! grep -q '^not ok 0 ' "$2" || tail -n 20 "$2" | sed 's/^/    /'
		echo "The whole output: $2"
	} >&2
}

run_suite()	# NAME COMMAND...
{
	local name=$1 log start=$SECONDS before=$failed status=0
	shift

	log=$LOGS/check-${name//[^a-z0-9]/-}.log
	mkdir -p "$LOGS"
	printf '%-36s' "$name"
	("$@") >"$log" 2>&1 || status=$?
	count_tap "$log"
	if ((status != 0 && failed == before)); then
		failed=$((failed + 1))
		echo "not ok 0 $name: ended with status $status" >>"$log"
	fi
	if ((failed > before)); then
		echo "FAILED ($((SECONDS - start)) s)"
		show_failures "$name" "$log"
		totals
		exit 1
	fi
	echo "ok ($((SECONDS - start)) s)"
}

suite_writer()
{
	run_suite writer make -C "$REPO/tools/testing/selftests/hyptrace/writer" check \
		O="$BUILD/obj/writer" KERNEL="$TREE"
	run_suite "writer, mutants" make -C "$REPO/tools/testing/selftests/hyptrace/writer" \
		mutants O="$BUILD/obj/writer" KERNEL="$TREE"
}

suite_model()
{
	run_suite model make -C "$REPO/tools/testing/selftests/hyptrace/model" check \
		O="$BUILD/obj/model"
}

guest()		# MODE CPUS ARGUMENTS-OF-BOOT...
{
	local mode=$1 cpus=$2
	shift 2

	"$SCRIPTS/boot.sh" --mode "$mode" --smp "$cpus" --timeout 600 "$@"
}

# Sets "software", what boot.sh needs for the remote "test" to be there
add_software()	# DIRECTORY-OF-KERNEL
{
	software=(--add "$BUILD/$1/kernel/trace/remote_test.ko:/root/tests/remote_test.ko")
}

# The remote "test" is the same in all modes: the first one is enough for it
suite_guest()
{
	local mode cpus
	local -a software

	step "Build the modules of the tests" "$SCRIPTS/build-test-modules.sh"
	add_software kernel
	for mode in $MODES; do
		for cpus in $CPU_COUNTS; do
			run_suite "guest $mode, $cpus CPUs" guest "$mode" "$cpus" \
				--add "$BUILD/tests:/root/tests" "${software[@]}" \
				--add "$BUILD/obj/test_modules/hyp_calls.ko:/root/tests/hyp_calls.ko" \
				--add "$SCRIPTS/guest-tests.sh:/root/tests/guest-tests.sh" -- \
				/root/tests/guest-tests.sh
		done
		software=()
	done
}

# Another seed each time; the log says which
suite_hostile()
{
	local mode

	for mode in $MODES; do
		[[ $mode != nvhe ]] || continue
		run_suite "hostile $mode" env CALLS=50000 "$SCRIPTS/stress.sh" "$mode"
	done
}

# With --icount an idle guest skips the time that it sleeps
suite_hours()
{
	local mode

	for mode in $MODES; do
		run_suite "hours $mode" "$SCRIPTS/boot.sh" --mode "$mode" --icount --timeout 600 \
			--add "$BUILD/tests/clock:/root/clock" \
			--add "$BUILD/kernel/kernel/trace/remote_test.ko:/root/remote_test.ko" -- '
			insmod /root/remote_test.ko &&
			HYPTRACE_HOURS=4 /root/clock -t over_hours && cat /proc/uptime'
	done
}

# The remote "test" in the first mode only, as above
suite_ftrace()
{
	local mode what=remotes

	for mode in $MODES; do
		run_suite "ftrace $mode, 4 CPUs" "$SCRIPTS/guest-ftracetest.sh" \
			--mode "$mode" --smp 4 -- "$what"
		what=remotes/hypervisor
	done
}

suite_upstream()
{
	run_suite upstream "$SCRIPTS/upstream-tests.sh"
}

suite_panic()
{
	local mode

	step "Build the modules of the tests" "$SCRIPTS/build-test-modules.sh"
	for mode in $MODES; do
		run_suite "panic $mode" "$SCRIPTS/check-panic.sh" "$mode"
	done
}

# A recording holds what the README promises
check_order()	# MODE CPUS ROUNDS MIN-ENTRIES
{
	local out=$BUILD/check/order-$1-$2 line min=1000 entries

	rm -rf "$out"
	guest "$1" "$2" --out "$out" -- \
		hyptrace record -o /out/trace.dat -- hyp_workload -n "$3"
	"$BUILD/host/hyptrace" check "$out/trace.dat" | tee "$out/check.txt"
	line=$(grep '^check: ' "$out/check.txt")
	if ! [[ $line =~ events=([0-9]+)\ .*windows=([0-9]+)\ violations=0\ lost=([0-9]+)\ unaccounted=0 ]] ||
		((BASH_REMATCH[1] < min || BASH_REMATCH[2] < min)); then
		echo "not ok 1 order in $1 mode with $2 CPUs"
		return
	fi
	entries=$("$BUILD/host/hyptrace" report "$out/trace.dat" | grep -c ' hyp_enter: ')
	((entries >= $4)) || {
		echo "not ok 1 order in $1 mode with $2 CPUs: $entries entries, want $4"
		return
	}
	echo "ok 1 order in $1 mode with $2 CPUs, $entries entries"
}

# The first one is long; a round of the workload on a CPU makes about 40 entries
suite_order()
{
	local mode cpus rounds=3200 entries=100000

	for mode in $MODES; do
		for cpus in $(tr ' ' '\n' <<<"$CPU_COUNTS" | sort -rn); do
			run_suite "order $mode, $cpus CPUs" \
				check_order "$mode" "$cpus" $((rounds / cpus)) "$entries"
			rounds=240
			entries=1000
		done
	done
}

# Values have their names, and addresses their symbols, in hyptrace and in trace-cmd
check_names()
{
	local out=$BUILD/check/names reader text patterns=(
		'bprint: +__kvm_nvhe_printk_selftest: selftest 42, .* at __kvm_nvhe_printk_selftest'
		'vcpu_exit: .* code=TRAP ec=HVC64 esr=0x5a00'
		'host_hcall: .*id=__kvm_vcpu_run invalid=0'
		'mem_transition: +op=donate from=host to=hyp .* ret=0'
		'host_mem_abort: .* ec=DABT_LOW outcome=mapped'
	)

	rm -rf "$out"
	guest protected 2 --out "$out" -- '
		cd /sys/kernel/tracing/remotes/hypervisor
		hyptrace record -o /out/trace.dat -- sh -c "echo 42 >write_event; hyp_workload -n 4"
		trace-cmd report -i /out/trace.dat >/out/trace-cmd.txt 2>&1'
	"$BUILD/host/hyptrace" report "$out/trace.dat" >"$out/hyptrace.txt"
	for reader in hyptrace trace-cmd; do
		for text in "${patterns[@]}"; do
			grep -aqE -- "$text" "$out/$reader.txt" || echo "not ok 1 $reader: no '$text'"
		done
		! grep -aq 'FAILED TO PARSE' "$out/$reader.txt" || echo "not ok 1 $reader: failed to parse"
		echo "ok 1 $reader has read all"
	done
}

# What stat says is what the events say; the second recording has losses
check_stat()
{
	local out=$BUILD/check/stat file

	rm -rf "$out"
	# shellcheck disable=SC2016	# the guest's shell expands it
	guest protected 2 --out "$out" -- '
		hyptrace record -o /out/whole.dat -- hyp_workload -n 20
		hyptrace record -b 8 -o /out/lossy.dat -- sh -c "
			hyp_workload -n 60 &
			kill -STOP \$PPID; wait; kill -CONT \$PPID"'
	for file in whole lossy; do
		echo "# $file"
		"$REPO/tools/tracing/hyptrace/tests/stat_compare.py" "$BUILD/host/hyptrace" "$out/$file.dat"
	done
	"$BUILD/host/hyptrace" stat --json "$out/lossy.dat" >"$out/lossy.json"
	grep -q '"losses": [1-9]' "$out/lossy.json" ||
		{ echo "not ok 1 the recording with losses has none"; return; }
	echo "ok 1 the recording with losses has some"
}

# The exports of two recordings, one of them with losses
check_export()
{
	local out=$BUILD/check/export

	rm -rf "$out"
	# shellcheck disable=SC2016	# the guest's variables
	guest protected 2 --out "$out" -- '
		cd /sys/kernel/tracing/remotes/hypervisor
		hyptrace record -o /out/trace.dat -- sh -c "echo 42 >write_event; hyp_workload -n 4"
		hyptrace record -C boot -b 8 -o /out/lossy.dat -- \
			sh -c "kill -STOP \$PPID; hyp_workload -n 4; kill -CONT \$PPID"'
	"$BUILD/host/hyptrace" report "$out/lossy.dat" | grep 'events lost' ||
		echo "not ok 1 a recording with losses: it has none"
	PYTHONDONTWRITEBYTECODE=1 "$REPO/tools/tracing/hyptrace/tests/export_test.py" \
		"$BUILD/host/hyptrace" "$out/trace.dat" "$out/lossy.dat"
}

# The page in a browser. Most of what a page shows is compared without one: check_export
check_page()
{
	PYTHONDONTWRITEBYTECODE=1 python3 "$REPO/tools/tracing/hyptrace/tests/page_test.py" \
		"$BUILD/host/hyptrace"
}

# trace-cmd and KernelShark see in these two recordings what hyptrace sees
check_readers()
{
	local out=$BUILD/check/export lib

	lib=$(compgen -G "$KSHARK/usr/lib/*/libkshark.so.2") ||
		die "there is no KernelShark in $KSHARK; run 'make setup' as root"
	"$REPO/tools/tracing/hyptrace/tests/readers_test.py" "$BUILD/host/hyptrace" "$lib" \
		"$out/trace.dat" "$out/lossy.dat"
}

# What is shown while it happens, some of it on a terminal
check_live()	# ARGUMENTS-OF-BOOT...
{
	make -C "$REPO/tools/tracing/hyptrace" O="$BUILD/obj/tool-guest" \
		CROSS_COMPILE="${CROSS_COMPILE:-aarch64-linux-gnu-}" LDFLAGS=-static pty
	guest protected 2 "$@" --add "$BUILD/obj/tool-guest/pty:/root/pty" \
		--add "$REPO/tools/tracing/hyptrace/tests/live.sh" -- sh /root/live.sh
}

suite_tool()
{
	local tap=(--add "$REPO/tools/tracing/hyptrace/tests/tap.sh")

	run_suite "tool, units" make -C "$REPO/tools/tracing/hyptrace" check O="$BUILD/obj/tool-check"
	run_suite "tool, bad input" guest protected 2 \
		"${tap[@]}" --add "$REPO/tools/tracing/hyptrace/tests/errors.sh" -- sh /root/errors.sh
	run_suite "tool, killed" guest protected 2 \
		"${tap[@]}" --add "$REPO/tools/tracing/hyptrace/tests/kill.sh" -- sh /root/kill.sh
	run_suite "tool, live" check_live "${tap[@]}"
	run_suite "tool, names" check_names
	run_suite "tool, statistics" check_stat
	run_suite "tool, export" check_export
	run_suite "tool, page" check_page
	run_suite "tool, other readers" check_readers
}

suite_docs()
{
	run_suite docs "$SCRIPTS/check-docs.sh"
}

suite_bench()
{
	run_suite bench "$SCRIPTS/bench.sh" --core --compare
}

check_off()
{
	"$SCRIPTS/build-kernel.sh" --name off --config "$SCRIPTS/kernel-off.config"
	guest protected 2 --kernel "$BUILD/kernel-off/arch/arm64/boot/Image" -- sh -c '
		[ ! -e /sys/kernel/tracing/remotes ] && hyp_workload -t 2' ||
		{ echo "not ok 1 a kernel without hypervisor tracing"; return; }
	echo "ok 1 a kernel without hypervisor tracing"
}

# KVM that is told to leave EL2 alone until there is a guest has to be there for tracing
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
	run_suite off check_off
	run_suite "off, at load" check_late
}

# Its rounds take 5 s; in four of them all kinds of things happen
suite_soak()
{
	run_suite "soak, protected, 4 CPUs" env MODE=protected CPUS=4 "$SCRIPTS/soak.sh" --seconds 22
}

# Another kernel, and the tests that have to do with what differs in it
other_kernel()	# NAME MODE CPU PROGRAM...
{
	local name=$1 mode=$2 cpu=$3
	local -a software
	shift 3

	add_software "kernel-$name"
	"$SCRIPTS/build-kernel.sh" --name "$name" --config "$SCRIPTS/kernel-$name.config"
	guest "$mode" 2 --cpu "$cpu" --kernel "$BUILD/kernel-$name/arch/arm64/boot/Image" \
		--add "$BUILD/tests:/root/tests" "${software[@]}" \
		--add "$SCRIPTS/guest-tests.sh:/root/tests/guest-tests.sh" -- \
		/root/tests/guest-tests.sh "$@"
}

suite_pages()
{
	local mode
	local -a programs=(map read both)

	for mode in $MODES; do
		run_suite "64 KiB pages, $mode" other_kernel 64k "$mode" "" "${programs[@]}"
		programs=(map)
	done
}

# All selftests on a kernel that checks itself, some times slower than another one. Pages
# are not poisoned unless told to be; KASAN has the traces that slub_debug's U would take
checked_kernel()	# NAME MODE [ARGUMENT-OF-BOOT]...
{
	local name=$1 mode=$2
	shift 2

	build_checked_kernel "$name"
	guest "$mode" 2 --timeout 3600 "$@" \
		--append "page_poison=1 slub_debug=FZP log_buf_len=1M" \
		--kernel "$BUILD/kernel-$name/arch/arm64/boot/Image" \
		--add "$BUILD/tests:/root/tests" \
		--add "$BUILD/obj/test_modules-$name/hyp_calls.ko:/root/tests/hyp_calls.ko" \
		--add "$SCRIPTS/guest-tests.sh:/root/tests/guest-tests.sh" -- \
		/root/tests/guest-tests.sh
}

build_checked_kernel()	# NAME
{
	"$SCRIPTS/build-kernel.sh" --name "$1" --config "$SCRIPTS/kernel-$1.config"
	"$SCRIPTS/build-test-modules.sh" "kernel-$1"
}

# Of QEMU's CPUs, those with 16 KiB pages have VHE, and on "max" (LPA2) pKVM of the base
# does not come up with such pages
suite_debug()
{
	run_suite "debug, hvhe" checked_kernel debug hvhe --cpu neoverse-n1
}

suite_debug-all()
{
	local mode
	local -a software

	add_software kernel-debug
	for mode in $MODES; do
		run_suite "debug, all remotes, $mode" checked_kernel debug "$mode" \
			--cpu neoverse-n1 "${software[@]}"
	done
}

# The functions of ours, of whose races KCSAN's reports are taken
our_functions()
{
	local trace=$BUILD/kernel-kcsan/kernel/trace kvm=$BUILD/kernel-kcsan/arch/arm64/kvm

	aarch64-linux-gnu-nm "$kvm/hyp_trace.o" "$kvm/hyp_bench.o" "$trace/remote_test.o" \
		"$trace/trace_remote.o" "$trace/trace_remote_filter.o" "$trace/trace_remote_dump.o"
	aarch64-linux-gnu-nm "$trace/ring_buffer.o" | grep remote
}

check_races()	# MODE
{
	local list=$BUILD/check/our-functions
	local -a software

	build_checked_kernel kcsan
	add_software kernel-kcsan
	mkdir -p "$BUILD/check"
	our_functions | sed -n 's/.* [tT] \([^.]*\).*/\1/p' | sort -u >"$list"
	# Watch more accesses, and for longer, than a machine in use would
	checked_kernel kcsan "$1" "${software[@]}" --add "$list:/root/tests/our-functions" \
		--append "kcsan.skip_watch=300 kcsan.udelay_task=300"
}

suite_kcsan()
{
	local mode

	for mode in $MODES; do
		run_suite "kcsan, $mode" check_races "$mode"
	done
}

# What "debug" does with some allocations of a recording, with each, on a quick kernel
each_fault()
{
	"$SCRIPTS/build-kernel.sh" --name faults --config "$SCRIPTS/kernel-faults.config"
	guest protected 2 --timeout 7200 --kernel "$BUILD/kernel-faults/arch/arm64/boot/Image" \
		--add "$BUILD/tests/faults:/root/tests/faults" \
		--add "$SCRIPTS/guest-tests.sh:/root/tests/guest-tests.sh" -- \
		env HYPTRACE_EACH_FAULT=1 /root/tests/guest-tests.sh faults
}

suite_faults()
{
	run_suite faults each_fault
}

check_lint()
{
	"$SCRIPTS/lint.sh" && "$SCRIPTS/mutants.sh" --check && echo "ok 1 lint"
}

suite_lint()
{
	run_suite lint check_lint
}

suites=("${ALL_SUITES[@]}")
[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# == 0)) || suites=("$@")
for suite in "${suites[@]}"; do
	[[ " ${ALL_SUITES[*]} ${MORE_SUITES[*]} " == *" $suite "* ]] || die "no suite '$suite'; see --help"
done
for suite in "${suites[@]}"; do
	"suite_$suite"
done
totals
