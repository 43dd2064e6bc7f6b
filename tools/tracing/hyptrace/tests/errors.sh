#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What hyptrace prints on bad input, and that it restores tracefs. TAP; runs as root in
# a guest that has the remote, with hyptrace in PATH.
# shellcheck disable=SC2086 # $D, $T and numbers: no spaces

# shellcheck source=tools/tracing/hyptrace/tests/tap.sh
. "$(dirname "$0")/tap.sh"

record()
{
	hyptrace record -q "$@"
}

hyptrace record -q -o $D/good.dat -- sh -c "echo 1 >$R/write_event" ||
	result "not ok" "a recording"
result ok "a recording"
expect 0 "hypervisor events" hyptrace record -C boot -o $D/x -d 10ms

expect 2 "unknown command 'recrod'" hyptrace recrod
expect 2 "unrecognized option '--nonsense'" hyptrace record --nonsense
expect 2 "bad" hyptrace record -b 0 -o $D/x
expect 2 "bad" hyptrace record -b garbage -o $D/x
expect 2 "bad" hyptrace record -d 5parsec -o $D/x
expect 2 "--host-only with --hyp-event selftest: expected one of them" \
	hyptrace record --host-only -E selftest
expect 2 "--from-boot with COMMAND: expected one of them" hyptrace record --from-boot -- true
expect 2 "--from-boot with --duration: expected one of them" hyptrace record --from-boot -d 1s
expect 2 "--from-boot with --hyp-event: expected one of them" \
	hyptrace record --from-boot -E selftest
expect 2 "--from-boot with --stop-on: expected one of them" \
	hyptrace record --from-boot --stop-on hyp_exit
expect 2 "--from-boot with --clock: expected one of them" hyptrace record --from-boot -C local
expect 1 "the hypervisor has not been traced: expected a boot with trace_remote=hypervisor" \
	hyptrace record --from-boot -o $D/x
expect 2 "--host-only with --remote test: expected one of them" \
	hyptrace record --host-only --remote test
expect 1 "no $R/current_tracer: needs a kernel with CONFIG_NVHE_EL2_FUNCTION_TRACER" \
	hyptrace record --graph -o $D/x
expect 2 "--host-only with --stacks: expected one of them" hyptrace record --host-only --stacks
expect 2 "--host-only with --guest: expected one of them" \
	hyptrace record --host-only --guest /tmp/none.dat
expect 2 "--guest with --clock=local: expected mono_raw" \
	hyptrace record --guest /tmp/none.dat -C local
expect 1 "cannot open /tmp/none.dat: No such file or directory" \
	hyptrace record -q -o $D/alone.dat --guest /tmp/none.dat -- true
check "the recording is there" hyptrace report $D/alone.dat
expect 2 "bad compression 'lzma': expected any, none, zstd or zlib" \
	hyptrace record --compression lzma -o $D/x
expect 1 "nosuchevent" record -o $D/x -e nosuchevent -d 10ms
expect 1 "nosuchevent" record -o $D/x -E nosuchevent -d 10ms
expect 1 "unknown event 'nosuch:\*': expected SYSTEM:EVENT, SYSTEM or EVENT as listed in $T/events" \
	record -o $D/x -e 'nosuch:*' -d 10ms
expect 1 "unknown event ''" record -o $D/x -e '' -d 10ms
expect 2 "no event before the filter 'id == 1'" hyptrace record -f 'id == 1'
expect 2 "two filters for 'selftest'" hyptrace record -E selftest -f 'id == 1' -f 'id == 2'
expect 1 "bad filter 'nofield == 1' for hypervisor/selftest: Field not found, at byte 8: '== 1'" \
	record -o $D/x -E selftest -f 'nofield == 1' -d 10ms
expect 1 "bad filter 'id == 1 && x' for hypervisor/selftest: .*, at byte 13: ''" \
	record -o $D/x -E selftest -f 'id == 1 && x' -d 10ms
expect 1 "bad filter 'prev_pid === 1' for sched/sched_switch: Invalid value .* at byte 12: ' 1'" \
	record -o $D/x -e sched_switch -f 'prev_pid === 1' -d 10ms
expect 1 "ftrace/bprint does not support filters" record -o $D/x -E bprint -f 'ip == 1' -d 10ms

# What -e and -E enable, whatever was enabled before
echo 'hyp_enter vcpu_exit' >$R/set_event
for e in "-e cpuhp" "-e cpuhp:*" "-e cpuhp_enter -e cpuhp:cpuhp_multi_enter -e cpuhp_exit"; do
	expect 0 " hypervisor events, " hyptrace record -o $D/e.dat $e -E selftest -- \
		sh -c "cat $T/instances/*/set_event $R/set_event >$D/on"
	check "'$e' is enabled, and nothing else" [ "$(sort $D/on | tr '\n' ' ')" = \
		"cpuhp:cpuhp_enter cpuhp:cpuhp_exit cpuhp:cpuhp_multi_enter hypervisor:selftest " ]
	check "'$e': enabled events are restored" [ "$(sort $R/set_event | tr '\n' ' ')" = \
		"hypervisor:hyp_enter hypervisor:vcpu_exit " ]
done
expect 0 " hypervisor events, " hyptrace record -o $D/e.dat -E bprint -- sh -c "cat $R/set_event >$D/on"
check "events of other systems are disabled" [ "$(cat $D/on)" = ftrace:bprint ]
echo >$R/set_event

# How the file is compressed: the name is in its header
for name in "" any none zstd zlib; do
	case $name in "" | any) packing=zstd ;; *) packing=$name ;; esac
	expect 0 " hypervisor events, " hyptrace record ${name:+--compression $name} -o $D/c.dat \
		-E selftest -- sh -c "echo 12345 >$R/write_event"
	check "'$name' is $packing" [ "$(tail -c +19 $D/c.dat | head -c 4)" = $packing ]
	check "$packing: the event" [ "$(hyptrace report $D/c.dat | grep -c 'id=12345')" -eq 1 ]
done

# What -f and --no-overwrite do, and that the settings are restored
echo 'id > 5' >$R/events/hypervisor/selftest/filter
echo 0 >$R/options/overwrite
expect 0 " hypervisor events, " hyptrace record -o $D/f.dat \
	-E selftest -f 'id == 2 || id == 4' -E hyp_enter \
	-e sched_switch -f 'prev_pid == 0' -- sh -c "for i in 1 2 3 4 5 6; do echo \$i >$R/write_event; done"
hyptrace report $D/f.dat >$D/f.txt
check "a filter at EL2" [ "$(sed -n 's/.* selftest: id=//p' $D/f.txt | tr '\n' ' ')" = "2 4 " ]
check "a filter of the host" [ "$(grep -c 'sched_switch: .*prev_pid=0' $D/f.txt)" -gt 0 ]
check "a filter of the host leaves nothing else" \
	[ "$(grep 'sched_switch: ' $D/f.txt | grep -vc 'prev_pid=0')" -eq 0 ]
check "an event without a filter" grep -q 'hyp_enter: ' $D/f.txt
# An event with a filter is neither measured nor reported as missing
for on in "-E hyp_enter -E hyp_exit -f vcpu!=0" "-E hyp_exit -E hyp_enter -f vcpu!=0"; do
	expect 0 " hypervisor events, " hyptrace record -o $D/f.dat $on -d 200ms
	expect 1 "hyp_enter and hyp_exit were filtered" hyptrace stat $D/f.dat
	expect 0 "" hyptrace check $D/f.dat
	check "EL2 entries are not checked" grep -q "^EL2 entries and exits not checked: " $D/out
done
expect 0 " hypervisor events, " hyptrace record -o $D/f.dat -e sched_switch \
	-f 'prev_pid == 0' -d 200ms
expect 0 "" hyptrace stat $D/f.dat
check "with a filter of sched_switch, the tasks of the host's time are unknown" \
	[ "$(awk '/^TASK/ { on = 1 } /^$/ { on = 0 } on && /-[0-9]+ / && $2 != "0ns"' $D/out |
		wc -l)" -eq 0 ]
# A stack follows each event, if the kernel has stacks
if [ -e $R/options/stacktrace ]; then
	expect 0 " hypervisor events, " hyptrace record --stacks -o $D/f.dat -E selftest -- \
		sh -c "cat $R/options/stacktrace >$D/on; echo 1 >$R/write_event"
	check "the option was on" [ "$(cat $D/on)" = 1 ]
	expect 0 "" hyptrace check $D/f.dat
	expect 0 "" hyptrace report $D/f.dat
	check "the caller is in the stack" \
		awk '/ selftest: id=1$/ { seen = 1 } seen && /=> .*handle_trap$/ { found = 1 }
			END { exit !found }' $D/out
else
	expect 1 "no $R/options/stacktrace: needs a kernel with CONFIG_NVHE_EL2_STACKS" \
		hyptrace record --stacks -o $D/x
fi
many="for i in \$(seq 2000); do echo \$i >$R/write_event; done"
for how in --overwrite --no-overwrite; do
	expect 0 " hypervisor events, " hyptrace record $how -b 8 -E selftest -o $D/$how.dat -- \
		sh -c "kill -STOP \$PPID; $many; kill -CONT \$PPID"
	expect 0 "" hyptrace check $D/$how.dat
	check "$how: losses are in the file" grep -q "^check: .* lost=[1-9]" $D/out
	hyptrace report $D/$how.dat | sed -n 's/.* selftest: id=//p' >$D/ids$how
done
ends()	# FILE
{
	echo "$(head -n 1 $1) $(tail -n 1 $1)"
}

check "--overwrite keeps the last" expr "$(ends $D/ids--overwrite)" : '[0-9]\{2,\} 2000$'
check "--no-overwrite keeps the first" expr "$(ends $D/ids--no-overwrite)" : '1 [0-9]\{2,3\}$'
echo 0 >$R/events/hypervisor/selftest/filter
echo 1 >$R/options/overwrite

# A second hyptrace finds the remote in use, and does not disturb the first one
record -o $D/first.dat -E selftest -- sh -c "echo 1 >$R/write_event; : >$D/up
	until [ -e $D/down ]; do sleep 0.1; done; echo 2 >$R/write_event" &
until [ -e $D/up ]; do sleep 0.1; done
for command in "record -o $D/x" live top; do
	expect 1 "another hyptrace is using $R: stop it, or wait until it ends" \
		hyptrace $command -d 10ms
done
: >$D/down
wait
check "the first one has all events" [ "$(hyptrace report $D/first.dat |
	sed -n 's/.* selftest: id=//p' | tr '\n' ' ')" = "1 2 " ]
check "the first one has lost nothing" grep -q 'lost=0 unaccounted=0' <<-EOF
	$(hyptrace check $D/first.dat)
EOF

expect 1 "CPU 77" record -o $D/x -P 77 -d 10ms
expect 1 "nosuchclock" record -o $D/x -C nosuchclock -d 10ms
expect 1 "nosuchremote" record -o $D/x --remote nosuchremote -d 10ms
expect 1 "$D/no/dir" record -o $D/no/dir/x -d 10ms
# A COMMAND that cannot be run: an older recording stays
cp $D/good.dat $D/older.dat
: >$D/text
for command in nosuchcommand $D $D/text; do
	expect 127 "cannot run '$command': " hyptrace record -o $D/older.dat -- $command
	check "the older recording is still there" cmp $D/good.dat $D/older.dat
	check "nothing else is left" [ ! -e $D/older.dat.part ]
	expect 127 "cannot run '$command': " hyptrace live -- $command
	expect 127 "cannot run '$command': " hyptrace top -- $command
done
expect 127 " hypervisor events, " hyptrace record -o $D/older.dat -- sh -c "exit 127"
check "a COMMAND that can be run: an older recording is replaced" \
	[ "$(cmp $D/good.dat $D/older.dat >$D/differ; echo $?)" -eq 1 ]
expect 1 "No such file" hyptrace report $D/nothing
expect 1 "trace.dat" hyptrace report /bin/busybox
: >$D/empty
expect 1 "$D/empty" hyptrace report $D/empty
head -c 5000 $D/good.dat >$D/short
expect 1 "$D/short" hyptrace report $D/short
expect 2 "unrecognized option '--nonsense'" hyptrace stat --nonsense
expect 2 "expected one file, got 0" hyptrace stat
expect 2 "bad" hyptrace stat -P x $D/good.dat
expect 1 "CPU 77" hyptrace stat -P 77 $D/good.dat
expect 1 "No such file" hyptrace stat $D/nothing
expect 1 "$D/short" hyptrace stat $D/short
record -o $D/half.dat -E hyp_enter -d 10ms
expect 1 "$D/half.dat" hyptrace stat $D/half.dat

# A file that is not regular is not replaced; of a symbolic link, the target is
mkdir -p $D/odd/directory
mknod $D/odd/null c 1 3
ln -s nothing $D/odd/dangling
ln -s file $D/odd/link
: >$D/odd/file
for name in directory null dangling; do
	expect 1 "$D/odd/$name exists and is not a regular file" record -o $D/odd/$name -d 10ms
done
check "a device is still there" [ -c $D/odd/null ]
expect 0 "" record -o $D/odd/link -d 10ms
check "a link is still there" [ -L $D/odd/link ]
check "the target of the link is written" hyptrace check $D/odd/file
check "nothing else is left" [ "$(cd $D/odd && echo *)" = "dangling directory file link null" ]

# In a directory that all users can write to, another user's link is not followed
mkdir -m 1777 $D/sticky
echo precious >$D/victim
ln -s $D/victim $D/sticky/link
chown -h 65534:65534 $D/sticky/link
echo 1 >/proc/sys/fs/protected_symlinks
expect 1 "cannot follow the link $D/sticky/link: Permission denied" \
	record -o $D/sticky/link -d 10ms
check "the target of another user's link is not replaced" grep -q precious $D/victim
# FILE.part is there already, but is not such a directory
for what in $D/victim $D/odd nothing; do
	ln -sfn $what $D/taken.part
	expect 1 "$D/taken.part exists and is not a directory of a recording: remove it" \
		record -o $D/taken -d 10ms
done
check "a link instead of FILE.part is not followed" \
	[ "$(cd $D/odd && echo *)" = "dangling directory file link null" ]

mkdir $D/full
mount -t tmpfs -o size=64k tmpfs $D/full
expect 1 "No space left" record -o $D/full/x -d 1s -e 'sched:*' -- \
	sh -c "for i in \$(seq 3000); do echo 1 >$R/write_event; done"
umount $D/full

# COMMAND has time to end, whichever signal asks it to
for signal in INT TERM; do
	expect 0 "waiting for 'sh', process [0-9]*, to end; Ctrl-C kills it" \
		record -o $D/x -d 500ms -- \
		sh -c "trap 'sleep 3; echo $signal >>$D/cleaned; exit' $signal
		[ $signal = TERM ] || kill -INT \$PPID
		while :; do sleep 0.1; done"
done
check "COMMAND could clean up" [ "$(tr '\n' ' ' <$D/cleaned)" = "INT TERM " ]
expect 0 "waiting for 'sh', " record -o $D/x -d 10ms -- \
	sh -c "trap '' TERM; while :; do sleep 0.1; done"

# While hyptrace waits, another signal kills COMMAND at once: it does not count to 8
count="trap '' INT TERM HUP; : >$D/count; first
	until grep -q waiting $D/err; do sleep 0.1; done
	kill -another \$PPID; for i in \$(seq 30); do echo \$i >>$D/count; sleep 1; done"
for case in "0 INT INT" "143 TERM INT" "0 INT TERM"; do
	set -- $case
	expect $1 "waiting for 'sh', " record -o $D/again.dat -- \
		sh -c "$(echo "$count" | sed "s/first/kill -$2 \$PPID/; s/another/$3/")"
	check "killed by the second signal" [ "$(wc -l <$D/count)" -lt 8 ]
	expect 0 "" hyptrace check $D/again.dat
done
expect 129 "waiting for 'sh', " record -d 10ms -o $D/again.dat -- \
	sh -c "$(echo "$count" | sed "s/first/:/; s/another/HUP/")"
check "killed by a signal after the end" [ "$(wc -l <$D/count)" -lt 8 ]

# A signal that must not end hyptrace; and COMMAND does not inherit its signal settings
expect 1 "File too large" sh -c "ulimit -f 8; exec hyptrace record -q -o $D/limited -- true"
record -o $D/x -- grep SigIgn /proc/self/status >$D/ignored
check "COMMAND ignores no further signal" \
	[ "$(cat $D/ignored)" = "$(grep SigIgn /proc/self/status)" ]

chmod 755 $D
cp "$(command -v hyptrace)" $D/hyptrace
mkdir -p /etc
grep -q '^nobody:' /etc/passwd 2>/dev/null ||
	echo 'nobody:x:65534:65534::/:/bin/sh' >>/etc/passwd
expect 1 "ermission\|root" su -s /bin/sh nobody -c "$D/hyptrace record -q -o /tmp/x.dat -d 10ms"

# Last, since this unmounts the guest's tracefs for good
for mount in $T /sys/kernel/debug; do
	umount $mount 2>/dev/null || umount -l $mount
done
hyptrace record -q -o $D/x -d 10ms 2>$D/err
if [ $? -eq 1 ] && grep -q "no tracefs" $D/err; then
	result ok "record without tracefs"
else
	sed 's/^/# /' $D/err
	result "not ok" "record without tracefs"
fi
mount -t tracefs none $T

echo "1..$nr"
