# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# For scripts that test something in the guest, where build-initramfs.sh puts it into /lib: TAP,
# and what tests of crashes share.
nr=0
failed=0
# What the results are about, if the script runs more than once
about=

result()	# STATUS WHAT
{
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr ${about:+$about: }$2"
	else
		echo "not ok $nr ${about:+$about: }$2"
		failed=$((failed + 1))
	fi
}

# Runs COMMAND until it succeeds, for a minute at most. Exit status: 1 if it never did
wait_for()	# COMMAND...
{
	for _ in $(seq 600); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

check_kernel()
{
	! dmesg | grep -E 'WARNING|BUG|Oops|KASAN|UBSAN|lockup'
	result $? "the kernel has no complaint"
}

# Writes numbered events of the hypervisor, on both CPUs in turn
write_events()	# FIRST LAST
{
	for id in $(seq "$1" "$2"); do
		taskset $((id % 2 + 1)) \
			sh -c "echo $id >/sys/kernel/tracing/remotes/hypervisor/write_event"
	done
}

# What the module crash.ko is told to do; see there
crash()		# CPU WHAT
{
	taskset $((1 << $1)) sh -c "echo $2 >/sys/kernel/debug/crash"
}
