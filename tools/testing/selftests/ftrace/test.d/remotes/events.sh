# SPDX-License-Identifier: GPL-2.0
# events/: switches, ids, formats

all=events/enable
system=events/$REMOTE/enable
one=events/$REMOTE/selftest/enable
nr=$(ls events/$REMOTE/*/enable | wc -l)

switches() { # all system one
    equal "enable" "$(cat $all) $(cat $system) $(cat $one)" "$1 $2 $3"
}

echo 0 >$all
switches 0 0 0
echo 1 >$one
if [ $nr -gt 1 ]; then
    switches X X 1
fi
# The writer's messages belong to another system
some=1
none=0
if [ -d events/ftrace ]; then
    some=X
    none=X
fi
echo 1 >$system
switches $some 1 1
echo 0 >$one
switches X X 0
echo 1 >$all
switches 1 1 1
echo 0 >$system
switches $none 0 0
echo 0 >$all
switches 0 0 0
equal "those that are on" "$(cat events/$REMOTE/*/enable | sort -u)" 0

for file in $all $system $one; do
    for value in 2 -1 x '' 01x; do
	refuse_write $file "$value" 'Invalid argument\|out of range'
    done
    switches 0 0 0
done

# An event that is off is not written
echo 1 >tracing_on
write_ids 1 5
equal "while off" "$(count_ids trace)" 0
echo 1 >$one
write_ids 6 10
echo 0 >$one
write_ids 11 15
check_ids trace 6 10
remote_clear

# The id is the one in the format, and is unique
cat events/$REMOTE/*/id >$TMPDIR/ids
equal "ids" $(sort -u $TMPDIR/ids | wc -l) $nr
for dir in events/$REMOTE/*/; do
    event=$(basename $dir)
    id=$(cat $dir/id)
    grep -q "^name: $event\$" $dir/format
    grep -q "^ID: $id\$" $dir/format
    at_least "id of $event" $id 1
    refuse grep -qx $id $REMOTES_TRACING/events/*/*/id
done

# The common fields are the same as for every event of the kernel
common() { # format
    grep '	field:.* common_' "$1"
}
common $REMOTES_TRACING/events/sched/sched_switch/format >$TMPDIR/common
for format in events/$REMOTE/*/format; do
    common $format | cmp - $TMPDIR/common
done
grep -q '	field:u64 id;	offset:8;	size:8;	signed:0;' events/$REMOTE/selftest/format
grep -q '^print fmt: "id=%llu", REC->id$' events/$REMOTE/selftest/format
refuse grep -q 'SYM(' events/$REMOTE/*/format

# The fields follow each other without gaps
for format in events/$REMOTE/*/format; do
    sed -n 's/.*offset:\([0-9]*\);	size:\([0-9]*\);.*/\1 \2/p' $format |
	awk '$1 != next_one { exit 1 } { next_one = $1 + $2 }'
done

# header_page and header_event are the same as the kernel's
for file in header_page header_event; do
    cmp events/$file $REMOTES_TRACING/events/$file
done
