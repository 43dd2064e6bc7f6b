# SPDX-License-Identifier: GPL-2.0
# The buffer stays loaded while tracing is on, a file reads it, or events are left

state() { # when wanted
    equal "$1" "$(remote_state)" $2
}

# Reading trace and stats does not load it
cat trace per_cpu/cpu*/trace per_cpu/cpu*/stats
state "after reading trace" unloaded

# Off and empty
echo 1 >tracing_on
state "on" loaded
echo 0 >tracing_on
state "off and empty" unloaded

# Off, but events are left
echo 1 >tracing_on
write_ids 1 5
echo 0 >tracing_on
state "off with events" loaded
cat trace >/dev/null
state "after reading without consuming" loaded
take_ids trace_pipe $TMPDIR/pipe 5
check_ids $TMPDIR/pipe 1 5
state "after consuming" unloaded

# A reader is open when tracing is switched off
echo 1 >tracing_on
exec 3<trace 4<per_cpu/cpu0/trace_pipe 5<per_cpu/cpu0/trace_pipe_raw
echo 0 >tracing_on
state "off, three readers" loaded
exec 3<&-
state "off, two readers" loaded
exec 4<&-
state "off, one reader" loaded
exec 5<&-
state "off, no reader" unloaded

# A consuming reader loads the buffer, even before tracing starts
exec 4<trace_pipe
state "pipe open" loaded
echo 1 >tracing_on
echo 0 >tracing_on
state "pipe open, off" loaded
exec 4<&-
state "pipe closed" unloaded

# free_buffer gives it up at once
echo 1 >tracing_on
write_ids 1 5
echo 1 >free_buffer
state "free_buffer closed" unloaded
equal "tracing_on" $(cat tracing_on) 0

# Many times
set +x
i=0
while [ $i -lt 100 ]; do
    echo 1 >tracing_on
    echo $i >write_event
    echo 0 >tracing_on
    echo >trace
    i=$((i + 1))
done
set -x
state "after 100 times" unloaded
