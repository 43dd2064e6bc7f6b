# SPDX-License-Identifier: GPL-2.0
# Invalid writes are refused and change nothing

state() {
    cat tracing_on buffer_size_kb buffer_percent trace_clock options/overwrite \
	events/enable events/*/*/enable
    ids trace
    stats_sum entries
}

echo 1 >tracing_on
write_ids 1 10
state >$TMPDIR/state

check_state() {
    state | diff $TMPDIR/state - || fail "changed"
}

for value in 2 -1 x '' on 99999999999999999999; do
    refuse_write tracing_on "$value" 'Invalid argument\|out of range'
    check_state
done
for value in 101 -1 x '' 4294967296; do
    refuse_write buffer_percent "$value" 'Invalid argument\|out of range'
    check_state
done
for value in -1 x '' '1 2' 0x 18446744073709551616; do
    refuse_write write_event "$value" 'Invalid argument\|out of range'
    check_state
done

# Longer than any of the files needs
long=$(printf 'x%05000d' 1)
for file in tracing_on buffer_percent buffer_size_kb options/overwrite trace_clock \
	    events/enable events/$REMOTE/enable events/$REMOTE/selftest/enable write_event; do
    echo $long | refuse dd of=$file bs=8192
    check_state
done

# Files that cannot be written, or that do not exist
for file in events/$REMOTE/selftest/id events/$REMOTE/selftest/format events/header_page \
	    events/header_event per_cpu/cpu0/stats; do
    echo 1 | refuse dd of=$file
    check_state
done
refuse mkdir new
refuse mkdir ../new
refuse rmdir per_cpu/cpu0
refuse rm tracing_on
check_state

# Valid values
for value in 0 100 50; do
    echo $value >buffer_percent
    equal "buffer_percent" $(cat buffer_percent) $value
done
echo 18446744073709551615 >write_event
echo 0x10 >write_event
equal "the last two" "$(ids trace | tail -n 2 | tr '\n' ' ')" "18446744073709551615 16 "
