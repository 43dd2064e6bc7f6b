# SPDX-License-Identifier: GPL-2.0
# trace_pipe: consumes, waits, also while tracing is off, wakes up, reports losses

# A reader that waits gets new events
echo 1 >tracing_on
cat trace_pipe >$TMPDIR/pipe &
REMOTE_JOBS=$!
write_ids 1 10
wait_for has_ids $TMPDIR/pipe 10
write_ids 11 500
wait_for has_ids $TMPDIR/pipe 500
check_ids $TMPDIR/pipe 1 500
equal "left in trace" "$(count_ids trace)" 0
equal "read events" $(stats_sum 'read events') 500
check_accounts 500

# It goes on when tracing is switched off and on, and stays when there is nothing to read
echo 0 >tracing_on
echo 1 >tracing_on
write_ids 501 510
wait_for has_ids $TMPDIR/pipe 510
check_ids $TMPDIR/pipe 1 510
echo 0 >tracing_on
sleep 1
equal "state, with a reader" "$(remote_state)" loaded
kill_jobs
equal "after the reader left" "$(remote_state)" unloaded

# The pipe of one CPU takes only the events of that CPU
last=$(cat /sys/devices/system/cpu/online | sed 's/.*[-,]//')
echo 1 >tracing_on
write_ids_on 0 1 20
write_ids_on $last 21 40
cat per_cpu/cpu$last/trace_pipe >$TMPDIR/cpu &
REMOTE_JOBS=$!
wait_for has_ids $TMPDIR/cpu 20
echo 0 >tracing_on
kill_jobs
if [ $last -ne 0 ]; then
    check_ids $TMPDIR/cpu 21 40
    check_ids trace 1 20
else
    check_ids $TMPDIR/cpu 1 40
fi
remote_clear

# Overwritten events are counted where they are missing
echo 8 >buffer_size_kb
echo 1 >tracing_on
write_ids_on 0 1 3000
echo 0 >tracing_on
overrun=$(stats_sum overrun)
at_least "events overwritten" $overrun 1
take_ids trace_pipe $TMPDIR/lost $((3000 - overrun))
head -n 1 $TMPDIR/lost | grep -q "^CPU:0 \[LOST $overrun EVENTS\]$"
equal "LOST lines" $(grep -c LOST $TMPDIR/lost) 1
check_ids $TMPDIR/lost $((overrun + 1)) 3000
