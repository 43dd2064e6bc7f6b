# SPDX-License-Identifier: GPL-2.0
# Clearing: all CPUs or one, with tracing on or off, many times

check_empty() { # files...
    local file

    for file in "$@"; do
	equal "$file" "$(cat $file)" ""
    done
}

# All, while tracing: later events are there, and the counters start from 0
echo 8 >buffer_size_kb
echo 1 >tracing_on
write_ids 1 2000
at_least "overrun" $(stats_sum overrun) 1
echo >trace
check_empty trace per_cpu/cpu*/trace
for word in entries overrun 'dropped events' 'read events' bytes; do
    equal "$word after clearing" $(stats_sum "$word") 0
done
write_ids 2001 2010
check_ids trace 2001 2010
check_accounts 10

# While the file is open: its reader sees no older events
cat trace >$TMPDIR/trace
exec 3<trace
echo >trace
write_ids 1 3
ids <&3 >$TMPDIR/open
exec 3<&-
refuse grep -q 20 $TMPDIR/open
check_ids trace 1 3

# Off: a buffer that is cleared is unloaded
echo 0 >tracing_on
equal "with events" "$(remote_state)" loaded
echo >trace
equal "without" "$(remote_state)" unloaded
echo >trace
check_empty trace

# A hundred times while events are written
echo 1 >tracing_on
(set +x; while :; do echo 1; done >write_event) &
REMOTE_JOBS=$!
set +x
i=0
while [ $i -lt 100 ]; do
    echo >trace
    echo >per_cpu/cpu0/trace
    cat trace >/dev/null
    i=$((i + 1))
done
set -x
kill_jobs
echo >trace
write_ids 1 5
check_ids trace 1 5
check_accounts 5
