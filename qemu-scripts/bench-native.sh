#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: bench-native.sh [--tcg]
#
# Measures the front end and the writer at native speed: the remote "test", beside
# the kernel's own ring buffer in the same run, in an x86 virtual machine under KVM.
# Prints a table and writes build/bench-native.tsv (metric, unit, value of the
# remote, its spread, value of the ordinary buffer, its spread, ratio). A time is
# in nanoseconds; what a reader gets, in gigabytes of events a second. The same
# machine gives about the same numbers; see the spread, from the first to the
# ninth decile.
#
# Builds the same patched source for x86 (kernel-x86.config), some minutes once.
# Where there is no /dev/kvm to use, or one that cannot run a kernel, says so in a line
# and ends with status 0.
#
#   --tcg   without KVM: only to see whether it works, the numbers mean nothing
#
# Needs qemu-system-x86, which setup.sh --native installs; does that if it is missing.
set -euo pipefail
. "$(dirname "$0")/common.sh"

SOURCE=$REPO/tools/testing/selftests/hyptrace/bench-native
OBJ=$BUILD/obj/bench-native
KERNEL_OUT=$BUILD/kernel-native
TABLE=$BUILD/bench-native.tsv
TIMEOUT=600	# seconds

accel=(-accel kvm -cpu host)

parse_arguments()
{
	while (($#)); do
		case $1 in
		# By turns: else a CPU may run into code that the other one is patching
		--tcg) accel=(-accel 'tcg,thread=single' -cpu max) ;;
		-h | --help) usage; exit ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
		shift
	done
}

skip_if_impossible()
{
	[[ ${accel[1]} == kvm ]] || return 0
	if [[ $(uname -m) != x86_64 || ! -r /dev/kvm || ! -w /dev/kvm ]]; then
		note "bench-native: skipped, as there is no /dev/kvm for x86 here that can be used"
		exit 0
	fi
}

build_program()
{
	make -C "$SOURCE" O="$OBJ" KERNEL="$TREE"
}

# The program is the first process
make_initrd()
{
	"$KERNEL_OUT/usr/gen_init_cpio" - <<-END >"$tmp/initrd"
	dir /dev 0755 0 0
	nod /dev/console 0600 0 0 c 5 1
	nod /dev/null 0666 0 0 c 1 3
	dir /proc 0755 0 0
	dir /sys 0755 0 0
	file /init $OBJ/native_bench 0755 0 0
	END
}

qemu=

# shellcheck disable=SC2317 # called by the EXIT trap
cleanup()
{
	[[ ! $qemu ]] || kill "$qemu" 2>/dev/null || :
	rm -rf "$tmp"
}

# A KVM that is nested in another machine may lack instructions that kernels need. QEMU
# stops the virtual machine then, and stays
skip_if_kvm_fails()
{
	local why

	why=$(grep -E -m 1 '^KVM internal error|failed to initialize kvm' "$tmp/qemu.log") || return 0
	note "bench-native: skipped, as the KVM here cannot run an ordinary kernel: $why"
	exit 0
}

run_machine()
{
	local status=0

	: >"$tmp/qemu.log"
	timeout -k 5 "$TIMEOUT" qemu-system-x86_64 -machine pc "${accel[@]}" -smp 2 -m 512M \
		-nodefaults -nic none -no-reboot -display none -monitor none \
		-kernel "$KERNEL_OUT/vmlinux" -initrd "$tmp/initrd" \
		-append "console=ttyS0 panic=-1 reboot=t loglevel=4" -serial "file:$log" \
		</dev/null >"$tmp/qemu.log" 2>&1 &
	qemu=$!
	while kill -0 "$qemu" 2>/dev/null; do
		skip_if_kvm_fails
		sleep 0.5
	done
	wait "$qemu" || status=$?
	qemu=
	skip_if_kvm_fails
	if ((status != 0)) || ! grep -q '^done' "$log"; then
		tail -n 15 "$tmp/qemu.log" "$log" | tr -d '\r' | sed 's/^/    /' >&2
		die "the benchmark did not come to its end (status $status); the whole console: $log"
	fi
}

make_table()
{
	tr -d '\r' <"$log" | awk -F '\t' -v OFS='\t' '
		BEGIN { print "metric", "unit", "remote", "spread", "ordinary", "spread", "ratio" }
		$1 == "metric" {
			ratio = $6 > 0 ? sprintf("%.2f", $4 / $6) : ""
			print $2, $3, $4, $5, $6, $7, ratio
		}' >"$TABLE"
	awk -F '\t' '{ printf "%-24s %-6s %10s %10s %10s %10s %7s\n", $1, $2, $3, $4, $5, $6, $7 }' \
		"$TABLE"
	note "The same as a file: $TABLE"
}

parse_arguments "$@"
skip_if_impossible
command -v qemu-system-x86_64 >/dev/null || "$SCRIPTS/setup.sh" --native
"$SCRIPTS/build-kernel.sh" --native
step "Build the native benchmark" build_program
mkdir -p "$LOGS"
log=$LOGS/console-native.log
tmp=$(mktemp -d)
trap cleanup EXIT
make_initrd
run_machine
make_table
