# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Debian packages that are unpacked, never installed, and programs of arm64 that are taken out of
# them with their libraries. Source it after common.sh.

# Downloads packages to a directory. As root: apt's own user may have no access to it
download_debs()	# DIRECTORY PACKAGE...
{
	mkdir -p "$1"
	cd "$1" || return
	apt-get -q -o APT::Sandbox::User=root -o Acquire::Retries=3 download "${@:2}"
}

# Unpacks the packages in a directory to DIRECTORY/unpacked
unpack_debs()	# DIRECTORY
{
	local deb

	[[ ! $1/unpacked -nt $1 ]] || return 0
	rm -rf "$1/unpacked" "$1/new"
	mkdir -p "$1/new"
	for deb in "$1"/*.deb; do
		dpkg-deb -x "$deb" "$1/new"
	done
	mv "$1/new" "$1/unpacked"
	touch "$1/unpacked"
}

_libraries_of()	# FILE
{
	aarch64-linux-gnu-readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# Copies a program or library of unpacked packages to the same place in a root directory, with
# the libraries that it needs
copy_with_libraries()	# UNPACKED PATH ROOT
{
	local library found

	[[ ! -e $3/$2 ]] || return 0
	mkdir -p "$3/$(dirname "$2")"
	cp -L "$1/$2" "$3/$2"
	for library in $(_libraries_of "$3/$2"); do
		found=$(cd "$1" && find lib usr/lib -maxdepth 2 -name "$library" | sort | head -n 1)
		[[ $found ]] || die "$2 needs $library, which is in no package that was fetched"
		copy_with_libraries "$1" "$found" "$3"
	done
}
