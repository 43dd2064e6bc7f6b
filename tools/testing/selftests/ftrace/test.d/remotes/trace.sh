# SPDX-License-Identifier: GPL-2.0
# trace: reads without consuming, in order; truncation clears the buffer

echo 1 >tracing_on
write_ids 1 100

# All of it, twice, in order of time, and the same from each CPU's file
cat trace >$TMPDIR/first
cat trace >$TMPDIR/second
check_ids $TMPDIR/first 1 100
cmp $TMPDIR/first $TMPDIR/second
awk '{ sub(":", "", $2); if ($2 + 0 < last + 0) exit 1; last = $2 }' $TMPDIR/first
cat per_cpu/cpu*/trace | sort >$TMPDIR/per_cpu
sort $TMPDIR/first | cmp - $TMPDIR/per_cpu

# The form of a line
refuse grep -Evq "^\[[0-9]{3}\]	 *[0-9]+\.[0-9]{6}: selftest id=[0-9]+$" $TMPDIR/first

# A reader that stops in the middle, and one that reads byte by byte
head -n 1 trace >/dev/null
dd if=trace of=$TMPDIR/bytes bs=1 count=300
head -c 300 $TMPDIR/first | cmp - $TMPDIR/bytes

# More than one read() of text, while events are written
write_ids 101 3000
cat trace >$TMPDIR/more
check_ids $TMPDIR/more 1 3000
check_accounts 3000

# Appending, or opening for reading and writing, does not clear; truncation does
echo >>trace
: <>trace
equal "after appending" "$(count_ids trace)" 3000
echo >trace
equal "after truncation" "$(count_ids trace)" 0
write_ids 5 6
check_ids trace 5 6

# The events that are left can be read when tracing is off
echo 0 >tracing_on
write_ids 7 8
check_ids trace 5 6
