# SPDX-License-Identifier: GPL-2.0
# The module is unloaded and loaded, in every state that it can be in

dir=$REMOTES_TRACING/remotes/$REMOTE

loaded() {
    grep -q '^remote_test ' /proc/modules
}

unload() {
    cd $REMOTES_TRACING
    rmmod remote_test
    [ ! -e $dir ] || fail "$dir is still there"
}

load() {
    modprobe remote_test
    cd $dir
}

# It cannot be unloaded while any file is open
hold() { # file
    exec 3<$1
    refuse rmmod remote_test
    exec 3<&-
    [ -e $dir/tracing_on ] || fail "$dir has gone"
}

for file in tracing_on trace trace_pipe trace_clock buffer_size_kb per_cpu/cpu0/trace_pipe_raw \
	    per_cpu/cpu0/stats events/enable events/$REMOTE/enable \
	    events/$REMOTE/selftest/enable events/$REMOTE/selftest/filter set_event \
	    available_events error_log trace_options options/overwrite buffer_percent; do
    hold $file
done

# As everywhere in tracefs, these two do not hold it
exec 3<events/$REMOTE/selftest/id 4<events/$REMOTE/selftest/format
unload
refuse cat <&4
cat <&3 || :
load
refuse cat <&4
exec 3<&- 4<&-
equal "tracing_on" $(cat tracing_on) 0
equal "state" "$(remote_state)" unloaded

# From each state, ten times: unused, on, off with events, half read
i=0
while [ $i -lt 10 ]; do
    unload
    load
    equal "tracing_on" $(cat tracing_on) 0
    equal "state" "$(remote_state)" unloaded
    equal "events" $(cat events/enable) 0

    echo 1 >events/enable
    echo 1 >tracing_on
    write_ids 1 100
    unload
    load

    echo 1 >events/enable
    echo 1 >tracing_on
    write_ids 1 100
    echo 0 >tracing_on
    unload
    load

    echo 1 >events/enable
    echo mono >trace_clock
    echo 0 >options/overwrite
    echo 1 >tracing_on
    write_ids 1 2000
    dd if=trace_pipe of=/dev/null bs=64 count=10
    unload
    load
    equal "clock" "$(remote_clock)" local
    equal "overwrite" "$(cat options/overwrite)" 1
    i=$((i + 1))
done

# While other processes read the files
look() {
    while :; do
	cat tracing_on trace buffer_size_kb events/*/*/format per_cpu/cpu0/stats
	echo 1 >write_event
	ls -R . >/dev/null
	cd $dir
    done
}
(set +ex; look >/dev/null 2>&1) &
REMOTE_JOBS=$!
(set +ex; look >/dev/null 2>&1) &
REMOTE_JOBS="$REMOTE_JOBS $!"
cd $REMOTES_TRACING
set +x
i=0
while [ $i -lt 50 ]; do
    # Refused while they have a file open
    rmmod remote_test 2>/dev/null || :
    loaded || modprobe remote_test
    i=$((i + 1))
done
set -x
kill_jobs
loaded || modprobe remote_test
cd $dir
set_state
echo 1 >tracing_on
write_ids 1 5
check_ids trace 1 5
