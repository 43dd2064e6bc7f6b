#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: bench-peer.sh [--mode MODE]
#
# Compares hyptrace with the tracing that the mainline kernel has itself. Builds that
# kernel as it comes, and with hyptrace, and measures both with the program hyp_peer, which
# uses only files that both have, in guests whose instructions take a nanosecond each. Prints
# a table: metric, hyptrace, mainline, ratio, unit; it is also in build/mainline/peer.tsv. A
# second table has what only hyptrace does, measured by hyp_bench.
#
#   --mode MODE   protected (the default), hvhe or nvhe; see boot.sh
#
# Mainline traces with CONFIG_NVHE_EL2_DEBUG only, so its kernel has the checks of that
# option. The size of EL2's code is the difference to the same kernel without tracing, and
# for hyptrace without what hyp_bench needs. The first run builds two kernels, and the code
# of EL2 for three more, which takes some 20 minutes.
set -euo pipefail
export BASE=mainline
. "$(dirname "$0")/lib/common.sh"

CROSS_COMPILE=${CROSS_COMPILE:-aarch64-linux-gnu-}
SOURCE_DIR=$REPO/tools/testing/selftests/hyptrace/bench
OBJ=$BUILD/obj/bench
PEER_BUILD=$BUILD/peer
PEER=$PEER_BUILD/mainline
TABLE=$BUILD/peer.tsv
EL2=arch/arm64/kvm/hyp/nvhe/kvm_nvhe.o
# Of what only hyptrace has
ONLY='^(page\.|consume\.|selftest\.filtered)'

mode=protected

parse_arguments()
{
	while (($#)); do
		case $1 in
		--mode)
			need_value "$1" $#
			[[ $2 =~ ^(protected|hvhe|nvhe)$ ]] || die "--mode '$2': it has to be protected, hvhe or nvhe"
			mode=$2
			shift
			;;
		-h | --help) usage; exit ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
		shift
	done
}

# The kernel as it comes, in a folder of its own
build_peer()	# ARGUMENT-OF-BUILD-KERNEL...
{
	HYPTRACE_PRISTINE=yes HYPTRACE_BUILD=$PEER_BUILD HYPTRACE_TARBALL=$TARBALL \
		"$SCRIPTS/build-kernel.sh" "$@"
}

build_all()
{
	"$SCRIPTS/build-kernel.sh"
	"$SCRIPTS/build-kernel.sh" --name no-bench --config "$SCRIPTS/config/no-bench.config" "$EL2"
	"$SCRIPTS/build-kernel.sh" --name off --config "$SCRIPTS/config/off.config" "$EL2"
	"$SCRIPTS/build-tools.sh"
	"$SCRIPTS/build-initramfs.sh"
	build_peer --config "$SCRIPTS/config/peer.config" Image
	build_peer --config "$SCRIPTS/config/peer-off.config" --name off "$EL2"
}

build_bench()
{
	make -C "$SOURCE_DIR" O="$OBJ" KERNEL="$TREE" CROSS_COMPILE="$CROSS_COMPILE"
}

# What tracing adds to EL2's code
text_of_tracing()	# KERNEL KERNEL-WITHOUT-TRACING
{
	local kernel

	for kernel; do
		"${CROSS_COMPILE}size" -A "$kernel/$EL2"
	done | awk '
		/:$/ { sign = sign ? -1 : 1 }
		/^\.hyp\.text/ { sum += sign * $2 }
		END { printf "el2.text\t%d\tbytes\t0\n", sum }'
}

measure()	# FILE KERNEL PROGRAM [ARGUMENT]...
{
	local file=$1 kernel=$2
	shift 2

	"$SCRIPTS/boot.sh" --icount --smp 1 --mode "$mode" --timeout 600 \
		--kernel "$kernel/arch/arm64/boot/Image" --add "$OBJ/$1:/root/$1" -- "./$*" >"$file" ||
		die "$1 failed on ${kernel#"$BUILD"/}: $(<"$file")"
}

# Two lists of metric, value, unit, spread
compare()	# OURS PEER
{
	awk -F '\t' -v OFS='\t' '
		BEGIN { print "metric", "hyptrace", "mainline", "ratio", "unit" }
		NR == FNR { peer[$1] = $2; next }
		$1 in peer {
			print $1, $2, peer[$1], peer[$1] ? sprintf("%.3g", $2 / peer[$1]) : "", $3
		}' "$2" "$1"
}

parse_arguments "$@"
need_command make awk "${CROSS_COMPILE}gcc" "${CROSS_COMPILE}size"
[[ -e $TARBALL || $SOURCE ]] ||
	die "there is no source of the mainline kernel; run 'make setup BASE=mainline' as root"
build_all
step "Build the benchmark" build_bench
raw=$(mktemp -d "$OBJ/raw.XXXXXX")
trap 'rm -rf "$raw"' EXIT
measure "$raw/ours" "$BUILD/kernel" hyp_peer
text_of_tracing "$BUILD/kernel-no-bench" "$BUILD/kernel-off" >>"$raw/ours"
measure "$raw/peer" "$PEER/kernel" hyp_peer
text_of_tracing "$PEER/kernel" "$PEER/kernel-off" >>"$raw/peer"
measure "$raw/only" "$BUILD/kernel" hyp_bench --core
compare "$raw/ours" "$raw/peer" >"$TABLE"
note "Linux $(release_of "$TREE"), $mode mode"
awk -F '\t' '{ printf "%-20s %12s %12s %7s  %s\n", $1, $2, $3, $4, $5 }' "$TABLE"
note "The table as a file: $TABLE"
note
note "What only hyptrace has:"
awk -F '\t' -v only="$ONLY" '$1 ~ only { printf "%-32s %12s  %s\n", $1, $2, $3 }' "$raw/only"
