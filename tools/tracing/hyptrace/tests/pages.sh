#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Does EL2 keep its rules for the pages that change hands, and is what it refuses there? TAP;
# runs as root in a guest in protected mode, with hyptrace and hyp_workload in PATH and
# hyp_calls.ko beside this file.
# shellcheck disable=SC2086 # $D: no spaces

here=$(dirname "$0")
# shellcheck source=tools/tracing/hyptrace/tests/tap.sh
. "$here/tap.sh"

# The number in a line of hyptrace pages: the COLUMN of TRANSITION
count()		# TRANSITION COLUMN
{
	awk -v name=$1 -v column=$2 '$1 == name { n = $column } END { print n + 0 }' $D/counts
}

contains()	# WORDS WORDS
{
	case " $1 " in
	*" $2 "*) return 0 ;;
	esac
	return 1
}

hyptrace record -q -o $D/pages.dat -- sh -c "
	hyp_workload -n 4
	insmod $here/hyp_calls.ko protected=1
	rmmod hyp_calls
	hyp_workload -n 4"
hyptrace check $D/pages.dat >$D/check
status=$?
sed 's/^/# /' $D/check
check "each transition is legal" [ $status = 0 ]
check "and they are checked" grep -q '^pages: transitions=[1-9]' $D/check

hyptrace pages $D/pages.dat >$D/counts
sed 's/^/# /' $D/counts
check "pages are shared with EL2" [ "$(count host_share_hyp 2)" -gt 0 ]
check "and donated" [ "$(count host_donate_hyp 2)" -gt 0 ]
check "most of their states are known when they come back" \
	[ "$(count hyp_donate_host 2)" -gt "$(($(count hyp_donate_host 3) * 2))" ]
check "what is shared already is refused" [ "$(count host_share_hyp 4)" = 1 ]

# The story of that page
pfn=$(hyptrace report $D/pages.dat | sed -n 's/.*op=share .*\(pfn=[^ ]*\) .*ret=-1$/\1/p')
hyptrace pages --pfn ${pfn#pfn=} $D/pages.dat >$D/story
sed 's/^/# /' $D/story
calls=$(sed -n 's/.* __pkvm_host_\([a-z]*\)_hyp .*/\1/p' $D/story | tail -n 3 | xargs)
check "a page that is shared twice" [ "$calls" = "share share unshare" ]
check "once it is refused" [ "$(grep -c 'host, shared with hyp, refused: -1$' $D/story)" = 1 ]

# Of a page that a protected guest shares, if the kernel has such guests
if [ -e $R/events/hypervisor/guest_mem ]; then
	check "pages are shared with guests" [ "$(count host_share_guest 2)" -gt 0 ]
	check "and taken back" [ "$(count host_unshare_guest 2)" -gt 0 ]
	pfn=$(hyptrace report $D/pages.dat |
		sed -n 's/.*op=share_host .*\(pfn=[^ ]*\) .*ret=0$/\1/p' | head -n 1)
	hyptrace pages --pfn ${pfn#pfn=} $D/pages.dat >$D/story
	sed 's/^/# /' $D/story
	check "a protected guest's page, from beginning to end" contains \
		"$(awk '{ print $3 }' $D/story | xargs)" "host_donate_guest guest_share_host \
guest_unshare_host hyp_poison_page host_reclaim_page_guest"
	check "shared by the guest" grep -qE \
		" guest .* (vm 0x[0-9a-f]+ gfn 0x[0-9a-f]+) => \\1, shared with host\$" $D/story
fi

hyptrace pages --heat $D/pages.dat >$D/heat
sed 's/^/# /' $D/heat
check "faults of the host" grep -q '^host  *0x' $D/heat
check "faults of guests" grep -q '^0x[1-9]' $D/heat
echo "1..$nr"
