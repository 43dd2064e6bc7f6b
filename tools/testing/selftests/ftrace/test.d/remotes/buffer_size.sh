# SPDX-License-Identifier: GPL-2.0
# buffer_size_kb: the buffer has the requested size, and invalid sizes are refused

grep -Eq '^[0-9]+ \(unloaded\)$' buffer_size_kb

set_and_fill() { # kb
    local event=20 fit=$(($1 * 1024 / 20))

    echo $1 >buffer_size_kb
    equal "size" "$(cat buffer_size_kb)" "$1 (unloaded)"
    echo 1 >tracing_on
    equal "size" "$(cat buffer_size_kb)" "$1 (loaded)"
    refuse_write buffer_size_kb 64 'Device or resource busy'
    equal "size" "$(cat buffer_size_kb)" "$1 (loaded)"

    # It holds at least as many bytes of events as requested, and not many more
    write_ids_on 0 1 $((fit + 3000))
    echo 0 >tracing_on
    at_least "events in $1 KB" $(count_ids trace) $((fit - 250))
    check_accounts $((fit + 3000))
    remote_clear
}

set_and_fill 1
set_and_fill 7
set_and_fill 64
set_and_fill 200

# Invalid sizes are refused, and nothing changes
for value in 0 -1 x '' 1x '4 4' 1.5 18446744073709551615 18446744073709551616 \
	     18014398509481984 99999999999999999999999999; do
    refuse_write buffer_size_kb "$value" 'Invalid argument\|out of range'
    equal "size" "$(cat buffer_size_kb)" "200 (unloaded)"
done

# More than the memory: there is no buffer, and nothing else changes
total=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
if (echo $((total * 2)) >buffer_size_kb) 2>/dev/null; then
    echo "the size is possible; loading it would use up the memory"
fi

echo 16 >buffer_size_kb
echo 1 >tracing_on
write_ids 1 10
check_ids trace 1 10
