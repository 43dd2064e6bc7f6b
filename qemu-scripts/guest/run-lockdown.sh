#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-lockdown.sh
#
# Runs in the guest, whose kernel has the security module "lockdown": locks the kernel down
# while the hypervisor is traced. Then no file of a remote can be opened any more, but for
# those that the kernel lets one open in any instance. Prints TAP.
cd /sys/kernel/tracing/remotes || exit 1
mount -t securityfs securityfs /sys/kernel/security
mkdir ../instances/ordinary
echo 1 >hypervisor/events/enable
echo 1 >hypervisor/tracing_on
find . -type f >/tmp/files
echo confidentiality >/sys/kernel/security/lockdown

refused()	# COMMAND...
{
	"$@" 2>&1 >/dev/null | grep -q "Operation not permitted"
}

reads()		# FILE
{
	! refused cat "$1"
}

writes()	# FILE
{
	# shellcheck disable=SC2016	# the shell that is called expands it
	! refused sh -c 'echo 0 >"$0"' "$1"
}

# Prints which file of an ordinary instance is the same as FILE
like()		# FILE
{
	case $1 in
	*/format | */id) echo "../instances/ordinary/events/sched/sched_switch/${1##*/}" ;;
	*/options/*) echo "../instances/ordinary/options/${1##*/}" ;;
	esac
}

while read -r file; do
	same=$(like "$file")
	for how in reads writes; do
		! $how "$file" || { [ "$same" ] && $how "$same"; } || echo "# root $how $file"
	done
done </tmp/files >/tmp/wrong
cat /tmp/wrong
if [ -s /tmp/wrong ] || [ "$(wc -l </tmp/files)" -lt 50 ]; then
	echo "not ok 1 a locked-down kernel refuses"
else
	echo "ok 1 a locked-down kernel refuses"
fi
