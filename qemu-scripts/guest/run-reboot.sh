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
#   kexec      another kernel is started; needs the program kexec and the kernel Image beside it
#   kexec-off  the same; that kernel does not know the memory, and reboots
#   kexec-other  as kexec; that kernel has another build id
remotes=/sys/kernel/tracing/remotes
last=$remotes/hypervisor_last_boot
here=$(dirname "$(realpath "$0")")
nr=0
failed=0

result()	# STATUS WHAT
{
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr $end: $2"
	else
		echo "not ok $nr $end: $2"
		failed=$((failed + 1))
	fi
}

# Writes numbered events, on both CPUs in turn
write_events()	# FIRST LAST
{
	for id in $(seq "$1" "$2"); do
		taskset $((id % 2 + 1)) sh -c "echo $id >$remotes/hypervisor/write_event"
	done
}

crash()		# CPU WHAT
{
	taskset $((1 << $1)) sh -c "echo $2 >/sys/kernel/debug/crash"
}

# The root file system is what it was unpacked from
start_kernel()	# COMMAND-LINE
{
	cd / || exit 1
	find . -xdev ! -path './tmp/*' | cpio -o -H newc >/tmp/initrd 2>/dev/null
	"$here/kexec" "$here/Image" /tmp/initrd "$1"
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
	cd $remotes/hypervisor || exit 1
	echo selftest host_hcall hyp_panic >set_event
	echo 1 >options/stacktrace
	echo 1 >tracing_on
	write_events 1 40
	case $end in
	el2) crash 0 1 ;;
	host) echo c >/proc/sysrq-trigger ;;
	oops)
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
	reboot) reboot -f ;;
	kexec | kexec-other) start_kernel "$(cat /proc/cmdline)" ;;
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
	oops) echo 'emergency restart' ;;
	hang) echo 'reset from outside, or power failure' ;;
	reset) echo 'oops, then reset from outside, or power failure' ;;
	reboot) echo 'reboot' ;;
	kexec*) echo 'kexec' ;;
	esac
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
	grep -q "^clock: local" $last/last_boot_info
	result $? "the clock"
	grep -q "^boots since: 1" $last/last_boot_info
	result $? "it was the last boot"
	! grep -q "^damaged" $last/last_boot_info
	result $? "nothing is damaged"
}

check_events()
{
	newest=40
	[ "$end" != oops ] && [ "$end" != reset ] || newest=42
	seq $newest >/tmp/expected
	ids $last/trace | cmp - /tmp/expected
	result $? "all events are there, in their order"
	! grep -q 'LOST\|unknown' $last/trace
	result $? "nothing is lost or unknown"
	# This kernel is at another place. Of another kernel, it does not know the symbols
	if [ "$end" = kexec-other ]; then
		! grep '^ =>' $last/trace | grep -q -v '^ => 0x'
		result $? "stacks have no names"
	else
		! grep '^ =>' $last/trace | grep -q -v '^ => __kvm_nvhe_'
		result $? "stacks have names of EL2"
	fi
	grep -q '^ =>' $last/trace
	result $? "and there are stacks"
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
}

# By each kind of reader. What was consumed is there again when the file is closed
check_readers()
{
	cat $last/trace >/tmp/trace
	for _ in 1 2; do
		{ timeout 3 cat $last/trace_pipe >/tmp/pipe; } 2>/dev/null
		cmp /tmp/trace /tmp/pipe
		result $? "trace_pipe has what trace has"
	done
	for cpu in 0 1; do
		{ timeout 3 cat $last/per_cpu/cpu$cpu/trace_pipe_raw >/tmp/raw$cpu; } 2>/dev/null
		[ "$(wc -c </tmp/raw$cpu)" -ge 4096 ]
		result $? "trace_pipe_raw of CPU $cpu"
		grep -q '^overrun: 0' $last/per_cpu/cpu$cpu/stats
		result $? "stats of CPU $cpu"
	done
}

# It maps the buffers
check_record()
{
	hyptrace record -q --last-boot -o /tmp/crash.dat
	result $? "hyptrace record --last-boot"
	hyptrace report /tmp/crash.dat | sed -n 's/.* selftest: id=//p' | cmp - /tmp/expected
	result $? "the recording has all events"
	hyptrace report /tmp/crash.dat | grep -q "^the boot ended: $(expected_end)"
	result $? "and how the boot ended"
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
if [ ! -d $last ]; then
	end_boot
elif [ "$2" ]; then
	cat $last/last_boot_info $last/trace
	cat $last/last_boot_log
	exit
fi
check_info
check_events
check_readers
check_record
check_refused
check_again
echo "1..$nr"
[ $failed = 0 ] || cat $last/last_boot_info $last/trace $last/last_boot_log
