# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Part of check.sh: suites that run in guests with the ordinary kernel.

# Tests that do not depend on the mode run in the first one only
FIRST_MODE=${MODES%% *}
# Tests of what only the kernels of the suites "functions" and "secrets" have. The mainline kernel
# has protected VMs
ELSEWHERE="--not with_the_graph --not functions"
[[ $BASE == mainline ]] || ELSEWHERE+=" --not illegal_trap"

guest()		# MODE CPUS ARGUMENT-OF-BOOT...
{
	local mode=$1 cpus=$2
	shift 2

	"$SCRIPTS/boot.sh" --mode "$mode" --smp "$cpus" --timeout 1200 "$@"
}

# Sets "software", the arguments by which boot.sh adds the remote "test"
add_software()	# DIRECTORY-OF-KERNEL
{
	software=(--add "$BUILD/$1/kernel/trace/remote_test.ko:/root/tests/remote_test.ko")
}

# Sets "tests", the arguments by which boot.sh adds the test programs, and the modules that
# these load, if there is a directory of modules for the kernel
add_tests()	# [DIRECTORY-OF-MODULES]
{
	local module

	tests=(--add "$BUILD/tests:/root/tests"
		--add "$SCRIPTS/guest/run-tests.sh:/root/tests/run-tests.sh")
	(($#)) || return 0
	for module in absent fast_clock hyp_calls; do
		tests+=(--add "$BUILD/obj/$1/$module.ko:/root/tests/$module.ko")
	done
}

# Runs test programs. Those of the remote "test" and of ordinary buffers run in the first
# mode only
selftests()	# MODE ARGUMENTS-OF-BOOT -- ARGUMENT-OF-RUN-TESTS...
{
	local mode=$1 boot=$2
	local -a software=() tests
	shift 3

	"$SCRIPTS/build-test-modules.sh"
	add_tests test_modules
	if [[ $mode == "$FIRST_MODE" ]]; then
		add_software kernel
	else
		set -- --without ordinary "$@"
	fi
	# shellcheck disable=SC2086	# words
	"$SCRIPTS/boot.sh" --mode "$mode" $boot --timeout 1800 \
		"${tests[@]}" "${software[@]}" -- /root/tests/run-tests.sh $ELSEWHERE "$@"
}

# In the quick form, most programs run on virtual time, which load on the machine does not
# disturb. Programs that look for races need CPUs that really run at the same time, so they
# run on real time; so does the test that sleeps until an alarm of the machine's clock.
# Four CPUs and one CPU give different orders of events, but the same ones in each mode:
# one mode with one CPU is enough. So is one mode for each race.
suite_guest()
{
	local mode cpus
	# 40 cycles show a leak of one page a cycle. With CPU hotplug they do not, as hotplug
	# itself keeps some pages: cpu_off_and_on is left out
	local -A races=(
		[protected]="--cycles 40 --not cpu_off_and_on leak stress wait"
		[nvhe]="switching clock:suspended triggers:traceoff_stops_all
			triggers:switched_all_the_time counters:are_consistent
			counters:go_on_after_hotplug"
	)

	if [[ $all == yes ]]; then
		for mode in $MODES; do
			for cpus in 4 1; do
				job "guest $mode, $cpus CPUs" selftests "$mode" "--smp $cpus" --
			done
		done
		return
	fi
	for mode in $MODES; do
		cpus=4
		[[ $mode != nvhe ]] || cpus=1
		job "guest $mode, $cpus CPUs" selftests "$mode" "--icount --smp $cpus" -- \
			--not suspended --not switched_all_the_time both clock control events filter \
			libtracefs lifecycle map read refused secrets stacks triggers counters
		# shellcheck disable=SC2086	# words
		[[ ! ${races[$mode]:-} ]] ||
			job "guest $mode, races" selftests "$mode" "--smp 4" -- ${races[$mode]}
	done
}

# Each run has another seed, which the log names
suite_hostile()
{
	local mode calls=50000

	[[ $all == no ]] || calls=1000000
	for mode in $MODES; do
		[[ $mode == nvhe ]] ||
			job "hostile $mode" env CALLS=$calls "$SCRIPTS/stress.sh" "$mode"
	done
}

# With --icount a guest skips the time in which it is idle
hours()		# MODE
{
	guest "$1" 1 --icount --add "$BUILD/tests/clock:/root/clock" \
		--add "$BUILD/kernel/kernel/trace/remote_test.ko:/root/remote_test.ko" -- '
		insmod /root/remote_test.ko &&
		HYPTRACE_HOURS=4 /root/clock -t over_hours && cat /proc/uptime'
}

suite_hours()
{
	local mode

	for mode in $MODES; do
		job "hours $mode" hours "$mode"
	done
}

# The tests of remotes that the mainline kernel has, on this one
mainlines_own()
{
	local mode

	for mode in $MODES; do
		"$SCRIPTS/check/ftracetest.sh" --mainline --icount --mode "$mode" --smp 4
	done
}

# In the quick form, in one mode, and of the remote "test" only what that alone has
suite_ftrace()
{
	local mode modes=$MODES
	local -a what=(remotes)

	if [[ $all == no ]]; then
		modes=$FIRST_MODE
		what=(remotes/hypervisor remotes/test/{event_text,module}.tc)
	fi
	for mode in $modes; do
		job "ftrace $mode" "$SCRIPTS/check/ftracetest.sh" \
			--mode "$mode" --smp 4 -- "${what[@]}"
		what=(remotes/hypervisor)
	done
	[[ $all == no || ! -e $MAINLINE_TARBALL ]] || job "ftrace, mainline's own" mainlines_own
}

suite_upstream()
{
	if [[ $all == yes ]]; then
		job upstream "$SCRIPTS/check/upstream.sh"
	else
		job "upstream, some" "$SCRIPTS/check/upstream.sh" --quick
	fi
}

suite_boot()
{
	local mode

	for mode in $MODES; do
		job "boot $mode" "$SCRIPTS/check/from-boot.sh" "$mode"
	done
}

panics()	# MODE
{
	"$SCRIPTS/build-test-modules.sh"
	"$SCRIPTS/check/panic.sh" "$1"
}

suite_panic()
{
	local mode

	for mode in $MODES; do
		job "panic $mode" panics "$mode"
	done
}

reboots()	# MODE END...
{
	"$SCRIPTS/build-test-modules.sh"
	"$SCRIPTS/check/reboot.sh" "$@"
}

# What the kernel makes of damaged images, of which the suite "writer" reads many more
damaged_images()	# NUMBER [KERNEL CPU]
{
	local kernel=kernel${2:+-$2} seed

	seed=$(random_seed)
	echo "# seed $seed"
	"$SCRIPTS/build-test-modules.sh" "$kernel"
	guest "$FIRST_MODE" 2 --append "reserve_mem=512K:512K:soft trace_remote_mem=test:soft" \
		--kernel "$BUILD/$kernel/arch/arm64/boot/Image" --cpu "${3:-}" \
		--add "$BUILD/$kernel/kernel/trace/remote_test.ko" \
		--add "$BUILD/obj/test_modules${2:+-$2}/scribble.ko" \
		--add "$SCRIPTS/guest/run-scribble.sh" -- /root/run-scribble.sh "$1" "$seed"
}

# The quick form has a crash of EL2 in one mode, and a reset from outside in another
suite_reboot()
{
	local mode images=1000

	[[ $all == yes ]] || images=30
	job "reboot, damaged" damaged_images $images
	if [[ $all == no ]]; then
		job "reboot protected" reboots protected el2
		job "reboot nvhe" reboots nvhe hang
		return
	fi
	for mode in $MODES; do
		job "reboot $mode" reboots "$mode" el2 host oops hang reset reboot \
			tree unloaded traced
	done
	job "reboot, kexec" reboot_by_kexec
}

reboot_by_kexec()
{
	build_checked_kernel kexec
	"$SCRIPTS/check/reboot.sh" nvhe kexec kexec-off kexec-other kexec-loaded
}

# Checks of a recording what the README promises. It stays in $out
check_recording()	# WHAT MIN-ENTRIES ARGUMENTS-OF-RECORD MODE CPUS [ARGUMENT-OF-BOOT]...
{
	local what=$1 line min=1000 entries

	out=$BUILD/check/order-${1//[^a-z0-9]/-}
	rm -rf "$out"
	guest "${@:4}" --out "$out" -- "hyptrace record -o /out/trace.dat $3"
	"$BUILD/host/hyptrace" check "$out/trace.dat" | tee "$out/check.txt"
	line=$(grep '^check: ' "$out/check.txt")
	if ! [[ $line =~ events=([0-9]+)\ .*windows=([0-9]+)\ violations=0\ lost=([0-9]+)\ unaccounted=0 ]] ||
		((BASH_REMATCH[1] < min || BASH_REMATCH[2] < min)); then
		echo "not ok 1 order in $what"
		return
	fi
	entries=$("$BUILD/host/hyptrace" report "$out/trace.dat" | grep -c ' hyp_enter: ')
	((entries >= $2)) || {
		echo "not ok 1 order in $what: $entries entries, want $2"
		return
	}
	echo "ok 1 order in $what, $entries entries"
}

# hyptrace prints events of all formats that the guest's kernel has as libtraceevent does
check_formats()	# MODE
{
	local out=$BUILD/check/formats format_test=$TOOL_OBJ/tool-host/format_test

	make_tool host "$format_test"
	rm -rf "$out"
	# shellcheck disable=SC2016	# the guest's shell expands it
	guest "$1" 1 --icount --out "$out" -- '
		cd /sys/kernel/tracing
		for file in events/*/*/format remotes/*/events/*/*/format; do
			dir=${file%/*/format}
			printf "\n@ %s\n" "${dir##*/}"
			cat "$file"
		done >/out/formats.txt'
	"$format_test" --kernel "$out/formats.txt"
}

check_order()	# MODE CPUS ROUNDS MIN-ENTRIES
{
	local out

	check_recording "$1 mode with $2 CPUs" "$4" "-- hyp_workload -n $3" "$1" "$2"
}

# The guest's part: each event while its vCPU ran, by a clock that is known to 100 us
check_guest_events()	# RECORDING MIN-EVENTS
{
	local line

	line=$(grep '^guest linux: ' "$1/check.txt") || line="no line of the guest"
	if [[ $line =~ events=([0-9]+)\ violations=0\ skipped=0\ cut=0\ lost=0\ unaccounted=0\ .*error_ns=([0-9]+)$ ]] &&
		((BASH_REMATCH[1] >= $2 && BASH_REMATCH[2] <= 100000)); then
		echo "ok 2 events of the guest, $2 at least"
	else
		echo "not ok 2 events of the guest, $2 at least: $line"
	fi
}

# Debian's QEMU boots a Linux guest, which records its own events
check_linux()	# MODE CPUS ROUNDS MIN-EVENTS
{
	local out work="seq $3 | while read -r _; do ls -lR /usr >/dev/null; usleep 10000; done"

	"$SCRIPTS/build-vmm.sh"
	check_recording "$1 mode with a Linux guest" 10000 \
		"-b 8192 --guest linux=/tmp/guest.dat -- vm --record /tmp/guest.dat -- '$work'" \
		"$1" "$2" --vm
	check_guest_events "$out" "$4"
}

check_vm()
{
	"$SCRIPTS/build-vmm.sh"
	guest "$FIRST_MODE" 1 --icount --vm --add "$SCRIPTS/guest/run-vm.sh" -- sh /root/run-vm.sh
}

# A round of the workload on a CPU makes about 40 entries, one of the Linux guest 2,000 events.
# With --all the first job is longer
suite_order()
{
	local mode cpus rounds=240 entries=1000 guest_rounds=5 guest_events=5000

	[[ $all == no ]] || guest_rounds=80 guest_events=100000

	for mode in $MODES; do
		for cpus in 4 1; do
			if [[ $all == yes && $mode,$cpus == "$FIRST_MODE",4 ]]; then
				job "order $mode, 4 CPUs, long" check_order "$mode" 4 800 100000
			elif [[ $all == yes || $cpus == 4 ]]; then
				job "order $mode, $cpus CPUs" \
					check_order "$mode" "$cpus" $((rounds / cpus)) "$entries"
			fi
		done
		[[ $all == no && $mode != "$FIRST_MODE" ]] ||
			job "order $mode, a Linux guest" check_linux "$mode" 4 $guest_rounds $guest_events
	done
	[[ $all == no ]] || job "order, vm" check_vm
}

# A round takes 5 s. In four rounds everything mostly happens; if not, there are more
suite_soak()
{
	local mode=protected seconds=22

	[[ $all == no ]] || seconds=300
	job "soak $mode" env MODE=$mode CPUS=4 "$SCRIPTS/soak.sh" --seconds $seconds
}

suite_bench()
{
	job bench "$SCRIPTS/bench.sh" --core --compare
}

suite_docs()
{
	job docs "$SCRIPTS/check/docs.sh"
}
