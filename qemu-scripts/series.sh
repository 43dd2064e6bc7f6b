#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: series.sh [--author 'NAME <MAIL>'] [--build | --from N]
#
# Writes the project as a series of patches into build/series/, for
#
#   git am build/series/*.patch
#
# on the pristine base. qemu-scripts/series.txt says which files are in which
# patch, and why. Fails unless applying the series gives the project's files as they
# are in build/linux, and only those: what patches/BASE/removed names is gone. Fails, too,
# if a line of a message has more than 75 characters.
#
#   --author   who is named in From and Signed-off-by (default: the author of the
#              last commit)
#   --build    then apply the patches one by one. After each, the kernel is built with
#              gcc and booted, and the objects of the series are compiled with clang and
#              for 32-bit arm; a warning is an error. Takes an hour or more. Needs
#              the initramfs. Mainline needs a newer clang than Debian 12 has as "clang":
#              without the packages clang-19, lld-19 and llvm-19, it is left out
#   --from N   the same, but nothing is built before patch N has been applied
#
# Environment: BASE=6.12|mainline (6.12); with mainline, all of this is in build/mainline
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

out=$BUILD/series
work=$BUILD/series.tmp
plan=$SCRIPTS/series.txt
author=
build=no
first=0

parse_arguments()
{
	while (($#)); do
		case $1 in
		--author) need_value "$1" $#; author=$2; shift ;;
		--build) build=yes ;;
		--from) need_value "$1" $#; build=yes first=$2; shift ;;
		-h | --help) usage; exit ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
		shift
	done
	[[ $first =~ ^[0-9]+$ ]] || die "--from '$first': expected the number of a patch"
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

# The pristine files that the series edits or deletes
make_base()
{
	local file files removed

	files=$(patched_files)
	removed=$(removed_files)
	mkdir -p "$work/base"
	for file in $files; do
		mkdir -p "$(dirname "$work/base/$file")"
		cp "$BUILD/pristine/$file" "$work/base/$file"
	done
	# shellcheck disable=SC2086 # kernel paths have no spaces
	[[ ! $removed ]] || copy_pristine "$work/base" $removed
}

# A repository of them
make_repository()	# DIRECTORY
{
	cp -R "$work/base" "$1"
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

	! grep -vE '^Fixes: ' <<<"$2" | grep -E '.{76}' ||
		die "this line of a message has more than 75 characters"
	for file in "${taken[@]}"; do
		mkdir -p "$(dirname "$1/$file")"
		cp -L --preserve=mode "$TREE/$file" "$1/$file"
	done
	git_in "$1" add -A -f
	git_in "$1" commit -q -s -m "$2"
}

delete_files()	# DIRECTORY
{
	local file

	for file in $(removed_files); do
		rm "$1/$file"
	done
}

# Moves the patch that has this name after its number from "patches" to "patch"
take_name()	# NAME
{
	patch=$(grep -x "[0-9]*-$1\.patch" <<<"$patches") ||
		die "series.txt: '$1': no patch, or in an earlier step"
	patches=${patches/"$patch"/}
}

# STEP is a line of the plan, as explained there
take_step()	# DIRECTORY STEP MESSAGE
{
	local words taken=() message=$3 patch

	set -f
	# shellcheck disable=SC2206 # a list of words
	words=($2)
	set +f
	if [[ ${words[0]} == *: ]]; then
		[[ -d $REPO/patches/${words[0]%:} ]] || die "series.txt: '$2': no such base"
		[[ ${words[0]} == "$BASE:" ]] || return 0
		words=("${words[@]:1}")
	fi
	case ${words[0]} in
	files) take_files "${words[@]:1}" ;;
	patch | delete)
		take_name "${words[1]}"
		[[ ${words[0]} == patch ]] || delete_files "$1"
		take_patch "$1" "$patch"
		take_files "${words[@]:2}"
		message=$(patch_message "$patch")
		;;
	*) die "series.txt: '$2' is neither a step nor an indented line of a message" ;;
	esac
	[[ $message ]] || die "series.txt: no message for: $2"
	commit_step "$1" "$message"
}

make_commits()	# DIRECTORY
{
	local line step='' message='' patches

	mapfile -t left < <(project_files)
	patches=$(series)
	# shellcheck disable=SC2086 # a list of names
	find_last patch_files $patches
	while IFS= read -r line; do
		case $line in
		'#'*) ;;
		'' | '    '*) message+=${line#    }$'\n' ;;
		*)
			[[ ! $step ]] || take_step "$1" "$step" "$message"
			step=$line
			message=
			;;
		esac
	done <"$plan"
	take_step "$1" "$step" "$message"
	# shellcheck disable=SC2206 # a list of names
	left+=($patches)
	((${#left[@]} == 0)) || die "series.txt has no step for: ${left[*]}"
}

# Checks that git am gives the same files as build/linux has
verify()	# DIRECTORY
{
	local file

	make_repository "$1"
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
	make_repository "$work/made"
	make_commits "$work/made"
	mkdir -p "$out"
	git_in "$work/made" format-patch -q --zero-commit --no-signature -M -o "$out" pristine
	verify "$work/applied"
}

# The tree before the series
make_pristine_tree()	# DIRECTORY
{
	local file

	cp -a "$TREE" "$1"
	for file in $(overlay_files); do
		rm -f "$1/$file"
	done
	cp -R "$work/base/." "$1"
}

# --- --build -------------------------------------------------------------------

# The version of clang that the kernel can be built with, as make takes it: 1, or a suffix such
# as -19. Empty if none is there
find_llvm()	# TREE
{
	local least suffix version

	least=$("$1/scripts/min-tool-version.sh" llvm)
	for suffix in '' -19; do
		version=$("clang$suffix" -dumpversion 2>/dev/null) || continue
		if [[ $(printf '%s\n' "$least" "$version" | sort -V | head -n 1) == "$least" ]]; then
			echo "${suffix:-1}"
			return
		fi
	done
}

# Three build directories, as the objects of one step are most of those of the next.
# kernel-series has the kernel that is booted
series_make()	# TREE gcc|clang|arm WORD...
{
	local tree=$1 out=$BUILD/kernel-series words=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)

	case $2 in
	gcc) ;;
	clang)
		[[ $llvm ]] || return 0
		out+=-clang words+=(LLVM="$llvm")
		;;
	arm) out+=-arm words=(ARCH=arm CROSS_COMPILE=arm-linux-gnueabihf-) ;;
	esac
	shift 2
	mkdir -p "$out"
	make -C "$tree" O="$out" "${words[@]}" -j "$(nproc)" "$@"
}

# Options that a later patch adds are ignored
configure_step()	# TREE gcc|clang|arm FRAGMENT...
{
	local tree=$1 kind=$2
	shift 2

	cat "$tree"/kernel/configs/tiny{-base,}.config "$@" >"$work/options"
	series_make "$tree" "$kind" KCONFIG_ALLCONFIG="$work/options" allnoconfig
}

# The objects of the files that match REGEX and that the kernel for gcc has by now
objects()	# REGEX
{
	local file object

	for file in $(project_files | grep -E -- "$1"); do
		object=${file%.c}.o
		[[ $file != */nvhe/* ]] || object=${file%.c}.nvhe.o
		[[ ! -e $BUILD/kernel-series/$object ]] || echo "$object"
	done
}

# A kernel that is the one of the last step is not booted again
boot_step()
{
	local image=$BUILD/kernel-series/arch/arm64/boot/Image

	! cmp -s "$image" "$work/booted" || { note "The same kernel as before"; return; }
	"$SCRIPTS/boot.sh" --kernel "$image" -- true
	cp "$image" "$work/booted"
}

# Is there no patch yet, or does it have a file whose name matches REGEX?
concerns()	# PATCH REGEX
{
	[[ ! $1 ]] || git apply --numstat "$1" | cut -f 3 | grep -E -- "$2" >/dev/null
}

# What was built of files that the series deletes, and may add again later
remove_objects()	# TREE
{
	local file

	for file in $(removed_files); do
		[[ -e $1/$file ]] || rm -f "$BUILD/kernel-series/${file%.c}.o"
	done
}

# Applies a patch. The tree is in no repository; patch does not take binary files
apply_step()	# TREE PATCH
{
	GIT_CEILING_DIRECTORIES=$work git_in "$1" apply --whitespace=nowarn "$2"
	remove_objects "$1"
}

# Builds what a patch may have changed; all of it if none is named
build_step()	# TREE PATCH
{
	local fragments=("$SCRIPTS"/config/{kernel,functions,werror}.config) list

	[[ $BASE == 6.12 ]] || fragments+=("$SCRIPTS/config/$BASE.config")
	if concerns "$2" '(^|/)Kconfig'; then
		configure_step "$1" gcc "${fragments[@]}"
		configure_step "$1" clang "${fragments[@]}"
		configure_step "$1" arm "$SCRIPTS/config/arm.config"
	fi
	concerns "$2" '^(arch|include|kernel|virt)/' || return 0

	series_make "$1" gcc Image modules
	boot_step
	mapfile -t list < <(objects '^(kernel|arch/arm64|virt)/.*\.c$')
	series_make "$1" clang "${list[@]}"
	# No 32-bit machine has remotes
	mapfile -t list < <(patched_files | grep -E '^kernel/.*\.c$' | sed 's/\.c$/.o/')
	series_make "$1" arm "${list[@]}"
}

build_steps()
{
	local tree=$work/tree patch changed llvm nr=0

	rm -rf "$BUILD"/kernel-series{,-clang,-arm}
	make_pristine_tree "$tree"
	llvm=$(find_llvm "$tree")
	[[ $llvm ]] || note "clang is too old for this kernel, and left out"
	((first)) || step "Build and boot the base" build_step "$tree" ''
	for patch in "$out"/*.patch; do
		apply_step "$tree" "$patch"
		((++nr >= first)) || continue
		changed=$patch
		# All of the first step has to be built
		((nr > first)) || changed=''
		step "Build and boot after ${patch##*/}" build_step "$tree" "$changed"
	done
	((nr >= first)) || die "--from $first: there are $nr patches"
}

parse_arguments "$@"
need_command git patch
"$SCRIPTS/prepare-kernel.sh"
[[ -z $(edited_files) ]] || die "build/linux has edits that are in no patch; run refresh-patches.sh"
date=$(git -C "$REPO" -c safe.directory='*' log -1 --format=%cI 2>/dev/null) || date=$(date -Is)
rm -rf "$work" "$out"
make_base
make_series
[[ $build == no ]] || build_steps
rm -rf "$work"
note "$(find "$out" -name '*.patch' | wc -l) patches: git am ${out#"$PWD"/}/*.patch"
