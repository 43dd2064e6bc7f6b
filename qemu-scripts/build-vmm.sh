#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: build-vmm.sh
#
# Makes build/vmm, which "boot.sh --vm" adds to the guest's root file system: Debian's arm64
# QEMU and the libraries that it needs, from the packages that setup.sh has fetched. Nothing is
# done if it is there.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debs.sh"

out=$BUILD/vmm

build()
{
	rm -rf "$out" "$out.new"
	unpack_debs "$VMM"
	copy_with_libraries "$VMM/unpacked" usr/bin/qemu-system-aarch64 "$out.new"
	rm -rf "$VMM/unpacked"
	touch "$out.new"
	mv "$out.new" "$out"
}

case ${1-} in
'') ;;
-h | --help) usage; exit ;;
*) die "unknown argument '$1'; see --help" ;;
esac
need_command dpkg-deb aarch64-linux-gnu-readelf
[[ -d $VMM ]] || die "there is no $VMM; run 'make setup' as root"
mkdir -p "$BUILD"
exec 9>"$BUILD/.vmm.lock"
flock 9
[[ $out -nt $VMM ]] || step "Build QEMU for the guest" build
