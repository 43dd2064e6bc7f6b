#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: other-sources.sh
#
# Tests what prepare-kernel.sh and untested.sh do with kernel trees that are not the base
# (SOURCE): one that is newer, one in which a patch does not apply, one without a file that is
# patched, one that does not build, and something else. The trees have only the files that the
# patches edit. Prints TAP.
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
	tr . '\n' <<<"$2" | paste -d ' ' <(printf '%s =\n' VERSION PATCHLEVEL SUBLEVEL) - >"$tree/Makefile"
}

# Sets status and result, the folder of the patched tree
with_tree()	# COMMAND...
{
	local build=$tree.build

	result=$build/linux
	[[ $BASE == 6.12 ]] || result=$build/$BASE/linux
	status=0
	env SOURCE="$tree" HYPTRACE_BUILD="$build" "$@" >"$tmp/log" 2>&1 || status=$?
}

prepare()
{
	with_tree "$SCRIPTS/prepare-kernel.sh"
}

untested()	# COMMAND...
{
	with_tree "$SCRIPTS/check/untested.sh" "$@"
}

is_skipped()	# REGEX
{
	[[ $status == 0 ]] && has_no_failure &&
		grep -qE -- "^ok 1 Linux 99\.1\.0; .* # SKIP $1" "$tmp/log"
}

has_no_failure()
{
	! grep -q '^not ok' "$tmp/log"
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
	make_tree newer 99.1.0
	prepare
	check "a newer one: goes on" [ $status = 0 ]
	check "and says so" says \
		"warning: the kernel is a 99.1.0, and $PATCHES were tested with $(tested_releases "$BASE" | xargs); going on"
	check "and is patched" is_patched
}

# Without the first line that the patch expects around its first hunk
break_hunk()
{
	local line

	name=$(grep -lxF -- "+++ b/$FILE" "$REPO/$PATCHES"/*.patch)
	name=${name##*/}
	line=$(patch_of "$name" "$FILE" | sed -n '/^@@/,$s/^ \(..*\)/\1/p' | head -n 1)
	grep -vxF -- "$line" "$BUILD/pristine/$FILE" >"$tree/$FILE"
}

test_hunk()
{
	local name

	make_tree hunk "$release"
	break_hunk
	prepare
	check "a hunk that does not apply: fails" [ $status = 1 ]
	check "and says of which patch" says "$PATCHES/$name does not apply to $tree:"
	check "and which, of which file" says "    $FILE: Hunk #1 FAILED at "
	check "and has patched nothing" cmp -s "$tree/$FILE" "$result/$FILE"
	untested "$SCRIPTS/prepare-kernel.sh"
	check "also as a test" [ $status = 1 ]

	make_tree hunk-newer 99.1.0
	break_hunk
	untested "$SCRIPTS/prepare-kernel.sh"
	check "a hunk, in a newer one: skipped" \
		is_skipped "$PATCHES/$name does not apply: $FILE #1(,|$)"
}

test_file()
{
	make_tree file "$release"
	rm "$tree/$FILE"
	prepare
	check "a file that is not there: fails" [ $status = 1 ]
	check "and says which" says "$FILE"

	make_tree file-newer 99.1.0
	rm "$tree/$FILE"
	untested "$SCRIPTS/prepare-kernel.sh"
	check "a file, in a newer one: skipped" is_skipped ".*$FILE"
}

# In place of the kernel's make
write_build()
{
	cat >"$tmp/build.sh" <<-END
		. "$SCRIPTS/lib/common.sh"
		step "Build a kernel" sh -c 'yes "$FILE:1:2: error: no such thing" | head -n 99; false'
	END
}

test_build()
{
	write_build
	make_tree build "$release"
	untested bash -e "$tmp/build.sh"
	check "a file that does not build: fails" [ $status = 1 ]
	make_tree build-newer 99.1.0
	untested bash -e "$tmp/build.sh"
	check "a file that does not build, in a newer one: skipped" \
		is_skipped "$FILE:1:2: error: no such thing$"
	untested "$SCRIPTS/build-kernel.sh"
	check "nothing but these files: skipped" is_skipped "."
}

test_tests()
{
	make_tree tests "$release"
	untested printf 'ok 1 this\nnot ok 2 that\n'
	check "a test that fails" says "not ok 2 that"
	make_tree tests-newer 99.1.0
	untested printf 'ok 1 this\nnot ok 2 that\n'
	check "a test that fails, in a newer one: skipped" is_skipped "not ok 2 that$"
	untested printf 'ok 1 this\n'
	check "and one that does not" says "ok 1 Linux 99.1.0; "
	check "is not" [ "$(grep -c SKIP "$tmp/log")" = 0 ]
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
test_build
test_tests
test_no_tree
echo "1..$nr"
