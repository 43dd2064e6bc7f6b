#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: prepare-kernel.sh [--force | --adopt]
#
# Makes the kernel source in build/linux: Debian's tarball, without the files named in
# patches/BASE/removed, plus the edits in patches/BASE, plus a symbolic link for each
# overlay file. Run it again after any change: only files whose content changes are
# touched, so that a kernel build stays incremental.
#
# A developer may edit files in build/linux; refresh-patches.sh moves such
# edits into patches/. They are kept as long as the patches do not change.
#
#   --force   overwrite such edits when the patches have changed
#   --adopt   use a build/linux that this script has not made, with its edits
#
# Environment: BASE=6.12|mainline (6.12); with mainline, the source is in
#              build/mainline/linux. SOURCE=dir: a kernel tree to copy, in place of the
#              tarball; of a git repository, the files that it tracks
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

force=no
adopt=no

parse_arguments()
{
	while (($#)); do
		case $1 in
		--force) force=yes ;;
		--adopt) adopt=yes ;;
		-h | --help) usage; exit ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
		shift
	done
}

source_id()
{
	if [[ $SOURCE ]]; then
		printf '%s %s\n' "$(realpath "$SOURCE")" \
			"$(git -C "$SOURCE" describe --always --dirty 2>/dev/null || stat -c %Y "$SOURCE/Makefile")"
	else
		stat -c '%n %s %Y' "$TARBALL"
	fi
}

copy_source()
{
	if [[ -e $SOURCE/.git ]]; then
		git -C "$SOURCE" ls-files -z | tar -C "$SOURCE" -c --null -T -
	else
		tar -C "$SOURCE" -c .
	fi | tar -x -C "$TREE.new"
}

extract()
{
	rm -rf "$TREE.new" "$TREE"
	mkdir -p "$TREE.new"
	if [[ $SOURCE ]]; then
		copy_source
	else
		# A quarter of all bytes are register definitions of one graphics driver
		xz -T0 -dc "$TARBALL" | tar -x -C "$TREE.new" --strip-components=1 \
			--exclude='*/drivers/gpu/drm/amd/include'
	fi
	mv "$TREE.new" "$TREE"
}

# A release that was not tried may work
check_release()
{
	is_tested "$TREE" || printf 'warning: the kernel is a %s, and patches/%s were tested with %s; going on\n' \
		"$(release_of "$TREE")" "$BASE" "$(tested_releases "$BASE" | xargs)" >&2
}

unpack()
{
	if [[ $SOURCE ]]; then
		[[ -e $SOURCE/Makefile && -d $SOURCE/kernel ]] || die "SOURCE='$SOURCE' is no kernel tree"
	elif [[ ! -e $TARBALL ]]; then
		[[ ! -e $STATE/tarball ]] || return 0	# unpacked before
		die "$TARBALL is missing; run 'make setup' as root"
	fi
	[[ ! -e $STATE/tarball || $(<"$STATE/tarball") != "$(source_id)" || ! -d $TREE ]] || return 0

	mkdir -p "$STATE"
	if [[ $adopt == yes && -d $TREE && ! -e $STATE/tarball ]]; then
		note "Using $TREE as it is"
	elif [[ -d $TREE && ! -e $STATE/tarball ]]; then
		die "$TREE was not made by this script; move it away, or use --adopt to keep it and its edits"
	else
		[[ $force == yes || ! -d $TREE ]] || refuse_to_lose_edits
		rm -rf "$BUILD/pristine" "$STATE"/{applied,patches,links,tarball}
		step "Unpack the kernel source" extract
	fi
	check_release
	source_id >"$STATE/tarball"
	# Files of the base are not newer than this, files that are edited are
	[[ $SOURCE ]] || touch -r "$TARBALL" "$STATE/tarball"
}

# For a new tarball, which replaces the whole tree
refuse_to_lose_edits()
{
	local edited

	edited=$(edited_files | xargs)
	[[ -z $edited ]] ||
		die "$TARBALL has changed, but build/linux has edits that are in no patch (refresh-patches.sh saves them, --force drops them): $edited"
}

check_series()
{
	local name names

	names=$(series)
	for name in $names; do
		! grep -qE '^(---|\+\+\+) /dev/null' "$REPO/$PATCHES/$name" ||
			die "$PATCHES/$name adds or removes a file: a new file belongs in the overlay, one that goes in $PATCHES/removed"
	done
}

# Filters what patch says: the files of which a hunk does not apply
failed_hunks()
{
	awk '/^patching file/ { file = $3 } /FAILED at|^can.t find file/ { print "    " file ": " $0 }'
}

apply_in()	# DIRECTORY, which holds the pristine files
{
	local name names said

	names=$(series)
	for name in $names; do
		said=$(patch -d "$1" -p1 -F0 --no-backup-if-mismatch <"$REPO/$PATCHES/$name") ||
			die "$PATCHES/$name does not apply to ${SOURCE:-$TARBALL}:"$'\n'"$(failed_hunks <<<"$said")"
	done
}

# Stops if the patches would overwrite edits. A file that has the new content already loses
# nothing
check_not_edited()	# DIRECTORY
{
	local file lost=()

	[[ $force == no ]] || return 0
	for file in $(edited_files); do
		cmp -s "$1/$file" "$TREE/$file" || lost+=("$file")
	done
	((${#lost[@]} == 0)) ||
		die "$PATCHES changed, and so did these files in $TREE (refresh-patches.sh saves them, --force drops them): ${lost[*]}"
}

# Counts lines of standard input
say_number()	# WHAT
{
	local nr

	nr=$(wc -l)
	((nr == 0)) || note "$nr $1"
}

apply_patches()
{
	local tmp file files

	[[ ! -e $STATE/patches || $(<"$STATE/patches") != "$(patches_hash)" ]] || return 0
	check_series
	files=$(patched_files)
	# shellcheck disable=SC2086 # kernel paths have no spaces
	need_pristine $files
	tmp=$(mktemp -d)
	# shellcheck disable=SC2064 # now, not then
	trap "rm -rf '$tmp'" EXIT
	[[ ! -d $BUILD/pristine ]] || cp -a "$BUILD/pristine/." "$tmp"
	apply_in "$tmp"
	if [[ $adopt == no ]]; then
		check_not_edited "$tmp"
		find "$tmp" -type f -printf '%P\n' | while IFS= read -r file; do
			cmp -s "$tmp/$file" "$TREE/$file" && continue
			cat "$tmp/$file" >"$TREE/$file"
			echo
		done | say_number "kernel files patched"
	fi
	record_applied
}

remove_stale_links()	# NEW-LIST
{
	local file

	[[ -e $STATE/links ]] || return 0
	comm -23 "$STATE/links" "$1" | while IFS= read -r file; do
		[[ -L $TREE/$file ]] || continue
		rm "$TREE/$file"
		echo
		(cd "$TREE" && rmdir -p --ignore-fail-on-non-empty "$(dirname "$file")" 2>/dev/null) || :
	done
}

remove_files()
{
	local file

	removed_files | while IFS= read -r file; do
		[[ -f $TREE/$file && ! -L $TREE/$file ]] || continue
		rm "$TREE/$file"
		echo
	done | say_number "files of the kernel removed"
}

link_overlay()
{
	local file list=$STATE/links.new

	overlay_files | LC_ALL=C sort >"$list"
	[[ ! -e $STATE/links ]] || LC_ALL=C sort -o "$STATE/links" "$STATE/links"
	LC_ALL=C remove_stale_links "$list" | say_number "links to the overlay removed"
	while IFS= read -r file; do
		[[ -L $TREE/$file && $TREE/$file -ef $REPO/$file ]] && continue
		[[ ! -e $TREE/$file || -L $TREE/$file ]] ||
			die "$file exists in the kernel already: an edit of it belongs in $PATCHES, not in the overlay"
		mkdir -p "$TREE/$(dirname "$file")"
		ln -sfn "$REPO/$file" "$TREE/$file"
		echo
	done <"$list" | say_number "links to the overlay made"
	mv "$list" "$STATE/links"
}

parse_arguments "$@"
need_command xz tar patch sha256sum git
mkdir -p "$BUILD"
# One at a time: two would unpack over each other
exec 9>"$BUILD/.prepare.lock"
flock 9
unpack
apply_patches
remove_files
link_overlay
