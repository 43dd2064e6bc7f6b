# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What every script here shares: where things are, and how to report.
# Source it; it changes nothing but variables and functions.
#
#   REPO    the hyptrace repository
#   BUILD   everything that is generated (HYPTRACE_BUILD overrides)
#   TREE    the patched kernel source
#   STATE   stamps: what the generated things were made from

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
SCRIPTS=$REPO/qemu-scripts
BUILD=${HYPTRACE_BUILD:-$REPO/build}
[[ $BUILD == /* ]] || BUILD=$PWD/$BUILD
TREE=$BUILD/linux
STATE=$BUILD/state
LOGS=$BUILD/logs
DEBS=$BUILD/debs
TARBALL=${HYPTRACE_TARBALL:-/usr/src/linux-source-6.12.tar.xz}

# Debian packages whose arm64 files go into the guest. They are unpacked, never
# installed: busybox-static:arm64 would replace the build machine's busybox.
GUEST_PACKAGES=(busybox-static trace-cmd libtracefs1 libtraceevent1 libzstd1 libc6)

# KernelShark's library, as unpacked; to be installed, it wants all of Qt
KSHARK=$DEBS/desk/unpacked

# Directories of the kernel that the repository mirrors
OVERLAY_DIRS=(Documentation arch drivers include kernel lib samples tools)

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

note()
{
	printf '%s\n' "$*"
}

need_command()	# COMMAND...
{
	local cmd

	for cmd; do
		command -v "$cmd" >/dev/null ||
			die "$cmd is not installed; run 'make setup' as root"
	done
}

need_value()	# OPTION COUNT-OF-WORDS-LEFT
{
	(($2 >= 2)) || die "$1 needs a value; see --help"
}

# Prints the header comment of the calling script as its help text
usage()
{
	sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0"
}

# A live line with the elapsed time, until killed
_ticker()	# WHAT
{
	local start=$SECONDS

	trap 'exit 0' TERM
	while :; do
		printf '\r%s ... %ds ' "$1" $((SECONDS - start))
		sleep 1
	done
}

_step_failed()	# WHAT STATUS LOG
{
	{
		printf '%s: failed with status %s. The last lines of its output:\n' "$1" "$2"
		tail -n 25 "$3" | sed 's/^/    /'
		printf 'The whole output: %s\n' "$3"
	} >&2
}

# Runs a command, its output in a log; says what runs, how long it took, and
# why it failed. Returns the command's status.
step()		# WHAT COMMAND...
{
	local what=$1 status=0 start=$SECONDS ticker='' log name
	shift
	name=${what,,}
	name=${name//[^a-z0-9]/-}
	mkdir -p "$LOGS"
	log=$LOGS/$name.log

	if [[ -t 1 ]]; then
		_ticker "$what" &
		ticker=$!
	else
		note "$what ..."
	fi
	# Not "|| status=$?": that would switch off errexit inside the command
	set +e
	(set -e; "$@") >"$log" 2>&1 </dev/null
	status=$?
	set -e
	if [[ $ticker ]]; then
		kill "$ticker" 2>/dev/null || :
		wait "$ticker" 2>/dev/null || :
		printf '\r\033[K'
	fi
	if ((status)); then
		_step_failed "$what" "$status" "$log"
		return "$status"
	fi
	note "$what: done in $((SECONDS - start))s"
}

# Replaces FILE by standard input, but only if that changes it
write_if_changed()	# FILE
{
	local new

	mkdir -p "$(dirname "$1")"
	new=$(mktemp "$1.XXXXXX")
	cat >"$new"
	if cmp -s "$new" "$1"; then
		rm "$new"
	else
		chmod 644 "$new"
		mv "$new" "$1"
	fi
}

hash_of()	# FILE... (missing ones count as such)
{
	local file

	for file; do
		[[ -e $file ]] || printf 'missing %s\n' "$file"
	done | sha256sum
	sha256sum "$@" 2>/dev/null || :
}

# The files of the overlay, relative to the repository; neither deleted nor
# ignored ones
overlay_files()
{
	local file dirs=() dir

	for dir in "${OVERLAY_DIRS[@]}"; do
		[[ ! -d $REPO/$dir ]] || dirs+=("$dir")
	done
	((${#dirs[@]})) || return 0
	cd "$REPO"
	if [[ -e .git ]]; then
		git -c safe.directory='*' -c core.quotePath=false \
			ls-files --cached --others --exclude-standard -- "${dirs[@]}"
	else	# an exported tree
		find "${dirs[@]}" -type f
	fi | sort -u | while IFS= read -r file; do
		[[ ! -e $file ]] || printf '%s\n' "$file"
	done
}

# --- patches ---------------------------------------------------------------

SERIES=$REPO/patches/series

# Names in patches/series, in order
series()
{
	local name

	[[ -e $SERIES ]] || return 0
	sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$SERIES" |
	while IFS= read -r name; do
		[[ -f $REPO/patches/$name ]] || die "patches/series names $name, which does not exist"
		printf '%s\n' "$name"
	done
}

# The files that a patch edits
patch_files()	# NAME
{
	sed -n 's|^+++ b/\([^[:space:]]*\).*|\1|p' "$REPO/patches/$1"
}

patched_files()
{
	local name names

	names=$(series)
	for name in $names; do
		patch_files "$name"
	done
}

patches_hash()
{
	local name names

	names=$(series)
	for name in $names; do
		printf '%s ' "$name"
		sha256sum <"$REPO/patches/$name"
	done | sha256sum
}

# Makes sure that $BUILD/pristine has Debian's version of each FILE
need_pristine()	# FILE...
{
	local file missing=() top

	for file; do
		[[ ! -e $BUILD/pristine/$file ]] || continue
		if [[ -f $TREE/$file && ! $TREE/$file -nt $STATE/tarball ]]; then
			mkdir -p "$(dirname "$BUILD/pristine/$file")"
			cp -p "$TREE/$file" "$BUILD/pristine/$file"
		else	# edited already
			missing+=("$file")
		fi
	done
	((${#missing[@]})) || return 0
	mkdir -p "$BUILD/pristine"
	top=$(basename "$TARBALL" .tar.xz)
	tar -x -J -f "$TARBALL" -C "$BUILD/pristine" --strip-components=1 \
		--occurrence=1 "${missing[@]/#/$top/}" ||
		die "not in Debian's kernel: one of ${missing[*]}"
}

# Remembers what the patched files look like, so that later edits show
record_applied()
{
	mkdir -p "$BUILD/pristine"
	cd "$TREE"
	find "$BUILD/pristine" -type f -printf '%P\n' | sort |
		xargs -r -d '\n' sha256sum -- | write_if_changed "$STATE/applied"
	patches_hash | write_if_changed "$STATE/patches"
}

# Files that were edited in the tree since patches were applied to it
edited_files()
{
	[[ -e $STATE/applied ]] || return 0
	(cd "$TREE" && sha256sum --quiet -c "$STATE/applied" 2>/dev/null) |
		sed -n 's/: FAILED.*//p' || :
}
