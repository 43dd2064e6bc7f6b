#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: build-initramfs.sh [--fetch]
#
# Makes build/initramfs.cpio.gz, the guest's root file system: busybox,
# trace-cmd and its libraries (from Debian's arm64 packages), qemu-scripts/guest/init,
# results.sh for the tests, and every program in build/guest/, which goes to /usr/bin. The
# same inputs give the same bytes; nothing is done if they have not changed.
#
#   --fetch   only download the Debian packages into build/debs
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debs.sh"

image=$BUILD/initramfs.cpio.gz
stamp=$STATE/initramfs

missing_packages()
{
	local package

	for package in "${GUEST_PACKAGES[@]}"; do
		compgen -G "$DEBS/${package}_*_arm64.deb" >/dev/null || printf '%s:arm64\n' "$package"
	done
}

fetch()
{
	local missing

	missing=$(missing_packages)
	[[ $missing ]] || return 0
	[[ $(dpkg --print-foreign-architectures) == *arm64* || $(dpkg --print-architecture) == arm64 ]] ||
		die "apt does not know arm64 packages yet; run 'make setup' as root"
	# shellcheck disable=SC2086 # a list of words
	step "Fetch arm64 packages" download_debs "$DEBS" $missing
}

guest_programs()
{
	find "$BUILD/guest" -mindepth 1 -maxdepth 1 -type f -executable -print 2>/dev/null | LC_ALL=C sort
}

# Our programs must be static, as the guest has hardly any libraries
check_program()	# FILE
{
	aarch64-linux-gnu-readelf -h "$1" 2>/dev/null | grep >/dev/null 'Machine:.*AArch64' || {
		[[ $(head -c 2 "$1") == '#!' ]] || die "$1 is neither an arm64 program nor a script"
		return 0
	}
	! aarch64-linux-gnu-readelf -l "$1" | grep INTERP >/dev/null ||
		die "$1 is not statically linked: the guest does not have its libraries"
}

fill()		# ROOT
{
	local program

	mkdir -p "$1"/{bin,sbin,dev,lib,out,proc,root,sys,tmp,usr/bin,usr/sbin,usr/lib}
	chmod 1777 "$1/tmp"
	install -m 755 "$SCRIPTS/guest/init" "$1/init"
	install -m 644 "$SCRIPTS/guest/results.sh" "$1/lib/"
	install -m 755 "$DEBS/unpacked/bin/busybox" "$1/bin/busybox"
	ln -s busybox "$1/bin/sh"	# init makes the links to all the others
	copy_with_libraries "$DEBS/unpacked" usr/bin/trace-cmd "$1"
	copy_with_libraries "$DEBS/unpacked" lib/ld-linux-aarch64.so.1 "$1"
	for program in $(guest_programs); do
		check_program "$program"
		install -m 755 "$program" "$1/usr/bin/"
	done
}

pack()		# ROOT
{
	local size

	find "$1" -exec touch -h -d @0 {} +
	(cd "$1" && find . -mindepth 1 | LC_ALL=C sort |
		cpio --quiet --reproducible -o -H newc -R 0:0) | gzip -n -6 >"$image.new"
	# The kernel finds an archive that follows this one at a multiple of 4 bytes only
	size=$(stat -c %s "$image.new")
	truncate -s $(((size + 511) / 512 * 512)) "$image.new"
	mv "$image.new" "$image"
}

build()
{
	local root

	root=$(mktemp -d)
	# shellcheck disable=SC2064 # now, not then
	trap "rm -rf '$root'" EXIT
	chmod 755 "$root"
	unpack_debs "$DEBS"
	fill "$root"
	pack "$root"
}

inputs()
{
	find "$DEBS" -maxdepth 1 -name '*.deb' -printf '%f\n' | LC_ALL=C sort
	mapfile -t programs < <(guest_programs)
	hash_of "$SCRIPTS/build-initramfs.sh" "$SCRIPTS"/guest/{init,results.sh} \
		"${programs[@]}"
}

case ${1-} in
'' | --fetch) ;;
-h | --help) usage; exit ;;
*) die "unknown argument '$1'; see --help" ;;
esac
need_command apt-get dpkg-deb
fetch
[[ ${1-} != --fetch ]] || exit 0
need_command cpio gzip aarch64-linux-gnu-readelf
mkdir -p "$STATE"
exec 9>"$BUILD/.initramfs.lock"
flock 9
now=$(inputs)
[[ ! -e $image || ! -e $stamp || $(<"$stamp") != "$now" ]] || exit 0
step "Build the initramfs" build
printf '%s\n' "$now" >"$stamp"
