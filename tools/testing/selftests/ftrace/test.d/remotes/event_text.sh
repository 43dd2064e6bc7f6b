# SPDX-License-Identifier: GPL-2.0
# The text of fields of every type, and of values with and without a name

text() { # event
    sed -n "s/^\[[0-9]*\].*: $1 //p" trace
}

echo 1 >events/enable
echo 1 >tracing_on
echo $((5 << 44)) >write_event
equal "line of 5 columns" "$(text line)" "width=5     "
echo 0 >events/test/line/enable

check() { # id numbers names
    echo >trace
    echo $1 >write_event
    equal "numbers of $1" "$(text numbers)" "$2"
    equal "names of $1" "$(text names)" "$3"
    equal "events of $1" $(wc -l <trace) 3
}

check 0 "q=0 ud=0 sd=0 uh=0x0 sh=0 ub=0x00 sb=0" "season=spring parity=even (0)"
check 1 "q=1 ud=1 sd=1 uh=0x1 sh=1 ub=0x01 sb=1" "season=summer parity=odd (1)"
check 2 "q=2 ud=2 sd=2 uh=0x2 sh=2 ub=0x02 sb=2" "season=0x2 parity=even (0)"
check 3 "q=3 ud=3 sd=3 uh=0x3 sh=3 ub=0x03 sb=3" "season=winter parity=odd (1)"
check 4 "q=4 ud=4 sd=4 uh=0x4 sh=4 ub=0x04 sb=4" "season=0x4 parity=even (0)"
check 200 "q=200 ud=200 sd=200 uh=0xc8 sh=200 ub=0xc8 sb=-56" "season=0x2 parity=even (0)"
check 40000 "q=40000 ud=40000 sd=40000 uh=0x9c40 sh=-25536 ub=0x40 sb=64" \
    "season=0x4 parity=even (0)"
check 0xffffffffffffffff "q=-1 ud=4294967295 sd=-1 uh=0xffff sh=-1 ub=0xff sb=-1" \
    "season=winter parity=odd (1)"
check 0x8000000000000000 "q=-9223372036854775808 ud=0 sd=0 uh=0x0 sh=0 ub=0x00 sb=0" \
    "season=0x2 parity=even (0)"
