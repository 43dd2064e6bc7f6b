#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: series.sh [--author 'NAME <MAIL>'] [--build]
#
# Writes the project as a series of patches into build/series/, for
#
#   git am build/series/*.patch
#
# on the pristine base. qemu-scripts/series.txt says which files are in which
# patch, and why. Fails unless applying the series gives the project's files as they
# are in build/linux, and only those.
#
#   --author   who is named in From and Signed-off-by (default: the author of the
#              last commit)
#   --build    then apply the patches one by one, and build and boot the kernel
#              after each (some minutes; needs the initramfs)
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

[[ $BASE == 6.12 ]] || die "the series is for BASE=6.12"
out=$BUILD/series
plan=$SCRIPTS/series.txt
author=
build=no

parse_arguments()
{
	while (($#)); do
		case $1 in
		--author) need_value "$1" $#; author=$2; shift ;;
		--build) build=yes ;;
		-h | --help) usage; exit ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
		shift
	done
	[[ $author ]] || author=$(git -C "$REPO" -c safe.directory='*' log -1 --format='%an <%ae>' 2>/dev/null) ||
		author='hyptrace <hyptrace@localhost>'
	[[ $author =~ ^[^\<]+\ \<[^\>]+\>$ ]] || die "--author '$author': it has to be like 'A Name <a.name@example.org>'"
}

# Runs git in DIRECTORY, regardless of the user's configuration
git_in()	# DIRECTORY WORD...
{
	local dir=$1
	shift

	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
	GIT_AUTHOR_NAME=${author% <*} GIT_AUTHOR_EMAIL=${author##*<} \
	GIT_COMMITTER_NAME=${author% <*} GIT_COMMITTER_EMAIL=${author##*<} \
	GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date \
		git -C "$dir" -c core.autocrlf=false -c commit.gpgSign=false "$@"
}

# A repository of the pristine files that the series edits
make_base()	# DIRECTORY
{
	local file files

	files=$(patched_files)
	mkdir -p "$1"
	for file in $files; do
		mkdir -p "$(dirname "$1/$file")"
		cp "$BUILD/pristine/$file" "$1/$file"
	done
	git_in "$1" init -q -b main
	git_in "$1" add -A
	git_in "$1" commit -q -m 'The base'
	git_in "$1" tag pristine
}

# All files of the project, by their paths in the kernel
project_files()
{
	{ overlay_files; patched_files; } | LC_ALL=C sort -u
}

# --- a step of the plan ------------------------------------------------------

# Files of the project that are in no step yet
left=()

# Moves those that match GLOB from "left" to "taken"
take_files()	# GLOB...
{
	local glob file found rest

	for glob; do
		rest=()
		found=no
		for file in "${left[@]}"; do
			# shellcheck disable=SC2053 # a pattern
			if [[ $file == $glob ]]; then
				taken+=("$file")
				found=yes
			else
				rest+=("$file")
			fi
		done
		[[ $found == yes ]] || die "series.txt: '$glob': no file, or in an earlier step"
		left=("${rest[@]}")
	done
}

# Applies the hunks of a patch for files that no earlier step has taken. Takes those that
# no later patch edits
take_patch()	# DIRECTORY NAME
{
	local file files

	files=$(patch_files "$2")
	for file in $files; do
		[[ " ${left[*]} " == *" $file "* ]] || continue
		if [[ ${last_of[$file]} == "$2" ]]; then
			take_files "$file"
		else
			apply_patch_to "$2" "$file" "$1/$file"
		fi
	done
}

commit_step()	# DIRECTORY MESSAGE
{
	local file

	for file in "${taken[@]}"; do
		mkdir -p "$(dirname "$1/$file")"
		cp -L --preserve=mode "$TREE/$file" "$1/$file"
	done
	git_in "$1" add -A -f
	git_in "$1" commit -q -s -m "$2"
}

# A line "files GLOB..." is followed by its message, indented; "patch NAME GLOB..."
# has the message of that patch, and its files
take_step()	# DIRECTORY KIND WORDS MESSAGE
{
	local words taken=() message=$4

	set -f
	# shellcheck disable=SC2206 # a list of words
	words=($3)
	set +f
	case $2 in
	files) take_files "${words[@]}" ;;
	patch)
		grep -qxF "${words[0]}" <<<"$(series)" || die "series.txt: no patch ${words[0]}"
		take_patch "$1" "${words[0]}"
		take_files "${words[@]:1}"
		message=$(patch_message "${words[0]}")
		;;
	esac
	[[ $message ]] || die "series.txt: no message for: $3"
	commit_step "$1" "$message"
}

make_commits()	# DIRECTORY
{
	local line kind='' globs='' message='' names

	mapfile -t left < <(project_files)
	names=$(series)
	# shellcheck disable=SC2086 # a list of names
	find_last patch_files $names
	while IFS= read -r line; do
		case $line in
		'#'*) ;;
		'files '* | 'patch '*)
			[[ ! $kind ]] || take_step "$1" "$kind" "$globs" "$message"
			kind=${line%% *}
			globs=${line#* }
			message=
			;;
		*)
			[[ -z $line || $line == '    '* ]] || die "series.txt: '$line' is neither a step nor an indented line of a message"
			message+=${line#    }$'\n'
			;;
		esac
	done <"$plan"
	take_step "$1" "$kind" "$globs" "$message"
	((${#left[@]} == 0)) || die "series.txt has no step for: ${left[*]}"
}

# Checks that git am gives the same files as build/linux has
verify()	# DIRECTORY
{
	local file

	make_base "$1"
	# The series adds files that are patches (of tests), which seem to have wrong white
	# space. lint.sh checks the white space of all other files
	git_in "$1" am -q --whitespace=nowarn "$out"/*.patch || die "the series does not apply"
	diff <(project_files) <(cd "$1" && git_in . ls-files | LC_ALL=C sort) ||
		die "the series gives other files than build/linux has"
	for file in $(project_files); do
		cmp "$1/$file" "$TREE/$file" || die "the series gives another $file than build/linux has"
	done
}

make_series()
{
	local tmp=$BUILD/series.tmp

	rm -rf "$tmp" "$out"
	make_base "$tmp/made"
	make_commits "$tmp/made"
	mkdir -p "$out"
	git_in "$tmp/made" format-patch -q --zero-commit --no-signature -M -o "$out" pristine
	verify "$tmp/applied"
	rm -rf "$tmp"
}

# The tree before the series
make_pristine_tree()	# DIRECTORY
{
	local file

	rm -rf "$1"
	cp -a "$TREE" "$1"
	for file in $(overlay_files); do
		rm -f "$1/$file"
	done
	for file in $(patched_files); do
		cp "$BUILD/pristine/$file" "$1/$file"
	done
}

series_make()	# TREE WORD...
{
	local tree=$1
	shift

	make -C "$tree" O="$BUILD/kernel-series" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- \
		-j "$(nproc)" "$@"
}

# Options that a later patch adds are ignored
build_step()	# TREE PATCH
{
	[[ ! $2 ]] || patch -s -p1 -d "$1" <"$2"
	[[ -e $BUILD/kernel-series/.config ]] || series_make "$1" tinyconfig
	(cd "$1" && scripts/kconfig/merge_config.sh -m -O "$BUILD/kernel-series" \
		"$BUILD/kernel-series/.config" "$SCRIPTS/config/kernel.config")
	series_make "$1" olddefconfig
	series_make "$1" Image
	"$SCRIPTS/boot.sh" --kernel "$BUILD/kernel-series/arch/arm64/boot/Image" -- true
}

build_steps()
{
	local tree=$BUILD/series.tmp patch

	rm -rf "$BUILD/kernel-series"
	make_pristine_tree "$tree"
	for patch in '' "$out"/*.patch; do
		step "Build and boot ${patch:+after }${patch##*/}" build_step "$tree" "$patch"
	done
	rm -rf "$tree"
}

parse_arguments "$@"
need_command git patch
"$SCRIPTS/prepare-kernel.sh"
[[ -z $(edited_files) ]] || die "build/linux has edits that are in no patch; run refresh-patches.sh"
date=$(git -C "$REPO" -c safe.directory='*' log -1 --format=%cI 2>/dev/null) || date=$(date -Is)
make_series
[[ $build == no ]] || build_steps
note "$(find "$out" -name '*.patch' | wc -l) patches: git am ${out#"$PWD"/}/*.patch"
