# SPDX-License-Identifier: GPL-2.0
# Readers of every kind with a writer: no event is read twice, every loss is counted

# A pipe and two raw files compete for the events of CPU 0
echo 64 >buffer_size_kb
echo 0 >options/overwrite
echo 1 >tracing_on
exec 3<trace_pipe
refuse cat trace_pipe
refuse cat per_cpu/cpu0/trace_pipe
cat <&3 >$TMPDIR/all &
REMOTE_JOBS=$!
exec 3<&-
cat per_cpu/cpu0/trace_pipe_raw >$TMPDIR/raw &
REMOTE_JOBS="$REMOTE_JOBS $!"
cat per_cpu/cpu0/trace_pipe_raw >$TMPDIR/raw2 &
REMOTE_JOBS="$REMOTE_JOBS $!"

i=0
while [ $i -lt 20 ]; do
    write_ids_on 0 $((i * 500 + 1)) $((i * 500 + 500))
    cat trace per_cpu/cpu0/stats >/dev/null
    i=$((i + 1))
done

all_read() {
    [ "$(stats_sum entries)" = 0 ]
}
wait_for all_read
check_accounts 10000
kill_jobs
equal "events that came twice" "$(ids $TMPDIR/all | sort | uniq -d)" ""

# The pipe has its events in order
ids $TMPDIR/all | sort -n -c

# Raw pages are whole
page=$(sed -n 's/.*char data;.offset:\([0-9]*\);.size:\([0-9]*\);.*/\1 \2/p' events/header_page |
       awk '{ print $1 + $2 }')
for file in $TMPDIR/raw $TMPDIR/raw2; do
    equal "rest of a page" $(($(wc -c <$file) % page)) 0
done
