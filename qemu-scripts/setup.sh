#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: setup.sh [--list] [--run]
#
# Installs, as root on Debian 12, everything that hyptrace needs to be built,
# tested and run, and fetches the guest's arm64 packages into build/debs. After
# that no script needs the network. Does nothing if all is there already. With
# BASE=mainline, also fetches a source of the mainline kernel into build/debs/mainline, from
# Debian's unstable, backports of the stable release, or experimental; the machine's own package
# lists stay as they are. It is the newest version of the release with which patches/mainline
# were tested, or if there is none any more, the newest release; MAINLINE=7.N asks for another.
#
#   --list     only print the packages that it would install
#   --run      only what "make run" needs; with GUEST=linux, also a QEMU for the guest
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debs.sh"

# The only list of packages that a base system lacks: those that "make run" needs, and the
# others
packages=(
	# the kernel: source, compilers, what its build calls
	linux-source-6.12 make gcc libc6-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	bc bison flex libssl-dev libelf-dev cpio rsync xz-utils patch perl python3
	git
	# the guest
	qemu-system-arm gzip
	# user-space tools, for the guest and for the build machine
	pkg-config libtraceevent-dev:arm64 libtraceevent-dev
	libzstd-dev:arm64 libzstd-dev zlib1g-dev:arm64 zlib1g-dev
	libsqlite3-dev:arm64 libsqlite3-dev
	# D3, with which the HTML page of hyptrace draws
	node-d3
)
more_packages=(
	# checks: a test program that uses it
	libtracefs-dev:arm64 libtracefs-dev
	# checks: sanitizers for unit tests, static analysis
	clang llvm libclang-rt-14-dev sparse shellcheck python3-sphinx
	# checks: other compilers and architectures
	lld gcc-arm-linux-gnueabihf gcc-s390x-linux-gnu
	# manual pages
	python3-docutils
	# checks: verify the model of the ring buffer protocol, and its barriers
	spin z3
	# checks: decodes what hyptrace exports
	protobuf-compiler
	# checks: opens the page that hyptrace exports, and takes a screenshot
	chromium fonts-dejavu-core
	# checks: other readers of recordings, and what KernelShark's library is linked to
	trace-cmd libtracecmd1 libjson-c5
	# checks: talks to the server of the database for which hyptrace exports rows
	clickhouse-client
)

# The packages that are not installed. "libfoo" is that of this machine's architecture
missing()
{
	local arch installed package

	arch=$(dpkg --print-architecture)
	installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}:${Architecture}\n' |
		sed -n 's/^.i  *//p')
	for package in "${packages[@]}"; do
		case $package in
		*:*) ;;
		*) package=$package:$arch ;;
		esac
		grep -qxF -e "$package" -e "${package%:*}:all" <<<"$installed" || printf '%s\n' "$package"
	done
}

check_system()
{
	local id='' VERSION_ID=''

	command -v apt-get >/dev/null || die "this needs Debian 12: there is no apt-get here"
	id=$(. /etc/os-release && printf '%s %s' "$ID" "${VERSION_ID-}")
	[[ $id == 'debian 12' ]] ||
		printf 'warning: made for Debian 12, this is %s; some packages may not exist\n' "$id" >&2
	((EUID == 0)) || die "packages are missing; run as root to install: $(missing | xargs)"
}

update()
{
	apt-get -q -o Acquire::Retries=3 update
}

# "apt-get update" returns 0 even if some of the sources failed
update_lists()
{
	local log=$LOGS/update-package-lists.log

	step "Update package lists" update || :
	! grep -E '^(W|E|Err)' "$log" >/dev/null || {
		printf 'warning: apt-get update failed in part; continuing with the lists that there are:\n'
		grep -E '^(W|E|Err)' "$log" | head -n 6 | sed 's/^/    /'
	} >&2
}

install_packages()
{
	local lacking

	mapfile -t lacking < <(missing)
	export DEBIAN_FRONTEND=noninteractive
	step "Install ${#lacking[@]} packages" \
		apt-get -q -y -o Acquire::Retries=3 install --no-install-recommends "${lacking[@]}" ||
		die "could not install: ${lacking[*]}"
}

# The directory is replaced once it is whole
replace_debs()	# DIRECTORY PACKAGE...
{
	rm -rf "$1.new"
	(download_debs "$1.new" "${@:2}")
	rm -rf "$1"
	mv "$1.new" "$1"
}

has_native()
{
	local package

	for package in "${NATIVE_PACKAGES[@]}"; do
		compgen -G "$NATIVE/${package}_*.deb" >/dev/null || return 1
	done
	[[ $NATIVE/unpacked -nt $NATIVE ]]
}

fetch_native()
{
	replace_debs "$NATIVE" "${NATIVE_PACKAGES[@]}"
	unpack_debs "$NATIVE"
}

# With package lists and a cache of its own
apt_of_mainline()	# COMMAND...
{
	APT_CONFIG=$DEBS/mainline/apt/apt.conf "$@"
}

write_sources()	# SUITE...
{
	# shellcheck disable=SC2016 # apt-get expands it
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security |
		head -n 1 | while IFS= read -r mirror; do
		printf "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror %s main\n" "$@"
	done >"$DEBS/mainline/apt/sources.list"
}

# By its codename: on mirrors, an alias such as "stable-backports" may be weeks old
backports_suite()
{
	write_sources stable
	apt_of_mainline apt-get -q -o Acquire::IndexTargets::deb::Packages::DefaultEnabled=false update >&2
	sed -n 's/^Codename: \(.*\)/\1-backports/p' "$DEBS"/mainline/apt/lists/*Release | head -n 1
}

prepare_apt()
{
	local dir=$DEBS/mainline/apt suite

	rm -rf "$dir"
	mkdir -p "$dir"/{lists,cache/archives}/partial
	cat >"$dir/apt.conf" <<-END
		Dir::State::lists "$dir/lists";
		Dir::Cache "$dir/cache";
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		APT::Sandbox::User "root";
		APT::Architectures "$(dpkg --print-architecture)";
		Acquire::Languages "none";
		Acquire::Retries "3";
	END
	suite=$(backports_suite)
	# shellcheck disable=SC2086 # it may be empty
	write_sources sid experimental $suite
	apt_of_mainline apt-get -q update
}

# PACKAGE VERSION SUITE, from the oldest to the newest
mainline_packages()
{
	apt_of_mainline apt-cache pkgnames linux-source- |
		grep -xE 'linux-source-([7-9]|[1-9][0-9])\.[0-9]+' |
		APT_CONFIG=$DEBS/mainline/apt/apt.conf xargs -r apt-cache madison |
		awk -F ' *[|] *' '{ sub(/^ */, "", $1); split($3, source, " "); print $1, $2, source[2] }' |
		sort -V -k 2,2 -u
}

download_mainline()
{
	local all wanted package version suite

	prepare_apt
	all=$(mainline_packages)
	wanted=$(mainline_release)
	read -r package version suite < <(grep -F "linux-source-$wanted " <<<"$all" | tail -n 1) ||
		[[ $MAINLINE ]] || read -r package version suite < <(tail -n 1 <<<"$all") || :
	[[ $package ]] ||
		die "Debian has no linux-source-$wanted now, but: $(cut -d ' ' -f 1 <<<"$all" | sort -uV | xargs)"
	cd "$DEBS/mainline/apt"
	apt_of_mainline apt-get -q download "$package=$version"
	dpkg-deb --fsys-tarfile "$package"_*.deb | tar -x ./usr/src/"$package.tar.xz"
	mv "usr/src/$package.tar.xz" "$DEBS/mainline"
	rm -rf "$DEBS/mainline/apt"
	note "taken: $package $version ($suite); the newest: $(tail -n 1 <<<"$all")"
}

fetch_mainline()
{
	[[ $MAINLINE =~ ^([1-9][0-9]*\.[0-9]+)?$ ]] || die "MAINLINE='$MAINLINE': a release, such as 7.3"
	step "Fetch the source of the mainline kernel" download_mainline
	tail -n 1 "$LOGS/fetch-the-source-of-the-mainline-kernel.log"
}

list=no
run=no
while (($#)); do
	case $1 in
	--list) list=yes ;;
	--run) run=yes ;;
	-h | --help) usage; exit ;;
	*) die "unknown argument '$1'; see --help" ;;
	esac
	shift
done
[[ $run == yes ]] || packages+=("${more_packages[@]}")
if [[ $list == yes ]]; then
	printf '%s\n' "${packages[@]}"
	exit
fi
command -v dpkg-query >/dev/null || die "this needs Debian 12: there is no dpkg here"
if [[ $(missing) ]]; then
	check_system
	dpkg --add-architecture arm64
	update_lists
	install_packages
fi
"$SCRIPTS/build-initramfs.sh" --fetch
[[ ($run == yes && ${GUEST-} != linux) || -e $VMM ]] ||
	step "Fetch QEMU for the guest" replace_debs "$VMM" "${VMM_PACKAGES[@]/%/:arm64}"
[[ $run == yes ]] || has_native ||
	step "Fetch packages that are not installed" fetch_native
[[ $BASE != mainline || $SOURCE || -e $TARBALL ]] || fetch_mainline
note "All packages are there"
