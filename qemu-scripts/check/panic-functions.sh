#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: panic-functions.sh MODE [--each]
#
# Checks that a backtrace of EL2 has the true callers while the function graph tracer has
# replaced return addresses, in one of boot.sh's modes. In nvhe mode, in which the host can
# break EL2's text, EL2 also panics at each instruction of the assembly that hooks functions and
# their returns, and with --each, at each instruction of all code for that. Needs the kernel
# "functions-backtrace" and its modules. Prints TAP.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

KERNEL=$BUILD/kernel-functions-backtrace
# From the kernel: how many calls can be hooked. bench_deep() and bench_deeper() are
MAX_DEPTH=32
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
nr=0

# Lets EL2 panic, and writes the functions of the backtrace to $tmp/trace
panic_in_guest()	# MODE ARGUMENT-OF-RUN-PANIC-FUNCTIONS...
{
	local mode=$1 status=0 console
	shift

	"$SCRIPTS/boot.sh" --mode "$mode" --smp 1 --kernel "$KERNEL/arch/arm64/boot/Image" \
		--add "$BUILD/obj/test_modules-functions-backtrace/crash.ko" \
		--add "$SCRIPTS/guest/run-panic-functions.sh" -- /root/run-panic-functions.sh "$@" \
		2>"$tmp/stderr" || status=$?
	console=$(sed -n 's/^The whole console: //p' "$tmp/stderr")
	[[ $status != 0 ]] || { echo "# $* is not executed"; return 1; }
	[[ $status == 126 && $console ]] || {
		echo "not ok $((++nr)) $*: boot.sh ended with status $status"
		cat "$tmp/stderr"
		return 1
	}
	tr -d '\r' <"$console" | sed -n '/nVHE call trace:/,/end nVHE call trace/p' |
		sed -n 's/.*\] __kvm_nvhe_\([^+]*\)+.*/\1/p' >"$tmp/trace"
}

# Whether the functions are EXPECTED, where a word may be N*NAME. Before them, there may be
# those that hook functions, and the one that the link register points to
check_trace()	# WHAT EXPECTED...
{
	local what=$1 word
	shift

	for word; do
		case $word in
		*\**) yes "${word#*\*}" | head -n "${word%\**}" || : ;;
		*) echo "$word" ;;
		esac
	done >"$tmp/expected"
	sed -E -e '0,/^hyp_panic$/d' -e '/^(__)?hyp_function_/d' -e '/^__host_exit$/d' \
		"$tmp/trace" >"$tmp/functions"
	if cmp -s "$tmp/expected" "$tmp/functions" ||
	   sed 1d "$tmp/functions" | cmp -s "$tmp/expected"; then
		echo "ok $((++nr)) $what"
	else
		echo "not ok $((++nr)) $what"
		diff "$tmp/expected" "$tmp/functions" | sed 's/^/# /'
	fi
}

# The offsets of the instructions of a function, up to the one that ends it
offsets()	# SYMBOL
{
	aarch64-linux-gnu-objdump -d --no-show-raw-insn --disassemble="__kvm_nvhe_$1" "$KERNEL/vmlinux" |
		grep -cE '^ *[0-9a-f]+:' | { read -r count && seq 0 4 $((4 * count - 4)); }
}

# Until the first frame record is there, only x9 has the caller. When the second one is not
# there any more, the function is about to begin
check_place()	# SYMBOL OFFSET LAST-OFFSET
{
	local what="a panic at $1+$2"
	local callers=(bench_deep __hyp_bench handle___hyp_bench handle_trap)

	panic_in_guest nvhe "$1" "$2" || return 0
	case $1,$2 in
	# The innermost of those that are hooked has returned
	*_return,*) check_trace "$what" "$((MAX_DEPTH - 2))*bench_deeper" "${callers[@]}" ;;
	hyp_function_graph,[04]) check_trace "$what" bench_deeper "${callers[@]:1}" ;;
	hyp_function_graph,"$3" | hyp_function_graph,"$(($3 - 4))") check_trace "$what" "${callers[@]}" ;;
	hyp_function_graph,*) check_trace "$what" bench_deeper "${callers[@]}" ;;
	# When a call is too deep, there is a frame of each
	*)
		uniq "$tmp/trace" >"$tmp/uniq"
		mv "$tmp/uniq" "$tmp/trace"
		check_trace "$what" bench_deeper "${callers[@]}"
		;;
	esac
}

symbols=(hyp_function_graph hyp_function_return)
case ${1:-} in
-h | --help) usage; exit ;;
protected | hvhe | nvhe) mode=$1 ;;
*) die "one MODE is needed; see --help" ;;
esac
case ${2:-} in
--each) symbols+=(__hyp_function_graph __hyp_function_return) ;;
'') ;;
*) die "unknown argument '$2'; see --help" ;;
esac
panic_in_guest "$mode" call && check_trace "a panic in a hypercall" \
	__kvm_tlb_flush_vmid handle___kvm_tlb_flush_vmid handle_trap
[[ $mode == nvhe ]] || exit 0
for symbol in "${symbols[@]}"; do
	mapfile -t all < <(offsets "$symbol")
	for offset in "${all[@]}"; do
		check_place "$symbol" "$offset" "${all[-1]}"
	done
done
