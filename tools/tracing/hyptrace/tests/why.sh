#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Records vCPUs that are delayed on purpose, in /out, for why_guest.py. Runs as root in a
# guest that has the remote and one CPU, with hyptrace and hyp_workload in PATH, and with
# delays.ko beside this script.
set -e

cat >/tmp/hog <<-E
	#!/bin/sh
	renice -n -20 \$\$
	i=0
	while [ \$i -lt 100000 ]; do i=\$((i + 1)); done
E
chmod +x /tmp/hog

record()	# NAME COMMAND
{
	hyptrace record -q --why -b 16384 -o "/out/$1.dat" -- sh -c "$2"
}

# Nothing but what the guest needs; a task of higher priority; a VMM that is stopped. One VM
# runs all the time, as taking it down may need longer than all its rounds
record quiet 'hyp_workload -o -n 50'
work='hyp_workload -o -r 500 -n 500 & sleep 0.02'
record hog "$work; /tmp/hog; wait"
record stopped "$work; kill -STOP \$!; sleep 0.5; kill -CONT \$!; wait"

# A storm of interrupts, and hypercalls. hyptrace does not run meanwhile, so that nothing else
# delays a vCPU
delayed()	# NAME PARAMETER...
{
	name=$1
	shift
	record "$name" "hyp_workload -o -r 1000 -n 1000 & sleep 0.02; kill -STOP \$PPID
		insmod $(dirname "$0")/delays.ko $*; wait; kill -CONT \$PPID"
	rmmod delays
}

delayed storm
delayed hypercalls hypercalls=1
