# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Part of check.sh: the tests of hyptrace.

# hyptrace and trace-cmd print names for values, and symbols for addresses
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
	guest "$FIRST_MODE" 2 --out "$out" -- '
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

# The figures of stat agree with the events. The second recording has losses
check_stat()
{
	local out=$BUILD/check/stat file

	rm -rf "$out"
	# shellcheck disable=SC2016	# the guest's shell expands it
	guest "$FIRST_MODE" 2 --out "$out" -- '
		hyptrace record -o /out/whole.dat -- hyp_workload -n 20
		hyptrace record -b 8 -o /out/lossy.dat -- sh -c "
			hyp_workload -n 60 &
			kill -STOP \$PPID; wait; kill -CONT \$PPID"'
	for file in whole lossy; do
		echo "# $file"
		"$TOOL/tests/stat_compare.py" "$BUILD/host/hyptrace" "$out/$file.dat"
	done
	"$BUILD/host/hyptrace" stat --json "$out/lossy.dat" >"$out/lossy.json"
	grep -q '"losses": [1-9]' "$out/lossy.json" ||
		{ echo "not ok 1 the recording with losses has none"; return; }
	echo "ok 1 the recording with losses has some"
}

# The exports of two recordings, one of them with losses and not compressed
check_export()
{
	local out=$BUILD/check/export

	rm -rf "$out"
	# shellcheck disable=SC2016	# the guest's variables
	guest "$FIRST_MODE" 2 --out "$out" -- '
		cd /sys/kernel/tracing/remotes/hypervisor
		hyptrace record -o /out/trace.dat -- sh -c "echo 42 >write_event; hyp_workload -n 4"
		hyptrace record -C boot -b 8 --compression none -o /out/lossy.dat -- \
			sh -c "kill -STOP \$PPID; hyp_workload -n 4; kill -CONT \$PPID"'
	"$BUILD/host/hyptrace" report "$out/lossy.dat" | grep 'events lost' ||
		echo "not ok 1 a recording with losses: it has none"
	"$TOOL/tests/export_test.py" \
		"$BUILD/host/hyptrace" "$out/trace.dat" "$out/lossy.dat"
}

# Virtual time and one CPU: the delays that why.sh plants are the longest ones by far
check_why()	# MODE
{
	local out=$BUILD/check/why-$1

	rm -rf "$out"
	"$SCRIPTS/build-test-modules.sh"
	guest "$1" 1 --icount --out "$out" --add "$TOOL/tests/why.sh" \
		--add "$BUILD/obj/test_modules/delays.ko" -- sh /root/why.sh
	"$TOOL/tests/why_guest.py" "$BUILD/host/hyptrace" "$out"
}

# Opens the page in a browser. check_export compares most of what it shows without one
check_page()
{
	python3 "$TOOL/tests/page_test.py" \
		"$BUILD/host/hyptrace"
}

# trace-cmd and KernelShark read from these two recordings what hyptrace reads, and hyptrace
# reads what trace-cmd makes of them
check_readers()
{
	local out=$BUILD/check/export lib

	python3 "$TOOL/tests/dat_test.py" \
		"$BUILD/host/hyptrace" "$out/trace.dat" "$out/lossy.dat"

	lib=$(compgen -G "$NATIVE/unpacked/usr/lib/*/libkshark.so.2") ||
		die "there is no KernelShark in $NATIVE; run 'make setup' as root"
	"$TOOL/tests/readers_test.py" "$BUILD/host/hyptrace" "$lib" \
		"$out/trace.dat" "$out/lossy.dat"
}

# The commands that show events as they happen, some of them on a terminal
check_live()	# ARGUMENTS-OF-BOOT...
{
	make_tool guest pty
	guest "$FIRST_MODE" 2 "$@" --add "$TOOL_OBJ/tool-guest/pty:/root/pty" \
		--add "$TOOL/tests/live.sh" -- sh /root/live.sh
}

# Runs a test of the tool, a shell script, in a guest
tool_script()	# NAME [ARGUMENT-OF-BOOT]...
{
	guest "$FIRST_MODE" 2 "${@:2}" --add "$TOOL/tests/tap.sh" --add "$TOOL/tests/$1.sh" -- \
		sh "/root/$1.sh"
}

# On virtual time, a visit to EL2 takes as long as it has instructions
check_stopon()	# MODE
{
	guest "$1" 1 --icount --add "$TOOL/tests/tap.sh" --add "$TOOL/tests/stopon.sh" -- \
		sh /root/stopon.sh
}

# Pages have owners only in protected mode
check_pages()
{
	[[ $FIRST_MODE != nvhe ]] || { echo "ok 1 pages # SKIP no owners of pages in this mode"; return; }
	"$SCRIPTS/build-test-modules.sh"
	guest "$FIRST_MODE" 2 --add "$TOOL/tests/tap.sh" --add "$TOOL/tests/pages.sh" \
		--add "$BUILD/obj/test_modules/hyp_calls.ko" -- sh /root/pages.sh
}

# Many recordings as rows of a database
check_fleet()	# RECORDINGS
{
	python3 "$TOOL/tests/fleet_test.py" "$BUILD/host/hyptrace" \
		"$REPO/Documentation/trace/hypervisor-fleet.rst" "$NATIVE/unpacked/usr/sbin/clickhouse-server" "$1"
}

# What EL2 has counted gets to Prometheus
check_metrics()
{
	local out=$BUILD/check/metrics

	rm -rf "$out"
	# shellcheck disable=SC2016	# the guest's shell expands it
	guest "$FIRST_MODE" 2 --out "$out" -- '
		set -e
		cd /sys/kernel/tracing/remotes/hypervisor
		hyptrace metrics -o /out/before.prom
		echo 1 >counters/enable
		hyptrace record -q -b 8192 -o /out/agree.dat -- sh -c "
			hyptrace metrics -o /out/from.prom; hyp_workload -n 20
			for i in \$(seq 100); do echo \$i >write_event; done
			hyptrace metrics -o /out/to.prom"
		hyp_workload -n 50; echo 0 >counters/enable
		mkdir -p /out/remotes/hypervisor/counters
		cp counters/* /out/remotes/hypervisor/counters
		hyptrace metrics -o /out/metrics.prom'
	python3 "$TOOL/tests/metrics_test.py" "$BUILD/host/hyptrace" "$NATIVE/unpacked" "$out"
}

# On a kernel with a network
check_to()
{
	"$SCRIPTS/build-kernel.sh" --name net --config "$SCRIPTS/config/net.config"
	guest "$FIRST_MODE" 2 --kernel "$BUILD/kernel-net/arch/arm64/boot/Image" \
		--add "$TOOL/tests/tap.sh" --add "$TOOL/tests/to.sh" -- sh /root/to.sh
}

# Tests that need no guest
check_units()
{
	make_tool host check-programs
	make -C "$TOOL" O="$TOOL_OBJ/tool-host" check
}

# Other readers read the recordings that check_export has made
export_and_read()
{
	check_export
	check_readers
}

suite_tool()
{
	local mode

	job "tool, units" check_units
	job "tool, export and other readers" export_and_read
	job "tool, live" check_live --add "$TOOL/tests/tap.sh"
	job "tool, page" check_page
	job "tool, fleet" check_fleet "$([[ $all == yes ]] && echo 200 || echo 24)"
	job "tool, metrics" check_metrics
	job "tool, killed" tool_script kill
	job "tool, bad input" tool_script errors --icount
	job "tool, stop-on" check_stopon "$FIRST_MODE"
	job "tool, pages" check_pages
	job "tool, statistics" check_stat
	job "tool, names" check_names
	job "tool, formats" check_formats "$FIRST_MODE"
	[[ $all == yes ]] || return 0
	job "tool, to" check_to
	for mode in $MODES; do
		job "tool, why, $mode" check_why "$mode"
	done
}
