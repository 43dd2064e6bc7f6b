#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-reboot.sh END [show]
#
# Runs in each boot of a guest with memory for the remote "hypervisor". In the first one, it
# traces and ends the boot by END; in the next one, it checks what is left. With "show", it
# prints that instead. Needs the module crash.ko beside it. Prints TAP.
#
#   el2        EL2 panics
#   host       the kernel panics
#   oops       the kernel survives an oops, and is then reset by SysRq-b
#   hang       all CPUs of the host hang with interrupts off; boot.sh resets the machine
#   reset      boot.sh resets the machine, after an oops
#   reboot     reboot -f
#   tree       the same, with memory that the device tree reserves
#   unloaded   as reboot, after all was read, the buffers were unloaded, and the clock was changed
#   traced     as oops, after CPUs were taken away and suspend; traced by trace_remote= from the
#              first instruction on
#   kexec      another kernel is started; needs the program kexec and the kernel Image beside it
#   kexec-off  the same; that kernel does not know the memory, and reboots
#   kexec-other  as kexec; that kernel has another build id, and other hypercalls
#   kexec-loaded  as kexec, with an ordinary buffer, which a program has mapped; nothing is left
# shellcheck source=qemu-scripts/guest/results.sh
. /lib/results.sh

remotes=/sys/kernel/tracing/remotes
last=$remotes/hypervisor_last_boot
here=$(dirname "$(realpath "$0")")

# The root file system is what it was unpacked from
start_kernel()	# COMMAND-LINE
{
	cd / || exit 1
	find . -xdev ! -path './tmp/*' | cpio -o -H newc >/tmp/initrd 2>/dev/null
	"$here/kexec" "$here/Image" /tmp/initrd "$1"
}

# Suspend to idle for some seconds; false if the alarm came too early
suspend_for()	# SECONDS
{
	alarm=/sys/class/rtc/rtc0/wakealarm
	count=$(cat /sys/power/wakeup_count)
	echo 0 >$alarm
	echo "+$1" >$alarm
	# Refused if the count has changed
	echo "$count" >/sys/power/wakeup_count && echo freeze >/sys/power/state
} 2>/dev/null

suspend_to_idle()
{
	for seconds in 2 4 8 16 32 64; do
		! suspend_for $seconds || return 0
	done
	return 1
}

take_away_and_suspend()
{
	for first in 1 11 21; do
		write_events $first $((first + 4))
		echo 0 >/sys/devices/system/cpu/cpu1/online
		echo 1 >/sys/devices/system/cpu/cpu1/online
		write_events $((first + 5)) $((first + 9))
	done
	suspend_to_idle
	result $? "suspend to idle"
	write_events 31 40
}

# Does not return
end_boot()
{
	if grep -q 'without_memory' /proc/cmdline; then
		reboot -f
		sleep 1000
	fi
	hyptrace record --last-boot -o /tmp/crash.dat 2>&1 |
		grep -q 'the kernel has nothing of an earlier boot'
	result $? "hyptrace says that there is no last boot"
	insmod "$here/crash.ko" || exit 1
	date -s "2026-01-02 03:04:05" >/dev/null
	cd $remotes/hypervisor || exit 1
	if [ "$end" = traced ]; then
		echo 1 >options/stacktrace
		take_away_and_suspend
	else
		echo selftest host_hcall hyp_panic trace_off >set_event
		! has_messages || echo bprint >>set_event
		echo 1 >options/stacktrace
		echo 1 >tracing_on
		write_events 1 40
	fi
	case $end in
	el2) crash 0 1 ;;
	host) echo c >/proc/sysrq-trigger ;;
	oops | traced)
		crash 0 2
		write_events 41 42
		echo b >/proc/sysrq-trigger
		;;
	hang)
		echo "ready to hang"
		crash 0 6
		;;
	reset)
		crash 0 2
		write_events 41 42
		echo "ready to be reset"
		;;
	reboot | tree) reboot -f ;;
	unloaded)
		echo 0 >tracing_on
		timeout 10 cat trace_pipe >/dev/null
		grep -q '(unloaded)' buffer_size_kb
		result $? "the buffers are unloaded"
		echo counter >trace_clock
		reboot -f
		;;
	kexec | kexec-other) start_kernel "$(cat /proc/cmdline)" ;;
	kexec-loaded)
		hyptrace record -q -o /tmp/trace.dat -- sleep 1000 &
		insmod "$here/remote_test.ko" || exit 1
		echo 1 >../test/tracing_on
		cat ../test/trace_pipe >/dev/null &
		sleep 2
		start_kernel "$(cat /proc/cmdline) after_kexec"
		;;
	kexec-off)
		start_kernel "$(sed 's/trace_remote_mem=[^ ]*/without_memory/' /proc/cmdline)"
		;;
	esac
	sleep 1000
}

expected_end()
{
	case $end in
	el2) echo 'panic of the writer: HYP panic: PS:' ;;
	host) echo 'panic of the kernel: sysrq triggered crash' ;;
	oops | traced) echo 'emergency restart' ;;
	hang) echo 'reset from outside, or power failure' ;;
	reset) echo 'oops, then reset from outside, or power failure' ;;
	reboot | tree | unloaded) echo 'reboot' ;;
	kexec*) echo 'kexec' ;;
	esac
}

# Each event selftest comes with a message. Another kernel does not know its format
has_messages()
{
	[ "$end" != traced ] && [ "$end" != kexec-other ]
}

# The numbers of the events selftest
ids()
{
	sed -n 's/.* selftest id=//p' "$@"
}

is_refused()	# FILE TEXT
{
	! { echo "$2" >"$last/$1"; } 2>/tmp/error && grep -q 'Operation not permitted' /tmp/error
	result $? "writing to $1 is refused"
}

check_info()
{
	grep -q "^ended: $(expected_end)" $last/last_boot_info
	result $? "how it ended"
	which=this
	[ "$end" != kexec-other ] || which=another
	grep -q "^build id: .* ($which kernel)" $last/last_boot_info
	result $? "it was $which kernel"
	# By a CPU without random numbers, the device tree's seed decides, which stays the same
	text=$(sed -n 's/^text: 0x//p' $last/last_boot_info)
	! grep -qw rng /proc/cpuinfo || ! grep -q "^$text . _text$" /proc/kallsyms
	result $? "this kernel is at another place than $text"
	grep -q "^clock: local" $last/last_boot_info
	result $? "the clock"
	begin=$(sed -n 's/^clock: local, 0 is at \(.*\)\..* UTC/\1/p' $last/last_boot_info)
	begin=$(date -u -d "$begin" +%s)
	set_to=$(date -u -d "2026-01-02 03:04:05" +%s)
	# Not the time of the next boot, nor that before it was set
	[ "$begin" -lt $((set_to + 600)) ] && [ "$begin" -gt $((set_to - 600)) ]
	result $? "when the clock was 0: $begin $set_to"
	grep -q "^boots since: 1" $last/last_boot_info
	result $? "it was the last boot"
	grep -q "^cpus: 0-1$" $last/last_boot_info
	result $? "its CPUs"
	! grep -q "^damaged" $last/last_boot_info
	result $? "nothing is damaged"
}

# Memory that others use is not taken
check_memory()
{
	case $end in
	reboot) why="another remote uses 'hyp'" ;;
	tree) why="the memory of 'free' is not reserved for it alone" ;;
	*) return ;;
	esac
	insmod "$here/remote_test.ko"
	dmesg | grep -q "test: trace_remote_mem: $why"
	result $? "the memory is refused: $why"
	echo selftest >$remotes/test/set_event
	echo 1 >$remotes/test/tracing_on
	echo 7 >$remotes/test/write_event
	grep -q 'selftest id=7' $remotes/test/trace
	result $? "that remote works without it"
	echo 0 >$remotes/test/tracing_on
	rmmod remote_test
}

check_events()
{
	newest=40
	case $end in
	oops | reset | traced) newest=42 ;;
	esac
	seq $newest >/tmp/expected
	ids $last/trace | cmp - /tmp/expected
	result $? "all events are there, in their order"
	! grep -q 'LOST\|unknown' $last/trace
	result $? "nothing is lost or unknown"
	# Of another kernel, this one does not know the symbols
	if [ "$end" = kexec-other ]; then
		! grep '^ =>' $last/trace | grep -q -v '^ => 0x'
		result $? "stacks have no names"
	else
		! grep '^ =>' $last/trace | grep -q -v '^ => __kvm_nvhe_'
		result $? "stacks have names of EL2"
	fi
	grep -q '^ =>' $last/trace
	result $? "and there are stacks"
	if has_messages; then
		[ "$(grep -c ' at __kvm_nvhe_printk_selftest+0x0/' $last/trace)" = $newest ]
		result $? "a message has the name of an address among its arguments"
	fi
	if [ "$end" = el2 ]; then
		tail -n 1 $last/trace | grep -q ' hyp_panic .* ip=__kvm_nvhe_enter_vmid_context+'
		result $? "the panic is the last event, with its place"
		grep -q 'nVHE hyp panic at: .* __kvm_nvhe_enter_vmid_context+' $last/last_boot_log
		result $? "the log has what EL2 has reported"
		# In protected mode, that needs CONFIG_PROTECTED_NVHE_STACKTRACE
		dmesg | grep -q ' Protected .* mode initialized' ||
			grep -q 'nVHE call trace' $last/last_boot_log
		result $? "and its stack"
	fi
	case $end in
	traced)
		for cpu in 0 1; do
			grep -q "^\[00$cpu\].* hyp_boot step=entered" $last/trace &&
				grep -q "^\[00$cpu\].* trace_on " $last/trace
			result $? "CPU $cpu has events of EL2 that comes up, and of the writer"
		done
		;;
	kexec*)
		[ "$(grep -c ' trace_off ' $last/trace)" = 2 ]
		result $? "tracing was switched off on both CPUs"
		;;
	esac
	[ "$end" = kexec-other ] || return
	grep -q ' host_hcall id=0x' $last/trace
	result $? "hypercalls of another kernel have no names in trace"
	hyptrace record -q --last-boot -o /tmp/other.dat &&
		hyptrace report /tmp/other.dat | grep -q ' host_hcall: id=__hyp_'
	result $? "hyptrace knows them by that kernel's format"
}

# EL2 works, and there is no trace of the kernel before
check_loaded()
{
	cd $remotes/hypervisor || exit 1
	echo selftest >set_event
	echo 1 >tracing_on
	write_events 1 40
	[ "$(ids trace | xargs)" = "$(seq 40 | xargs)" ]
	result $? "tracing works after kexec"
	hyp_workload -n 3
	result $? "guests run"
	check_kernel
	echo "1..$nr"
	exit
}

has_bytes()	# FILE BYTES
{
	[ "$(wc -c <"$1")" -ge "$2" ]
}

# Reads FILE, which has no end, until BYTES are in OUTPUT. What else comes shortly after that is
# in OUTPUT, too
read_on()	# FILE OUTPUT BYTES
{
	cat "$1" >"$2" 2>/dev/null &
	wait_for has_bytes "$2" "$3"
	sleep 3
	kill $!
	wait $! 2>/dev/null
}

# By each kind of reader. What was consumed is there again when the file is closed
check_readers()
{
	cat $last/trace >/tmp/trace
	for _ in 1 2; do
		read_on $last/trace_pipe /tmp/pipe "$(wc -c </tmp/trace)"
		cmp /tmp/trace /tmp/pipe
		result $? "trace_pipe has what trace has"
	done
	for cpu in 0 1; do
		read_on $last/per_cpu/cpu$cpu/trace_pipe_raw /tmp/raw$cpu 4096
		[ "$(wc -c </tmp/raw$cpu)" -ge 4096 ]
		result $? "trace_pipe_raw of CPU $cpu"
		grep -q '^overrun: 0' $last/per_cpu/cpu$cpu/stats
		result $? "stats of CPU $cpu"
	done
}

# It maps the buffers, also that of a CPU that is not there now
check_record()
{
	echo 0 >/sys/devices/system/cpu/cpu1/online
	hyptrace record -q --last-boot -o /tmp/crash.dat
	result $? "hyptrace record --last-boot"
	echo 1 >/sys/devices/system/cpu/cpu1/online
	hyptrace report /tmp/crash.dat | sed -n 's/.* selftest: id=//p' | cmp - /tmp/expected
	result $? "the recording has all events"
	hyptrace report /tmp/crash.dat | grep -q "^the boot ended: $(expected_end)"
	result $? "and how the boot ended"
	hyptrace record -q --last-boot --cpus 1,2 -o /tmp/none.dat 2>&1 |
		grep -q 'CPU 2 has no buffer of the last boot'
	result $? "a CPU that was not there is refused"
	hyptrace report --boot-log /tmp/crash.dat >/tmp/log && cmp /tmp/log $last/last_boot_log
	result $? "and the log of that boot"
	hyptrace check /tmp/crash.dat | grep -q 'violations=0 lost=0 unaccounted=0'
	result $? "and they are accounted for"
}

check_refused()
{
	is_refused tracing_on 1
	is_refused buffer_size_kb 64
	is_refused options/overwrite 0
	is_refused events/hypervisor/selftest/enable 1
	is_refused trace ""
	[ ! -e $last/write_event ]
	result $? "there is no write_event"
}

# The memory is used again, while what the last boot has left is still there
check_again()
{
	echo 1 >$remotes/hypervisor/events/hypervisor/selftest/enable
	echo 1 >$remotes/hypervisor/tracing_on
	write_events 101 103
	[ "$(ids $remotes/hypervisor/trace | xargs)" = '101 102 103' ]
	result $? "the memory can be used again"
	cat $last/trace | cmp - /tmp/trace
	result $? "and the last boot's events stay"
	echo 0 >$remotes/hypervisor/tracing_on
}

end=$1
about=$end
if grep -q 'after_kexec' /proc/cmdline; then
	check_loaded
elif [ ! -d $last ]; then
	end_boot
elif [ "$2" ]; then
	cat $last/last_boot_info $last/trace
	cat $last/last_boot_log
	exit
fi
check_info
check_memory
check_events
check_readers
check_record
check_refused
check_again
check_kernel
echo "1..$nr"
[ $failed = 0 ] || cat $last/last_boot_info $last/trace $last/last_boot_log
