#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: bench.sh [--core] [--compare | --update] [--kernel IMAGE] [--mode MODE]
#
# Measures what hypervisor tracing costs, in a guest whose instructions take a
# nanosecond each. Prints a table and writes build/bench.tsv (metric, value, unit,
# value of the peer, ratio to it, spread). Numbers of instructions are medians of
# repeated measurements, less an empty loop; the same kernel gives the same numbers.
# Needs the kernel and the initramfs; 'make bench' makes them first. Builds a kernel
# without hypervisor tracing to compare with, and one with the tracers of EL2's functions,
# unless they are there.
#
#   --core           only the metrics of qemu-scripts/bench-baseline-BASE.tsv, the baseline,
#                    in one boot of some seconds; writes build/bench-core.tsv
#   --compare        fail if a metric is more than 5 % above the baseline; prints a TAP
#                    line for each
#   --update         record what was measured as the new baseline
#   --kernel IMAGE   measure this kernel (default build/kernel's), in its build directory
#   --mode MODE      protected (the default), hvhe or nvhe; see boot.sh
#
# Environment: BASE=6.12|mainline (6.12), which kernel; its figures are below build/mainline
#              BENCH_CPUS="1 2 4 8", the numbers of CPUs of the guests. With more than
#              one CPU, only costs that must not grow with their number are measured,
#              on one of them while the others idle; these metrics are named
#              metric@Ncpus. --core has one CPU only
#
# Some metrics have a limit, whatever the baseline is: an event that is off costs one instruction,
# and four on the path of a hypercall, where gcc aligns a label by a fifth. --compare and the full
# form fail above it.
#
# The peer is mainline's own tracing of EL2, measured in the same way on its own kernel.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

CROSS_COMPILE=${CROSS_COMPILE:-aarch64-linux-gnu-}
PROGRAM=$REPO/tools/testing/selftests/hyptrace/bench
OBJ=$BUILD/obj/bench
BASELINE=$SCRIPTS/bench-baseline-$BASE.tsv
MAX_GROWTH=5	# percent
BENCH_CPUS=${BENCH_CPUS:-1 2 4 8}

# The figures of the peer. Its readers poll every 100 ms
declare -A PEER=(
	[selftest.event]=108
	[selftest.bytes]=20
	[selftest.path]=724
	[hyp_pair.event]=230
	[wake.p99]=100000000
)

# What a metric may be at most, with the resolution of the measurement on top
declare -A LIMIT=(
	[point.off]=1
	[point.off_of_many]=1
	[hypercall.unused]=5
)

core=no
compare=no
update=no
kernel=$BUILD/kernel
boot=()

parse_arguments()
{
	while (($#)); do
		case $1 in
		--core) core=yes ;;
		--compare) compare=yes ;;
		--update) update=yes ;;
		--kernel | --mode)
			need_value "$1" $#
			[[ $1 == --mode ]] || kernel=${2%/arch/arm64/boot/Image}
			boot+=("$1" "$2")
			shift
			;;
		-h | --help) usage; exit ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
		shift
	done
	[[ $compare == no || $update == no ]] || die "--compare and --update exclude each other"
	[[ $update == no || ($core == yes && ${#boot[@]} == 0) ]] ||
		die "--update goes with --core, and with neither --mode nor --kernel"
}

build_bench()
{
	make -C "$PROGRAM" O="$OBJ" KERNEL="$TREE" CROSS_COMPILE="$CROSS_COMPILE"
}

measure()	# CPUS ARGUMENT-OF-HYP_BENCH [ARGUMENT-OF-BOOT]...
{
	local cpus=$1 what=$2
	shift 2

	"$SCRIPTS/boot.sh" --icount --smp "$cpus" --timeout 1800 "${boot[@]}" "$@" \
		--add "$OBJ/hyp_bench:/root/hyp_bench" -- "./hyp_bench $what"
}

# The memory that objects take at EL2, with that name. A CPU's part comes once for each
size_of()	# NAME OBJECT...
{
	local name=$1
	shift

	"${CROSS_COMPILE}size" -A "$@" | awk -v name="$name" '
		/^\.bss/ { bss += $2 }
		/^\.data\.\.percpu/ { percpu += $2 }
		/^(\.text|\.rodata|\.altinstructions|__bug_table)/ { text += $2 }
		END {
			printf "%s.text\t%d\tbytes\t0\n", name, text
			printf "%s.bss\t%d\tbytes\t0\n", name, bss
			printf "%s.percpu\t%d\tbytes/CPU\t0\n", name, percpu
		}'
}

has_option()	# NAME
{
	grep -q "^CONFIG_NVHE_EL2_$1=y" "$kernel/.config"
}

# Most of what an option adds is in an object of its own
measure_size()
{
	local dir=$kernel/arch/arm64/kvm/hyp/nvhe

	size_of el2 "$dir"/trace{,_buffers,_control}.nvhe.o "$dir/clock.nvhe.o" \
		"$kernel/kernel/trace/ring_buffer_writer.nvhe.o"
	! has_option TRIGGERS || size_of el2.triggers "$dir/trace_triggers.nvhe.o"
	! has_option COUNTERS || size_of el2.counters "$dir/counters.nvhe.o"
	! has_option STACKS || size_of el2.stacks "$dir/stack.nvhe.o"
}

# Measures the same guest on a kernel without hypervisor tracing
measure_untraced()
{
	local image=$BUILD/kernel-off/arch/arm64/boot/Image

	[[ -f $image ]] ||
		"$SCRIPTS/build-kernel.sh" --name off --config "$SCRIPTS/config/off.config" >&2
	measure 1 --untraced --kernel "$image"
}

# Each function of EL2 begins with two instructions more there, so that others are not measured
measure_functions()
{
	local image=$BUILD/kernel-functions/arch/arm64/boot/Image

	[[ -f $image ]] ||
		"$SCRIPTS/build-kernel.sh" --name functions --config "$SCRIPTS/config/functions.config" >&2
	measure 1 --functions --kernel "$image"
}

measure_everything()
{
	local cpus

	for cpus in $BENCH_CPUS; do
		case $cpus in
		1) measure 1 '' ;;
		*) measure "$cpus" --scale | sed "s/\t/@${cpus}cpus\t/" ;;
		esac
	done
	measure_untraced
	measure_functions
}

# Adds what hypervisor tracing costs when it is compiled in but not used
add_differences()	# RAW-FILE
{
	awk -F '\t' -v OFS='\t' '
	function difference(of,		off, out) {
		off = of ".off"
		out = of ".compiled_out"
		if (off in value && out in value)
			printf "%s.unused\t%.1f\tinstructions\t%.1f\n", of,
				value[off] - value[out], spread[off] + spread[out]
	}
	{ value[$1] = $2; spread[$1] = $4 }
	END {
		difference("hypercall")
		difference("kvm_run")
	}' "$1"
}

# RAW-FILE: metric, value, unit, spread => metric, value, unit, peer, ratio, spread
add_peer()
{
	local metric value unit spread peer ratio

	printf 'metric\tvalue\tunit\tpeer\tratio\tspread\n'
	while IFS=$'\t' read -r metric value unit spread; do
		peer=${PEER[$metric]:-}
		ratio=
		[[ ! $peer ]] || ratio=$(awk -v a="$value" -v b="$peer" 'BEGIN { printf "%.2f", a / b }')
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$metric" "$value" "$unit" "$peer" "$ratio" "$spread"
	done <"$1"
}

print_table()	# TSV
{
	awk -F '\t' '{ printf "%-32s %12s %-14s %10s %7s %9s\n", $1, $2, $3, $4, $5, $6 }' "$1"
}

record_baseline()	# TSV
{
	{
		echo "# The core metrics as last recorded, by bench.sh --core --update"
		# A metric in "times" is better the larger it is, so a limit does not fit
		awk -F '\t' -v OFS='\t' 'NR > 1 && $3 != "times" { print $1, $2, $3 }' "$1"
	} >"$BASELINE"
	note "Recorded in ${BASELINE#"$REPO"/}; say in the commit why it changed."
}

# A difference of up to half an instruction is below the resolution
compare_baseline()	# TSV
{
	awk -F '\t' -v max="$MAX_GROWTH" '
		/^#/ { next }
		NR == FNR { was[$1] = $2; unit[$1] = $3; order[++nr] = $1; next }
		{ now[$1] = $2 }
		END {
			for (i = 1; i <= nr; i++) {
				m = order[i]
				if (!(m in now)) {
					printf "not ok %d %s: not measured any more\n", i, m
					bad++
				} else if (now[m] - was[m] > was[m] * max / 100 + 0.5) {
					printf "not ok %d %s: %s %s, was %s (more than %d %% up)\n",
						i, m, now[m], unit[m], was[m], max
					bad++
				} else {
					printf "ok %d %s: %s %s, was %s\n", i, m, now[m], unit[m], was[m]
				}
			}
			printf "1..%d\n", nr
			exit bad > 0
		}' "$BASELINE" "$1" || {
		echo "# To accept this on purpose: qemu-scripts/bench.sh --core --update" >&2
		return 1
	}
}

# Prints the metrics that are above their limit; true if there are none
within_limits()	# TSV
{
	local metric value rest good=yes

	while IFS=$'\t' read -r metric value rest; do
		[[ $metric && ${LIMIT[$metric]:-} ]] || continue
		awk -v a="$value" -v b="${LIMIT[$metric]}" 'BEGIN { exit a > b + 0.5 }' || {
			echo "# $metric: $value, more than ${LIMIT[$metric]}"
			good=no
		}
	done <"$1"
	[[ $good == yes ]]
}

parse_arguments "$@"
need_command make awk "${CROSS_COMPILE}gcc"
[[ $compare == no || -f $BASELINE ]] || die "there is no $BASELINE; --update writes it"
table=$BUILD/bench.tsv
if [[ $core == yes ]]; then
	table=$BUILD/bench-core.tsv
fi
mkdir -p "$OBJ"
raw=$(mktemp "$OBJ/raw.XXXXXX")
trap 'rm -f "$raw" "$raw.more"' EXIT
step "Build the benchmark" build_bench
if [[ $core == yes ]]; then
	measure 1 --core >"$raw"
	measure_size >>"$raw"
else
	measure_everything >"$raw"
	measure_size >>"$raw"
	add_differences "$raw" >>"$raw.more"
	cat "$raw.more" >>"$raw"
fi
add_peer "$raw" >"$table"
if [[ $compare == yes ]]; then
	compare_baseline "$table"
	within_limits "$table"
	exit
fi
print_table "$table"
within_limits "$table"
note "The table as a file: $table"
[[ $update == no ]] || record_baseline "$table"
