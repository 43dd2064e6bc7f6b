#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: guest-tests.sh [PROGRAM]...
#
# Runs in the guest: every test program beside it, or those named, TAP to standard output, one
# "# suite NAME" line before each. A suite that dies or says nothing fails. If the
# module remote_test.ko is there, the tests run on its remote as well.
cd "$(dirname "$0")" || exit 1

load_module()
{
	[ ! -f remote_test.ko ] || insmod remote_test.ko || echo "not ok 1 remote_test.ko"
}

run_suite()	# PROGRAM
{
	echo "# suite $1"
	"./$1" >/tmp/suite.log 2>&1
	status=$?
	cat /tmp/suite.log
	case $status in
	0 | 4) grep -Eq '^(ok|1\.\.0)' /tmp/suite.log || echo "not ok 1 $1: no result" ;;
	*) grep -q '^not ok' /tmp/suite.log || echo "not ok 1 $1: status $status" ;;
	esac
}

load_module
[ $# -gt 0 ] || set -- *
for program; do
	case $program in
	*.sh | *.ko | hyp_workload) continue ;;
	esac
	[ -x "$program" ] && [ -f "$program" ] && run_suite "$program"
done

echo "# suite kernel_log"
if dmesg | grep -E 'WARNING:|BUG:|Oops|nVHE hyp (panic|BUG)' >/tmp/suite.log; then
	sed 's/^/# /' /tmp/suite.log
	echo "not ok 1 the kernel's log has warnings"
else
	echo "ok 1 the kernel's log has no warnings"
fi
