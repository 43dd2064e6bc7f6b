# SPDX-License-Identifier: GPL-2.0
# Readers of every kind with a writer: no event is read twice, every loss is counted

has_read() { # file
    [ -s $1 ]
}

# Two pipes and the raw file compete for the events of CPU 0
echo 64 >buffer_size_kb
echo 0 >options/overwrite
echo 1 >tracing_on
cat trace_pipe >$TMPDIR/all &
REMOTE_JOBS=$!
cat per_cpu/cpu0/trace_pipe >$TMPDIR/cpu0 &
REMOTE_JOBS="$REMOTE_JOBS $!"
cat per_cpu/cpu0/trace_pipe_raw >$TMPDIR/raw &
raw=$!
REMOTE_JOBS="$REMOTE_JOBS $raw"

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
cat $TMPDIR/all $TMPDIR/cpu0 >$TMPDIR/both
equal "events that came twice" "$(ids $TMPDIR/both | sort | uniq -d)" ""

# Each reader sees its events in order
for file in $TMPDIR/all $TMPDIR/cpu0; do
    ids $file | sort -n -c
done

# Raw pages are whole
page=$(sed -n 's/.*char data;.offset:\([0-9]*\);.size:\([0-9]*\);.*/\1 \2/p' events/header_page |
       awk '{ print $1 + $2 }')
equal "rest of a page" $(($(wc -c <$TMPDIR/raw) % page)) 0
