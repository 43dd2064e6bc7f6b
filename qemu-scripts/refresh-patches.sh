#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: refresh-patches.sh [--new NAME FILE...]
#
# For developers: writes edits of files in build/linux into patches/BASE. The patches are a
# stack: edits of a file go to the last patch that has it, of which the hunks are
# regenerated. Other patches, and descriptions (the text before the first hunk), stay.
#
#   --new NAME FILE...   let patch NAME edit these files, too; if there is no such
#                        patch, it is created and added to the end of its series
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

new=
new_files=()

parse_arguments()
{
	local file

	while (($#)); do
		case $1 in
		--new)
			(($# >= 3)) || die "--new needs a patch name and at least one file"
			new=${2%.patch}.patch
			shift 2
			for file; do
				new_files+=("${file#"$TREE"/}")
			done
			return
			;;
		-h | --help) usage; exit ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
	done
}

check_new()
{
	local file

	for file in "${new_files[@]}"; do
		[[ -f $TREE/$file ]] || die "$file: no such file in $TREE"
		[[ ! -L $TREE/$file ]] || die "$file is an overlay file: edit it in the repository"
	done
}

description()	# NAME
{
	if [[ -e $REPO/$PATCHES/$1 ]]; then
		patch_message "$1"
	else
		printf 'TODO: say what %s changes, and why\n\n' "${1%.patch}"
	fi
}

files_of()	# NAME
{
	{
		[[ ! -e $REPO/$PATCHES/$1 ]] || patch_files "$1"
		[[ $1 != "$new" ]] || printf '%s\n' "${new_files[@]}"
	} | LC_ALL=C sort -u
}

# DIRECTORY has the file as it is before patch NAME, and then, unless that is the last one,
# as it is after it
hunks()		# NAME FILE DIRECTORY
{
	local before=$3/$2

	if [[ ${last_of[$2]} == "$1" ]]; then
		diff -U3 -p --label "a/$2" --label "b/$2" "$before" "$TREE/$2" || (($? == 1))
		return
	fi
	patch_of "$1" "$2"
	apply_patch_to "$1" "$2" "$before"
}

regenerate()	# NAME DIRECTORY
{
	local file body below=$2/below

	description "$1" >"$2/$1"
	for file in $(files_of "$1"); do
		need_pristine "$file"
		mkdir -p "$(dirname "$below/$file")"
		[[ -e $below/$file ]] || cp "$BUILD/pristine/$file" "$below/$file"
		body=$(hunks "$1" "$file" "$below"; echo .)
		body=${body%.}
		[[ $body ]] || note "$file: no edits left; it is no longer in $PATCHES/$1"
		printf '%s' "$body" >>"$2/$1"
	done
	grep -q '^+++ b/' "$2/$1" ||
		die "$PATCHES/$1 would be empty; nothing was written. Edit a file of it, or remove it by hand (and from $PATCHES/series)"
}

# Edits of files that are in no patch would be lost
warn_about_others()
{
	local file

	find "$TREE" -type f -newer "$STATE/tarball" -printf '%P\n' |
		{ grep -vE '\.(orig|rej|o|swp|cmd)$|~$' || :; } |
		{ grep -vxF -f <(find "$BUILD/pristine" -type f -printf '%P\n'; echo /) || :; } |
	while IFS= read -r file; do
		printf 'warning: %s changed but is in no patch (--new NAME %s)\n' "$file" "$file" >&2
	done
}

parse_arguments "$@"
need_command diff patch tar xz
[[ -e $STATE/tarball ]] || die "there is no $TREE yet; run prepare-kernel.sh"
names=$(series)
if [[ $new ]]; then
	check_new
	grep -qxF "$new" <<<"$names" || names+=$'\n'$new
fi
# shellcheck disable=SC2086 # a list of names
find_last files_of $names
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for name in $names; do
	regenerate "$name" "$tmp"
done
mkdir -p "$REPO/$PATCHES"
for name in $names; do
	cmp -s "$tmp/$name" "$REPO/$PATCHES/$name" || note "$PATCHES/$name"
	write_if_changed "$REPO/$PATCHES/$name" <"$tmp/$name"
done
if [[ $new ]] && ! series | grep -qxF "$new"; then
	printf '%s\n' "$new" >>"$SERIES"
fi
record_applied
warn_about_others
