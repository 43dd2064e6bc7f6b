#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: run-lockdown.sh
#
# Runs in the guest, whose kernel has the security module "lockdown": locks the kernel down
# while the hypervisor is traced. Then no file of a remote can be opened any more. Prints TAP.
cd /sys/kernel/tracing/remotes || exit 1
mount -t securityfs securityfs /sys/kernel/security
echo 1 >hypervisor/events/enable
echo 1 >hypervisor/tracing_on
find . -type f >/tmp/files
echo confidentiality >/sys/kernel/security/lockdown

refused()	# COMMAND...
{
	"$@" 2>&1 >/dev/null | grep -q "Operation not permitted"
}

while read -r file; do
	refused cat "$file" || echo "# $file can be read"
	# shellcheck disable=SC2016	# the shell that is called expands it
	refused sh -c 'echo 0 >"$0"' "$file" || echo "# $file can be written"
done </tmp/files >/tmp/wrong
cat /tmp/wrong
if [ -s /tmp/wrong ] || [ "$(wc -l </tmp/files)" -lt 50 ]; then
	echo "not ok 1 a locked-down kernel refuses"
else
	echo "ok 1 a locked-down kernel refuses"
fi
