#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: run.sh
#
# Boots a guest, records what its hypervisor does while virtual machines run on
# every CPU, prints the merged timeline around a guest entry, checks the recording,
# exports it, and says where time went. Needs the kernel and the initramfs; 'make run'
# makes them first.
#
# Environment: MODE=protected|hvhe|nvhe (protected), CPUS=n (4),
#              ITERATIONS=n (50) of the guest code on each CPU
set -euo pipefail
. "$(dirname "$0")/common.sh"

mode=${MODE:-protected}
cpus=${CPUS:-4}
iterations=${ITERATIONS:-50}
out=$BUILD/run
data=$out/trace.dat
report=$BUILD/host/hyptrace

record()
{
	rm -rf "$out"
	"$SCRIPTS/boot.sh" --mode "$mode" --smp "$cpus" --out "$out" -- \
		hyptrace record -o /out/trace.dat -- hyp_workload -n "$iterations"
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
step "Record in a $mode guest with $cpus CPUs" record
[[ -s $data ]] || die "the guest left no recording"
print_timeline
echo
"$report" check "$data" | tail -n 5
"$report" export --quiet --perfetto --html "$data"
echo
echo "Where time went:"
"$report" stat "$data" | tee "$out/stat.txt"
echo
shown=${out#"$REPO"/}
echo "The recording:      $shown/trace.dat, for hyptrace, trace-cmd, KernelShark"
echo "For a browser:      $shown/trace.html"
echo "For Perfetto:       $shown/trace.pftrace"
echo "The text above:     $shown/timeline.txt (whole), $shown/stat.txt"
