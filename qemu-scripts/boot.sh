#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: boot.sh [OPTION]... -- COMMAND
#
# Runs COMMAND in a fresh arm64 guest under QEMU, prints its output as it
# comes, and returns its exit status. A single word is run as a shell script;
# several words are run as a command and its arguments, as they are.
#
#   --mode MODE       how KVM runs: protected (pKVM, nVHE; the default),
#                     hvhe (pKVM, hVHE) or nvhe (not protected)
#   --cpu MODEL       QEMU's CPU model (default: one that fits the mode)
#   --smp N           number of CPUs (default 2; with --icount 1)
#   --mem SIZE        memory (default 1G)
#   --icount          virtual time: one guest instruction takes one nanosecond,
#                     and runs are reproducible. CPUs take turns, so times are
#                     meaningful only while all other CPUs are idle
#   --append ARGS     more words for the kernel's command line; may repeat
#   --add SRC[:DST]   put a file or folder into the guest, with its mode bits
#                     (default DST: /root/<name>); may repeat
#   --vm              put a QEMU into the guest, and the command "vm", which boots a Linux
#                     guest inside of it from the same kernel; see guest/vm
#   --input FIFO      a named pipe that COMMAND reads as its standard input
#   --out DIR         copy what the guest leaves in /out to DIR
#   --timeout S       give up after S seconds (default 300)
#   --kernel IMAGE    boot this kernel (default build/kernel's)
#   --firmware FILE   let this run at EL3 and start the kernel; without it, QEMU itself
#                     answers the kernel's firmware calls
#   --boots N         a reset of the machine does not end the run: it boots again, with the
#                     content of its memory, and COMMAND runs in each boot. N boots are
#                     allowed; one more ends the run. On the CPU "max", which has random
#                     numbers, the kernel is at another place in each boot
#   --reset-at TEXT   reset the machine from outside as soon as COMMAND prints TEXT
#   --overlay FILE    apply this overlay, a .dts file, to the device tree
#   --hole            leave the MiB before the middle of the memory out of the device tree;
#                     needs --firmware
#
# Exit status: COMMAND's; 124 on a timeout; 125 if the guest did not come up in
# the mode asked for; 126 if it died before COMMAND ended; 1 for a bad argument.
# Kernel messages go to build/logs/console-*.log; console.log is a link to the
# last one.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

mode=protected
cpu=
smp=
mem=1G
icount=no
append=()
added=()
vm=no
input=
out=
timeout=300
kernel=$BUILD/kernel/arch/arm64/boot/Image
firmware=
overlay=
boots=1
reset_at=
hole=no
initramfs=$BUILD/initramfs.cpio.gz
command=

shell_quote()
{
	printf "'%s'" "${1//\'/\'\\\'\'}"
}

set_command()	# WORD...
{
	local word

	(($#)) || die "no COMMAND; see --help"
	if (($# == 1)); then
		command=$1
		return
	fi
	for word; do
		command+="$(shell_quote "$word") "
	done
}

parse_arguments()
{
	while (($#)); do
		case $1 in
		--mode | --cpu | --smp | --mem | --append | --add | --input | --out | --timeout | --kernel | --firmware | --overlay | --boots | --reset-at)
			need_value "$1" $# ;;&
		--mode) mode=$2 ;;
		--cpu) cpu=$2 ;;
		--smp) smp=$2 ;;
		--mem) mem=$2 ;;
		--append) append+=("$2") ;;
		--add) added+=("$2") ;;
		--input) input=$2 ;;
		--out) out=$2 ;;
		--timeout) timeout=$2 ;;
		--kernel) kernel=$2 ;;
		--firmware) firmware=$2 ;;
		--overlay) overlay=$2 ;;
		--boots) boots=$2 ;;
		--reset-at) reset_at=$2 ;;
		--icount) icount=yes; shift; continue ;;
		--hole) hole=yes; shift; continue ;;
		--vm) vm=yes; shift; continue ;;
		-h | --help) usage; exit ;;
		--) shift; set_command "$@"; return ;;
		*) die "unknown argument '$1' (COMMAND comes after --); see --help" ;;
		esac
		shift 2
	done
	die "no COMMAND; see --help"
}

# Sets what depends on the mode. The texts are those of kvm_arm_init()
choose_mode()
{
	case $mode in
	protected)
		: "${cpu:=cortex-a57}"
		# The last two words: a CPU that has VHE would otherwise run hVHE
		kvm_words='protected arm64_sw.hvhe=0 id_aa64mmfr1.vh=0'
		kvm_text='Protected nVHE mode initialized successfully'
		;;
	hvhe)
		: "${cpu:=max,pauth-impdef=on}"
		kvm_words=protected
		kvm_text='Protected hVHE mode initialized successfully'
		;;
	nvhe)
		# Not a CPU with Spectre v3a: each time that it comes online, the base kernel
		# adds to the number of its vectors again, and a CPU that was offline hangs at
		# a guest's first exception
		: "${cpu:=cortex-a53}"
		kvm_words=nvhe
		kvm_text='Hyp nVHE mode initialized successfully'
		;;
	*) die "--mode '$mode': it has to be protected, hvhe or nvhe" ;;
	esac
}

check_arguments()
{
	if [[ $icount == yes ]]; then
		: "${smp:=1}"
	fi
	: "${smp:=2}"
	[[ $smp =~ ^[1-9][0-9]*$ ]] || die "--smp '$smp': it has to be a number of CPUs"
	[[ $timeout =~ ^[1-9][0-9]*$ ]] || die "--timeout '$timeout': it has to be a whole number of seconds"
	[[ $boots =~ ^[1-9]$ ]] || die "--boots '$boots': it has to be a number from 1 to 9"
	[[ ! $reset_at || $boots != 1 ]] || die "--reset-at needs --boots"
	[[ $mem =~ ^[1-9][0-9]*[MG]$ ]] || die "--mem '$mem': it has to be a size such as 512M or 2G"
	[[ -f $kernel ]] || die "there is no kernel $kernel; run 'make kernel'"
	[[ ! $firmware || -f $firmware ]] || die "there is no firmware $firmware"
	[[ ! $overlay || -f $overlay ]] || die "there is no overlay $overlay"
	[[ $hole == no || $firmware ]] || die "--hole needs --firmware"
	[[ -f $initramfs ]] || die "there is no $initramfs; run 'make initramfs'"
	[[ $vm == no || -d $BUILD/vmm ]] || die "--vm: there is no $BUILD/vmm; run build-vmm.sh"
	[[ ! $input || -p $input ]] || die "--input $input: no such named pipe"
	need_command qemu-system-aarch64 cpio timeout
}

# --- what the guest gets ---------------------------------------------------

add_one()	# SRC[:DST] ROOT
{
	local src=${1%%:*} dst=

	[[ $1 != *:* ]] || dst=${1#*:}
	src=${src%/}
	[[ -e $src ]] || die "--add $src: no such file or folder"
	: "${dst:=/root/$(basename "$(realpath "$src")")}"
	[[ $dst != */ ]] || dst+=$(basename "$src")
	case $dst in
	/proc/* | /sys/* | /dev/* | /init | /cmd | /kvm-mode)
		die "--add: $dst is reserved in the guest" ;;
	/*) ;;
	*) die "--add: '$dst' is not an absolute path in the guest" ;;
	esac
	mkdir -p "$2$(dirname "$dst")"
	if [[ -d $src ]]; then
		mkdir -p "$2$dst"
		cp -a "$src/." "$2$dst"
	else
		cp -L --preserve=mode,timestamps "$src" "$2$dst"
	fi
}

add_vm()	# ROOT
{
	cp -R "$BUILD/vmm/." "$1"
	install -D -m 755 "$SCRIPTS/guest/vm" "$1/usr/bin/vm"
	install -D -m 644 "$kernel" "$1/usr/lib/vm/Image"
	install -D -m 644 "$initramfs" "$1/usr/lib/vm/initramfs"
}

# Appends a second archive to the initramfs
make_initrd()
{
	local root=$tmp/root spec

	mkdir -p "$root"
	chmod 755 "$root"
	for spec in "${added[@]}"; do
		add_one "$spec" "$root"
	done
	[[ $vm == no ]] || add_vm "$root"
	[[ ! -d $root/tmp ]] || chmod 1777 "$root/tmp"
	printf '%s\n' "$command" >"$root/cmd"
	printf '%s\n' "$kvm_text" >"$root/kvm-mode"
	cp "$initramfs" "$tmp/initrd"
	(cd "$root" && find . -mindepth 1 | LC_ALL=C sort |
		cpio --quiet -o -H newc -R 0:0) >>"$tmp/initrd"
	rm -rf "$root"
}

# --- the run ---------------------------------------------------------------

machine=virt,virtualization=on,gic-version=3

# The four bytes of a number in a device tree, escaped for printf and for Perl's expressions
cell()		# NUMBER
{
	printf '%08x' "$1" | sed 's/../\\x&/g'
}

# Memory of two nodes, so that the device tree has two ranges
use_halves()
{
	local half=$1

	qemu+=(
		-object "memory-backend-ram,id=low,size=$half" -numa "node,memdev=low"
		-object "memory-backend-ram,id=high,size=$half" -numa "node,memdev=high"
	)
}

# Makes the first range shorter. The memory there is not used by anything early, as that is
# taken from the ends
make_hole()	# BYTES-OF-A-HALF
{
	local reg at

	reg=$(cell 0)$(cell 0x40000000)$(cell 0)
	at=$(LC_ALL=C grep -obUaP "$reg$(cell "$1")" "$tmp/dtb" | head -n 1 | cut -d: -f1)
	[[ $at ]] || die "the device tree does not have the memory where it was expected"
	# shellcheck disable=SC2059 # the escapes are in the format
	printf "$(cell $(($1 - 0x100000)))" |
		dd of="$tmp/dtb" bs=1 seek=$((at + 12)) conv=notrunc status=none
}

dump_tree()
{
	"${qemu[@]}" -machine "$machine,dumpdtb=$tmp/dtb" "${linux[@]}" >"$tmp/qemu.log" 2>&1 ||
		die "QEMU did not write its device tree: $(<"$tmp/qemu.log")"
	[[ $overlay ]] || return 0
	# The tools of the kernel that build-kernel.sh has built
	"$BUILD/kernel/scripts/dtc/dtc" -q -O dtb -o "$tmp/overlay" "$overlay"
	"$BUILD/kernel/scripts/dtc/fdtoverlay" -i "$tmp/dtb" -o "$tmp/dtb.new" "$tmp/overlay"
	mv "$tmp/dtb.new" "$tmp/dtb"
}

# QEMU only loads a kernel if there is no firmware. So this loads everything to where QEMU
# itself would, with the device tree that it would make, and with the tree at an address
# that the firmware knows
use_firmware()
{
	local half=$(($(numfmt --from=iec "$mem") / 2))

	[[ $hole == no ]] || use_halves "$half"
	dump_tree
	[[ $hole == no ]] || make_hole "$half"
	qemu+=(
		-machine "$machine,secure=on,acpi=off" -semihosting -bios "$firmware"
		-device "loader,file=$kernel,addr=0x40200000,force-raw=on"
		-device "loader,file=$tmp/dtb,addr=0x47e00000,force-raw=on"
		-device "loader,file=$tmp/initrd,addr=0x48000000,force-raw=on"
	)
}

qemu_arguments()
{
	qemu=(
		qemu-system-aarch64
		-cpu "$cpu" -smp "$smp" -m "$mem"
		-nodefaults -nic none -display none -monitor none
		-chardev "file,id=console,path=$console" -serial chardev:console
		# A file, as QEMU drops output that a full pipe does not take
		-chardev "file,id=output,path=$tmp/output"
		-device virtio-serial-device -device "virtconsole,chardev=output"
		-chardev "file,id=results,path=$tmp/results.tar"
		-device "virtserialport,chardev=results,name=results"
	)
	if [[ $boots == 1 ]]; then
		qemu+=(-no-reboot)
	elif [[ $cpu == max* ]]; then
		# A device tree has the same seeds after a reset
		machine+=,dtb-randomness=off
	fi
	if [[ $reset_at ]]; then
		mkfifo "$tmp/monitor.in" "$tmp/monitor.out"
		qemu+=(-chardev "pipe,id=monitor,path=$tmp/monitor" -mon "chardev=monitor")
	fi
	if [[ $input ]]; then
		# QEMU wants a pair of pipes, PATH.in and PATH.out
		ln -s "$(realpath "$input")" "$tmp/input.in"
		mkfifo "$tmp/input.out"
		qemu+=(-chardev "pipe,id=input,path=$tmp/input"
			-device "virtserialport,chardev=input,name=input")
	fi
	linux=(
		-kernel "$kernel" -initrd "$tmp/initrd"
		-append "console=ttyAMA0 earlycon panic=-1 kvm-arm.mode=$kvm_words ${append[*]}"
	)
	if [[ $firmware ]]; then
		use_firmware
	else
		[[ ! $overlay ]] || dump_tree
		qemu+=(-machine "$machine" "${linux[@]}" ${overlay:+-dtb "$tmp/dtb"})
	fi
	if [[ $icount == yes ]]; then
		# The seed also fixes where the kernel and EL2 are in memory
		qemu+=(-accel "tcg,thread=single" -icount "shift=0,sleep=off" -seed 1)
	fi
}

pid=
follower=
watcher=

# shellcheck disable=SC2317 # called by the EXIT trap
cleanup()
{
	if [[ $pid ]]; then
		kill "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	fi
	[[ ! $follower ]] || kill "$follower" 2>/dev/null || :
	[[ ! $watcher ]] || kill "$watcher" 2>/dev/null || :
	rm -rf "$tmp"
}

# Removes all but the last 50 logs
new_console_log()
{
	mkdir -p "$LOGS"
	console=$(mktemp "$LOGS/console-$(date +%Y%m%d-%H%M%S)-XXXXXX.log")
	ln -sfn "${console##*/}" "$LOGS/console.log"
	# Another one may remove the same files at the same time: find fails then, for nothing
	{ find "$LOGS" -maxdepth 1 -name 'console-*.log' -printf '%T@ %p\n' 2>/dev/null || :; } |
		sort -rn | tail -n +51 | cut -d' ' -f2- | xargs -r -d '\n' rm -f
}

# Resets the machine when it is time, and ends the run when it has booted too often
watch_boots()
{
	local reset=no

	while kill -0 "$pid" 2>/dev/null; do
		if [[ $reset_at && $reset == no ]] && grep -qaF -- "$reset_at" "$tmp/output"; then
			echo system_reset >"$tmp/monitor.in"
			reset=yes
		fi
		(($(grep -ca 'hyptrace-init: run' "$console") <= boots)) || kill "$pid"
		sleep 0.2
	done
}

run_qemu()
{
	: >"$tmp/output"
	# "timeout" also ends a QEMU that outlives this script
	timeout -k 5 "$timeout" "${qemu[@]}" </dev/null >"$tmp/qemu.log" 2>&1 &
	pid=$!
	tail -c +1 -s 0.1 -f --pid="$pid" "$tmp/output" &
	follower=$!
	if ((boots > 1)); then
		watch_boots &
		watcher=$!
	fi
	qemu_status=0
	wait "$pid" || qemu_status=$?
	pid=
	wait "$follower" || :
	follower=
}

# --- the result ------------------------------------------------------------

console_has()	# TEXT
{
	grep -a -q -F -- "$1" "$console"
}

# The first lines of the console that name a cause
reasons()
{
	grep -a -E 'Kernel panic|HYP panic|hyp panic|nVHE hyp BUG|Unable to handle|Internal error|BUG:|kernel BUG|Out of memory|kvm \[[0-9]+\]:.*(rror|annot|ailed)|hyptrace-init:.*(wrong|could not)' "$console" |
		head -n 6
}

explain()	# MESSAGE
{
	{
		printf 'boot.sh: %s\n' "$1"
		[[ ! -s $tmp/qemu.log ]] || sed 's/^/    /' "$tmp/qemu.log"
		if [[ $(reasons) ]]; then
			printf 'The reason may be:\n'
			reasons | sed 's/^/    /'
		fi
		printf 'The last lines of the console:\n'
		tail -n 15 "$console" | tr -d '\r' | sed 's/^/    /'
		printf 'The whole console: %s\n' "$console"
	} >&2
}

# Sets status; fails if the guest has reported none
take_results()
{
	mkdir "$tmp/results"
	tar -x -f "$tmp/results.tar" -C "$tmp/results" --no-same-owner 2>"$tmp/tar.log" || :
	[[ -s $tmp/results/.status ]] || return 1
	status=$(<"$tmp/results/.status")
	[[ $out ]] || return 0
	mkdir -p "$out"
	cp -a "$tmp/results/out/." "$out"
}

finish()
{
	if take_results; then
		[[ $status != 125 ]] || ! console_has 'hyptrace-init: wrong KVM mode' ||
			explain "KVM is not in the mode asked for (--mode $mode): no \"$kvm_text\" from the kernel"
		exit "$status"
	fi
	case $qemu_status in
	124 | 137) explain "no end after $timeout seconds (--timeout)"; exit 124 ;;
	esac
	if console_has 'hyptrace-init: could not save'; then
		explain "the guest could not save /out"
	elif console_has 'Kernel panic'; then
		explain "the guest's kernel panicked"
	elif ((qemu_status)); then
		explain "QEMU ended with status $qemu_status"
	else
		explain "the guest went down before the command ended"
	fi
	exit 126
}

parse_arguments "$@"
choose_mode
check_arguments
tmp=$(mktemp -d)
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
new_console_log
make_initrd
qemu_arguments
run_qemu
finish
