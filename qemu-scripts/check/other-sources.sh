#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: other-sources.sh
#
# Tests what prepare-kernel.sh does with kernel trees that are not the base (SOURCE): one that
# is newer, one in which a patch does not apply, one without a file that is patched, and
# something else. The trees have only the files that the patches edit. Prints TAP.
#
# Environment: BASE=6.12|mainline (6.12)
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

# A file that one patch of each base edits
FILE=kernel/trace/trace_events_filter.c
ADDED='#include "trace_remote_filter.h"'

nr=0

check()		# WHAT COMMAND...
{
	local what=$1
	shift

	nr=$((nr + 1))
	if "$@"; then
		echo "ok $nr $what"
	else
		sed 's/^/# /' "$tmp/log"
		echo "not ok $nr $what"
	fi
}

says()		# TEXT
{
	grep -qF -- "$1" "$tmp/log"
}

has_no_warning()
{
	! grep -q warning "$tmp/log"
}

is_patched()
{
	grep -qxF -- "$ADDED" "$result/$FILE"
}

# A tree of this release
make_tree()	# NAME RELEASE
{
	tree=$tmp/$1
	mkdir "$tree"
	cp -R "$BUILD/pristine/." "$tree"
	printf 'VERSION = %s\nPATCHLEVEL = %s\n' "${2%.*}" "${2#*.}" >"$tree/Makefile"
}

# Sets status and result, the folder of the patched tree, which is a new one each time
prepare()
{
	local build=$tree.build

	result=$build/linux
	[[ $BASE == 6.12 ]] || result=$build/$BASE/linux
	status=0
	env SOURCE="$tree" HYPTRACE_BUILD="$build" "$SCRIPTS/prepare-kernel.sh" \
		>"$tmp/log" 2>&1 || status=$?
}

test_same()
{
	make_tree same "$release"
	prepare
	check "a release that was tried" [ $status = 0 ]
	check "nothing to warn of" has_no_warning
	check "it is patched" is_patched
}

test_newer()
{
	make_tree newer 99.1
	prepare
	check "a newer one: goes on" [ $status = 0 ]
	check "and says so" says \
		"warning: the kernel is a 99.1, and $PATCHES were tested with $release; going on"
	check "and is patched" is_patched
}

# Without the first line that the patch expects around its first hunk
test_hunk()
{
	local name line

	make_tree hunk "$release"
	name=$(grep -lxF -- "+++ b/$FILE" "$REPO/$PATCHES"/*.patch)
	line=$(patch_of "${name##*/}" "$FILE" | sed -n '/^@@/,$s/^ \(..*\)/\1/p' | head -n 1)
	grep -vxF -- "$line" "$BUILD/pristine/$FILE" >"$tree/$FILE"
	prepare
	check "a hunk that does not apply: fails" [ $status = 1 ]
	check "and says of which patch" says "$PATCHES/${name##*/} does not apply to $tree:"
	check "and which, of which file" says "    $FILE: Hunk #1 FAILED at "
	check "and has patched nothing" cmp -s "$tree/$FILE" "$result/$FILE"
}

test_file()
{
	make_tree file "$release"
	rm "$tree/$FILE"
	prepare
	check "a file that is not there: fails" [ $status = 1 ]
	check "and says which" says "$FILE"
}

test_no_tree()
{
	tree=$tmp/none
	mkdir "$tree"
	prepare
	check "no kernel tree: fails" [ $status = 1 ]
	check "and says so" says "SOURCE='$tree' is no kernel tree"
}

case ${1:-} in
-h | --help) usage; exit ;;
'') ;;
*) die "unknown argument '$1'; see --help" ;;
esac
"$SCRIPTS/prepare-kernel.sh"
release=$(release_of "$TREE")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
test_same
test_newer
test_hunk
test_file
test_no_tree
echo "1..$nr"
