#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: run.sh
#
# Boots a guest, records what its hypervisor does while virtual machines run on
# every CPU, prints the merged timeline around a guest entry, checks the recording
# and exports it. At the same time it records the same workload in a second guest, which
# has one CPU and runs on virtual time: an instruction takes a nanosecond. The statistics
# are of that recording, as they depend neither on the speed nor on the load of this
# machine. Needs the kernel and the initramfs; 'make run' makes them first.
#
# Environment: MODE=protected|hvhe|nvhe (protected), CPUS=n (4),
#              GUEST=bare|linux (bare): the virtual machines run some instructions of our
#              own on each CPU, ITERATIONS=n (50) times; or it is one that Debian's QEMU runs,
#              in which Linux boots, works and records its own events
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

mode=${MODE:-protected}
cpus=${CPUS:-4}
guest=${GUEST:-bare}
out=$BUILD/run
data=$out/trace.dat
timed=$out/one-cpu.dat
report=$BUILD/host/hyptrace

# Sets "workload"; "boot", the arguments of boot.sh that it needs; and for the guest's own
# events, the further arguments of both commands
choose_workload()
{
	record_guest=
	workload_guest=
	case $guest in
	bare)
		workload="hyp_workload -n ${ITERATIONS:-50}"
		boot=()
		;;
	linux)
		"$SCRIPTS/build-vmm.sh"
		workload=vm
		boot=(--vm)
		record_guest="-b 8192 --guest linux=/tmp/guest.dat"
		workload_guest="--record /tmp/guest.dat"
		;;
	*) die "GUEST='$guest': bare or linux" ;;
	esac
}

record()
{
	"$SCRIPTS/boot.sh" --mode "$mode" --smp "$cpus" --out "$out" "${boot[@]}" -- \
		"hyptrace record $record_guest -o /out/trace.dat -- $workload $workload_guest"
}

# Nothing is printed: how long the machine takes to write it would be part of the time
record_one_cpu()
{
	"$SCRIPTS/boot.sh" --mode "$mode" --icount --out "$out" "${boot[@]}" -- \
		"hyptrace record -q -o /out/one-cpu.dat -- $workload >/dev/null 2>&1"
}

# Both at once
record_all()
{
	local pid

	rm -rf "$out"
	record_one_cpu &
	pid=$!
	record || { kill "$pid"; return 1; }
	wait "$pid"
}

# A few lines around the first entry of a guest in the second half
print_timeline()
{
	local text=$out/timeline.txt line

	"$report" report "$data" >"$text"
	line=$(awk '/kvm_entry/ { n++; at[n] = NR } END { print at[int(n / 2) + 1] }' "$text")
	echo "The timeline around a guest's entry:"
	sed -n "$((line > 3 ? line - 3 : 1)),$((line + 20))p" "$text"
}

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
(($# == 0)) || die "unknown argument '$1'; see --help"
choose_workload
step "Record in a $mode guest with $cpus CPUs" record_all
[[ -s $data && -s $timed ]] || die "the guests left no recordings"
print_timeline
echo
"$report" check "$data" | tail -n 6
"$report" export --quiet --perfetto --html "$data"
echo
echo "Where time goes, with one CPU on which an instruction takes a nanosecond:"
"$report" stat "$timed" | tee "$out/stat.txt"
echo
shown=${out#"$REPO"/}
echo "The recording:      $shown/trace.dat, for hyptrace, trace-cmd, KernelShark"
echo "For a browser:      $shown/trace.html"
echo "For Perfetto:       $shown/trace.pftrace"
echo "The text above:     $shown/timeline.txt (whole), $shown/stat.txt (of $shown/one-cpu.dat)"
