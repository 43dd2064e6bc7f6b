# SPDX-License-Identifier: GPL-2.0
# CPUs go offline and online while the buffer is loaded, traced and read

cpu1=/sys/devices/system/cpu/cpu1/online

echo 1 >tracing_on
write_ids_on 0 1 10
write_ids_on 1 11 20

# Offline: its events stay, and can be read and cleared
echo 0 >$cpu1
check_ids trace 1 20
check_ids per_cpu/cpu1/trace 11 20
cat per_cpu/cpu1/stats
write_ids 21 30
check_ids trace 1 30

# Online again: it continues where it was
echo 1 >$cpu1
write_ids_on 1 31 40
check_ids trace 1 40
check_accounts 40

# Read and cleared while offline
echo 0 >$cpu1
cat per_cpu/cpu1/trace_pipe >$TMPDIR/pipe &
REMOTE_JOBS=$!
cpu1_read() {
    grep -q 'read events: 20' per_cpu/cpu1/stats
}
wait_for cpu1_read
echo >per_cpu/cpu1/trace
echo 1 >$cpu1
write_ids_on 1 41 45
wait_for has_ids $TMPDIR/pipe 25
echo 0 >tracing_on
kill_jobs
equal "ids read" $(count_ids $TMPDIR/pipe) 25
remote_clear

# Offline while the buffer is loaded and tracing starts; online when it ends
echo 0 >$cpu1
echo 1 >tracing_on
write_ids_on 0 1 10
check_ids trace 1 10
echo 1 >$cpu1
write_ids_on 1 11 20
check_ids trace 1 20

# Online when tracing starts, offline when it ends: nothing is written after that
echo 0 >$cpu1
echo 0 >tracing_on
echo 1 >$cpu1
write_ids_on 1 21 30
check_ids trace 1 20
echo >trace
equal "state" "$(remote_state)" unloaded

# The option and the clock are changed while it is offline
echo 16 >buffer_size_kb
echo 1 >tracing_on
echo 0 >$cpu1
echo 0 >options/overwrite
echo mono >trace_clock
echo 1 >$cpu1
write_ids_on 1 1 3000
at_least "dropped" $(stats_sum 'dropped events') 1
equal "overrun" $(stats_sum overrun) 0
check_accounts 3000
remote_clear
echo 1 >options/overwrite

# Offline and online while events are written and read
echo 1 >tracing_on
(set +x; while :; do echo 1; done >write_event) &
REMOTE_JOBS=$!
cat trace_pipe >/dev/null &
REMOTE_JOBS="$REMOTE_JOBS $!"
i=0
while [ $i -lt 10 ]; do
    echo 0 >$cpu1
    cat trace >/dev/null
    echo 1 >$cpu1
    i=$((i + 1))
done
kill_jobs
remote_restart
write_ids 1 5
check_ids trace 1 5
