#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: bench-native.sh [--quick]
#
# Measures the front end and the writer at native speed, through the remote "test", and
# compares them with the kernel's own ring buffer in the same run. All of this runs in
# User-mode Linux, which is the same patched kernel as a process on this machine. Needs
# neither root nor /dev/kvm.
#
# Prints a table and writes build/bench-native.tsv (metric, unit, value of the remote, its
# spread, value of the ordinary buffer, its spread, ratio). Times are in nanoseconds; what
# readers get is in gigabytes of events a second. Values and ratios are medians, and a
# spread goes from the first to the ninth decile. The two measurements of a ratio are made
# one right after the other, so that other load changes it least.
#
# System calls and the clock are slow in User-mode Linux and are not measured: all loops
# run in the kernel. See Documentation/trace/hypervisor-performance.rst.
#
# Builds the same patched source for ARCH=um (config/um.config), which takes some minutes
# the first time; measuring takes half a minute. ARCH=um exists for x86 only: on another
# machine the script says so in a line, and ends with status 0.
#
#   --quick   do not measure, but check that each way to read gives every event, in order:
#             a test of the front end on an architecture other than arm64. Prints TAP, and
#             fails if an event is missing, wrong, or not accounted for
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

PROGRAM=$REPO/tools/testing/selftests/hyptrace/bench-native
OBJ=$BUILD/obj/bench-native
KERNEL_OUT=$BUILD/kernel-um
TABLE=$BUILD/bench-native.tsv
timeout=300	# seconds

program_arguments=()

parse_arguments()
{
	while (($#)); do
		case $1 in
		--quick) program_arguments=(--quick); timeout=60 ;;
		-h | --help) usage; exit ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
		shift
	done
}

skip_if_impossible()
{
	[[ $(uname -m) != x86_64 ]] || return 0
	if ((${#program_arguments[@]})); then
		echo "ok 1 bench-native # SKIP User-mode Linux exists for x86 only"
	else
		note "bench-native: skipped, as User-mode Linux exists for x86 only"
	fi
	exit 0
}

build_program()
{
	mkdir -p "$OBJ/module"
	cp -u "$PROGRAM"/module/* "$OBJ/module"
	make -C "$KERNEL_OUT" M="$OBJ/module" ARCH=um "${UM_FLAGS[@]}" modules
	make -C "$PROGRAM" O="$OBJ" KERNEL="$TREE"
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
	file /bench_native.ko $OBJ/module/bench_native.ko 0644 0 0
	END
}

uml=

# shellcheck disable=SC2317 # called by the EXIT trap
cleanup()
{
	[[ ! $uml ]] || kill "$uml" 2>/dev/null || :
	rm -rf "$tmp"
}

# User-mode Linux has its memory in a file, and executes code from it. A file on a disk would
# be written back
memory_directory()
{
	if [[ -w /dev/shm ]] && awk '
		$2 == "/dev/shm" { ok = $3 == "tmpfs" && $4 !~ /(^|,)noexec(,|$)/ }
		END { exit !ok }' /proc/mounts; then
		echo /dev/shm
	else
		echo "$tmp"
	fi
}

run_machine()
{
	local status=0 fixed=()

	# The same addresses each time, where that is allowed
	! setarch -R true 2>/dev/null || fixed=(setarch -R)
	TMPDIR=$(memory_directory) timeout -k 5 "$timeout" "${fixed[@]}" "$KERNEL_OUT/vmlinux" \
		mem=64M initrd="$tmp/initrd" uml_dir="$tmp" con=null con0=null,fd:1 \
		loglevel=4 panic=-1 -- "${program_arguments[@]}" </dev/null >"$log" 2>&1 &
	uml=$!
	wait "$uml" || status=$?
	uml=
	sed -i 's/\r//' "$log"
	if ((status != 0)) || ! grep -q '^done' "$log"; then
		tail -n 25 "$log" | sed 's/^/    /' >&2
		die "User-mode Linux did not finish (status $status); the whole console: $log"
	fi
}

report_checks()
{
	if ((${#program_arguments[@]})); then
		grep -E '^(not ok|ok|1\.\.)' "$log"
	elif grep '^not ok' "$log" >&2; then
		die "no figures, as events are missing or wrong; the whole console: $log"
	fi
	! grep -q '^not ok' "$log" || exit 1
}

make_table()
{
	awk -F '\t' -v OFS='\t' '
		BEGIN { print "metric", "unit", "remote", "spread", "ordinary", "spread", "ratio" }
		$1 == "metric" { print $2, $3, $4, $5, $6, $7, $8 }' "$log" >"$TABLE"
	awk -F '\t' '{ printf "%-24s %-6s %10s %10s %10s %10s %7s\n", $1, $2, $3, $4, $5, $6, $7 }' \
		"$TABLE"
	note "Measured in User-mode Linux, without system calls, on $(sed -n 's/^model name[^:]*: //p' \
		/proc/cpuinfo | head -n 1). The table as a file: $TABLE"
}

parse_arguments "$@"
skip_if_impossible
need_command awk cc timeout
"$SCRIPTS/build-kernel.sh" --arch um
step "Build the native benchmark" build_program
mkdir -p "$LOGS"
log=$LOGS/console-native.log
tmp=$(mktemp -d)
trap cleanup EXIT
make_initrd
run_machine
report_checks
if ((!${#program_arguments[@]})); then
	make_table
fi
