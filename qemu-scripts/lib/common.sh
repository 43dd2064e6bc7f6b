# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# Shared by all scripts here: where things are, how to report progress, patches.
# Source it; it only defines variables and functions, and exports one of them.
#
#   REPO     the hyptrace repository
#   BASE     the kernel that is patched: 6.12, or mainline
#   PATCHES  the edits of its files
#   BUILD    everything that is generated (HYPTRACE_BUILD overrides), for this base
#   TREE     the patched kernel source
#   STATE    stamps: from which inputs the generated files were made
#   TOOL     the source of hyptrace, and TOOL_OBJ its objects, which are for all bases

# Scripts in Python leave nothing in the source
export PYTHONDONTWRITEBYTECODE=1

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
SCRIPTS=$REPO/qemu-scripts
BASE=${BASE:-6.12}
PATCHES=patches/$BASE
BUILD=${HYPTRACE_BUILD:-$REPO/build}
[[ $BUILD == /* ]] || BUILD=$PWD/$BUILD
DEBS=$BUILD/debs
TOOL=$REPO/tools/tracing/hyptrace
TOOL_OBJ=$BUILD/obj

# The releases with which the patches of a base were tested, from the oldest to the newest
tested_releases()	# BASE
{
	sed -n 's/^# Tested with //p' "$REPO/patches/$1/series" | tr ' ' '\n'
}

# The release of the mainline kernel that is asked for, such as 7.3; by default the newest with
# which the patches were tested
mainline_release()
{
	echo "${MAINLINE:-$(tested_releases mainline | tail -n 1 | cut -d . -f 1,2)}"
}

# Where setup.sh puts it. By default also one that is newer, if only that is there
_mainline_tarball()
{
	local there

	there=$DEBS/mainline/linux-source-$(mainline_release).tar.xz
	if [[ ! -e $there && ! $MAINLINE ]]; then
		there=$({ echo "$there"; compgen -G "$DEBS/mainline/linux-source-*.tar.xz" || :; } |
			sort -V | tail -n 1)
	fi
	echo "$there"
}

readonly MAINLINE=${MAINLINE:-}
MAINLINE_TARBALL=$(_mainline_tarball)
TARBALL=/usr/src/linux-source-6.12.tar.xz
if [[ $BASE == mainline ]]; then
	TARBALL=$MAINLINE_TARBALL
	BUILD=$BUILD/mainline
fi
TARBALL=${HYPTRACE_TARBALL:-$TARBALL}
# A kernel tree of the user's, in place of the tarball. The Makefile exports it, so a script
# that changed it would change it for all scripts that it calls
readonly SOURCE=${SOURCE:-}
# "yes" for the base as it is, without patches and overlay, in a build directory of its own;
# see bench-peer.sh
PRISTINE=${HYPTRACE_PRISTINE:-no}
TREE=$BUILD/linux
STATE=$BUILD/state
LOGS=$BUILD/logs

# Debian packages whose arm64 files go into the guest. They are unpacked, never
# installed: busybox-static:arm64 would replace the build machine's busybox.
GUEST_PACKAGES=(busybox-static trace-cmd libtracefs1 libtraceevent1 libzstd1 libc6)

# A QEMU that runs in the guest, and what it is linked to, unpacked as well
VMM=$DEBS/vmm
VMM_PACKAGES=(qemu-system-arm
	libaio1 libblkid1 libbpf1 libc6 libcapstone4 libdaxctl1 libelf1 libfdt1 libffi8 libfuse3-3
	libgcc-s1 libglib2.0-0 libgmp10 libgnutls30 libhogweed6 libibverbs1 libidn2-0
	libjpeg62-turbo libkmod2 liblzma5 libmount1 libndctl6 libnettle8 libnl-3-200
	libnl-route-3-200 libnuma1 libp11-kit0 libpcre2-8-0 libpixman-1-0 libpmem1 libpng16-16
	librdmacm1 libsasl2-2 libseccomp2 libselinux1 libslirp0 libssl3 libtasn1-6 libudev1
	libunistring2 liburing2 libuuid1 libvdeplug2 libzstd1 zlib1g)

# Packages of this machine that are unpacked to NATIVE/unpacked, as to install them would install
# all of Qt (KernelShark's library), or start a service
NATIVE=$DEBS/native
NATIVE_PACKAGES=(libkshark2 clickhouse-server prometheus prometheus-node-exporter)

# For the kernel's make with ARCH=um. The default there, the large code model, makes every
# call an indirect one, which would distort what is measured. um.h explains itself
UM_HEADER=$REPO/tools/testing/selftests/hyptrace/bench-native/um.h
UM_FLAGS=(KCFLAGS=-mcmodel=small "CFLAGS_registers.o=-include $UM_HEADER"
	"CFLAGS_ring_buffer.o=-include $UM_HEADER")

# Directories of the kernel that the repository mirrors
OVERLAY_DIRS=(Documentation arch drivers include kernel lib samples tools)

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

[[ $PRISTINE == no || $PRISTINE == yes ]] || die "HYPTRACE_PRISTINE='$PRISTINE': yes or no"
[[ -d $REPO/$PATCHES ]] || die "BASE='$BASE': there are: $(ls "$REPO/patches" | xargs)"

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

# Prints a number of at most 9 digits
random_seed()
{
	echo $((RANDOM * 30000 + RANDOM))
}

# Prints the header comment of the calling script as its help text
usage()
{
	sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0"
}

# If set, the function that step() calls with the log so far, to print in a few words how
# far the command is
STEP_PROGRESS=

_progress()	# LOG
{
	[[ ! $STEP_PROGRESS ]] || "$STEP_PROGRESS" "$1"
}

# Shows progress until killed, or until the script is gone: a live line on a terminal,
# elsewhere a line a minute
_ticker()	# WHAT LOG
{
	local start=$SECONDS sleeper=

	trap '[[ ! $sleeper ]] || kill $sleeper; exit 0' TERM
	if [[ -t 1 ]]; then
		while kill -0 $$ 2>/dev/null; do
			printf '\r\033[K%.79s' "$1 ... $((SECONDS - start)) s $(_progress "$2")"
			sleep 1
		done
		return
	fi
	while kill -0 $$ 2>/dev/null; do
		# In the background, so that the trap runs at once
		sleep 60 &
		sleeper=$!
		wait $sleeper
		note "$1 ... $((SECONDS - start)) s $(_progress "$2")"
	done
}

_end_ticker()	# PID
{
	kill "$1" 2>/dev/null || :
	wait "$1" 2>/dev/null || :
	[[ ! -t 1 ]] || printf '\r\033[K'
}

_step_failed()	# WHAT STATUS LOG
{
	{
		printf '%s: failed with status %s. The last lines of its output:\n' "$1" "$2"
		tail -n 25 "$3" | sed 's/^/    /'
		printf 'The whole output: %s\n' "$3"
	} >&2
}

# Runs a command, with its output in a log. Says what runs, how long it took, and
# why it failed. Returns the command's status.
step()		# WHAT COMMAND...
{
	local what=$1 status=0 start=$SECONDS ticker='' log name
	shift
	name=${what,,}
	name=${name//[^a-z0-9]/-}
	mkdir -p "$LOGS"
	log=$LOGS/$name.log

	[[ -t 1 ]] || note "$what ..."
	: >"$log"
	_ticker "$what" "$log" &
	ticker=$!
	# Not "|| status=$?": that would switch off errexit inside the command
	set +e
	(set -e; "$@") >"$log" 2>&1 </dev/null
	status=$?
	set -e
	_end_ticker "$ticker"
	if ((status)); then
		_step_failed "$what" "$status" "$log"
		return "$status"
	fi
	note "$what: done in $((SECONDS - start)) s"
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

hash_of()	# FILE... (one that is missing changes the hash)
{
	local file

	for file; do
		[[ -e $file ]] || printf 'missing %s\n' "$file"
	done | sha256sum
	sha256sum "$@" 2>/dev/null || :
}

# Builds hyptrace, or TARGET... of it, for this machine or the guest. One job of a check at a time
make_tool()	# host|guest [TARGET]...
{
	local out=$TOOL_OBJ/tool-$1 toolchain=()

	[[ $1 == host ]] || toolchain=(CROSS_COMPILE="${CROSS_COMPILE:-aarch64-linux-gnu-}" LDFLAGS=-static)
	mkdir -p "$out"
	flock "$out" make -j "$(nproc)" -C "$TOOL" O="$out" "${toolchain[@]}" "${@:2}"
}

# The release of which a tree is, such as 6.12.57
release_of()	# TREE
{
	sed -n -e 's/^VERSION = //p' -e 's/^PATCHLEVEL = //p' -e 's/^SUBLEVEL = //p' "$1/Makefile" |
		paste -sd .
}

# Were the patches tested with the release of which a tree is? If only 6.12 is named, with
# each 6.12.x
is_tested()	# TREE
{
	local release tested

	release=$(release_of "$1")
	for tested in $(tested_releases "$BASE"); do
		[[ $release. != "$tested".* ]] || return 0
	done
	return 1
}

# The files of the overlay, relative to the repository, without deleted and
# ignored ones
overlay_files()
{
	local file dirs=() dir

	[[ $PRISTINE == no ]] || return 0
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

SERIES=$REPO/$PATCHES/series

# Names in $SERIES, in order
series()
{
	local name

	[[ -e $SERIES && $PRISTINE == no ]] || return 0
	sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$SERIES" |
	while IFS= read -r name; do
		[[ -f $REPO/$PATCHES/$name ]] || die "$PATCHES/series names $name, which does not exist"
		printf '%s\n' "$name"
	done
}

# The text before the first hunk
patch_message()	# NAME
{
	sed -e '/^diff /,$d' -e '/^--- a\//,$d' "$REPO/$PATCHES/$1"
}

# The files that a patch edits
patch_files()	# NAME
{
	sed -n 's|^+++ b/\([^[:space:]]*\).*|\1|p' "$REPO/$PATCHES/$1"
}

# The hunks of NAME for FILE
patch_of()	# NAME FILE
{
	awk -v file="$2" '/^--- a\// { on = $2 == "a/" file } on' "$REPO/$PATCHES/$1"
}

# Applies them to COPY, which is that file
apply_patch_to()	# NAME FILE COPY
{
	patch_of "$1" "$2" | patch -s -F0 --no-backup-if-mismatch "$3" ||
		die "$PATCHES/$1 does not apply to $2"
}

# The last patch that has a file, by that file
declare -A last_of

# COMMAND NAME lists the files of a patch
find_last()	# COMMAND NAME...
{
	local command=$1 name file
	shift

	for name; do
		for file in $("$command" "$name"); do
			last_of[$file]=$name
		done
	done
}

patched_files()
{
	local name names

	names=$(series)
	for name in $names; do
		patch_files "$name"
	done | LC_ALL=C sort -u
}

# The objects of the overlay's files, and of those that patches edit
project_objects()
{
	{ overlay_files; patched_files; } |
		sed -n -E -e '/^(arch|kernel)\//!d' -e 's/(\/nvhe\/.*)\.c$/\1.nvhe.o/p' -e 's/\.c$/.o/p'
}

# The files of the base that the overlay replaces, or does without
removed_files()
{
	[[ -e $REPO/$PATCHES/removed && $PRISTINE == no ]] || return 0
	sed '/^#/d' "$REPO/$PATCHES/removed"
}

patches_hash()
{
	local name names

	names=$(series)
	for name in $names; do
		printf '%s ' "$name"
		sha256sum <"$REPO/$PATCHES/$name"
	done | sha256sum
}

# Copies the base's version of each FILE to DIRECTORY, from where the kernel source is from
copy_pristine()	# DIRECTORY FILE...
{
	local dir=$1 top
	shift

	mkdir -p "$dir"
	if [[ $SOURCE ]]; then
		(cd "$SOURCE" && cp -p --parents "$@" "$dir") || die "not in $SOURCE: one of $*"
		return
	fi
	top=$(basename "$TARBALL" .tar.xz)
	tar -x -J -f "$TARBALL" -C "$dir" --strip-components=1 --occurrence=1 "${@/#/$top/}" ||
		die "not in Debian's kernel: one of $*"
}

# Makes sure that $BUILD/pristine has the base's version of each FILE
need_pristine()	# FILE...
{
	local file missing=()

	for file; do
		[[ ! -e $BUILD/pristine/$file ]] || continue
		if [[ -f $TREE/$file && ! $TREE/$file -nt $STATE/tarball ]]; then
			mkdir -p "$(dirname "$BUILD/pristine/$file")"
			cp -p "$TREE/$file" "$BUILD/pristine/$file"
		else	# edited already
			missing+=("$file")
		fi
	done
	((${#missing[@]} == 0)) || copy_pristine "$BUILD/pristine" "${missing[@]}"
}

# Records the patched files' checksums, by which edited_files() finds later edits
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
