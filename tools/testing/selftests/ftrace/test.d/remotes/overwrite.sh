# SPDX-License-Identifier: GPL-2.0
# options/overwrite: keeps the newest or the oldest, and counts every loss

written=3000
equal "the default" $(cat options/overwrite) 1
echo 16 >buffer_size_kb

# Keep the newest
echo 1 >tracing_on
write_ids_on 0 1 $written
overrun=$(stats_sum overrun)
at_least "overrun" $overrun 1
equal "dropped" $(stats_sum 'dropped events') 0
check_ids trace $((overrun + 1)) $written
check_accounts $written
remote_clear

# Keep the oldest
echo 0 >options/overwrite
equal "overwrite" $(cat options/overwrite) 0
echo 1 >tracing_on
write_ids_on 0 1 $written
dropped=$(stats_sum 'dropped events')
at_least "dropped" $dropped 1
equal "overrun" $(stats_sum overrun) 0
check_ids trace 1 $((written - dropped))
check_accounts $written

# After a read there is room again; the dropped events are missing in between
cat trace_pipe >$TMPDIR/pipe &
REMOTE_JOBS=$!
wait_for has_ids $TMPDIR/pipe $((written - dropped))
write_ids_on 0 10001 10010
wait_for has_ids $TMPDIR/pipe $((written - dropped + 10))
echo 0 >tracing_on
kill_jobs
equal "LOST lines" "$(grep LOST $TMPDIR/pipe)" "CPU:0 [LOST $dropped EVENTS]"
ids $TMPDIR/pipe | tail -n 10 >$TMPDIR/after
equal "the last" "$(head -n 1 $TMPDIR/after) $(tail -n 1 $TMPDIR/after)" "10001 10010"

# Switched while tracing, with a full buffer
echo 1 >tracing_on
write_ids_on 0 1 $written
echo 1 >options/overwrite
write_ids_on 0 1 $written
at_least "overrun" $(stats_sum overrun) 1
check_accounts $((2 * written))
equal "the newest" $(ids trace | tail -n 1) $written

for value in 2 -1 x ''; do
    refuse_write options/overwrite "$value" 'Invalid argument\|out of range'
    equal "overwrite" $(cat options/overwrite) 1
done
