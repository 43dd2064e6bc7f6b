# SPDX-License-Identifier: GPL-2.0
# trace_clock: every clock is the host's clock of that name

equal "the default" "$(remote_clock)" local
for name in local boot mono mono_raw tai counter; do
    tr -d '[]' <trace_clock | grep -qw $name
done

# Invalid names are refused, and change neither the clock nor the buffer
echo 1 >tracing_on
write_ids 1 5
for name in '' x locals loca 'local boot' global \
	    very_long_name_of_a_clock_that_there_is_not_at_all; do
    refuse_write trace_clock "$name" 'Invalid argument'
done
equal "the clock" "$(remote_clock)" local
check_ids trace 1 5

# Selecting the same clock changes nothing; another one clears the buffer
echo local >trace_clock
check_ids trace 1 5
echo boot >trace_clock
equal "after a change" "$(count_ids trace)" 0
equal "tracing_on" $(cat tracing_on) 1
write_ids 6 10
check_ids trace 6 10

stamp() { # pattern file
    sed -n "s/.* \([0-9.]*\): .*$1.*/\1/p" $2 | head -n 1
}

ordered() { # stamps...
    echo "$*" | awk '{ for (i = 2; i <= NF; i++) if ($i + 0 < $(i - 1) + 0) exit 1 }'
}

# An event lies between two of the host on the same clock, ten times for each clock
instance=$REMOTES_TRACING/instances/remote_clock
mkdir $instance
REMOTE_INSTANCE=$instance
host_and_remote() { # clock
    local i=0 before event after

    echo $1 >trace_clock
    equal "the clock" "$(remote_clock)" $1
    echo $1 >$instance/trace_clock
    while [ $i -lt 10 ]; do
	echo >trace
	echo >$instance/trace
	# On one CPU, since the local clocks of several CPUs differ slightly
	taskset 1 sh -c "
	    echo before >$instance/trace_marker
	    echo 1 >write_event
	    echo after >$instance/trace_marker"
	before=$(stamp before $instance/trace)
	event=$(stamp selftest trace)
	after=$(stamp after $instance/trace)
	ordered $before $event $after || fail "$1: $before, $event, $after"
	i=$((i + 1))
    done
}

for name in boot mono mono_raw tai counter local; do
    host_and_remote $name
done
rmdir $instance
REMOTE_INSTANCE=

# The clock changes while events are written
(set +x; while :; do echo 1; done >write_event) &
REMOTE_JOBS=$!
i=0
while [ $i -lt 10 ]; do
    for name in mono tai local boot counter; do
	echo $name >trace_clock
    done
    i=$((i + 1))
done
kill_jobs
echo >trace
write_ids 1 5
check_ids trace 1 5

# The clock is kept when the buffer is unloaded
remote_clear
echo tai >trace_clock
echo 1 >tracing_on
equal "after loading" "$(remote_clock)" tai
