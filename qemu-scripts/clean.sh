#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: clean.sh [--force]
#
# Removes what was built, but not downloaded packages. Stops if build/linux has
# edits that are in no patch, unless given --force.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

case ${1-} in
'' | --force) ;;
-h | --help) usage; exit ;;
*) die "unknown argument '$1'; see --help" ;;
esac
if [[ ${1-} != --force ]]; then
	edited=$(edited_files | xargs)
	[[ -z $edited ]] ||
		die "build/linux has edits that are in no patch (refresh-patches.sh saves them, clean.sh --force drops them): $edited"
fi
# Each by its name, as HYPTRACE_BUILD may be a directory that has other files
rm -rf "$TREE" "$TREE.new" "$BUILD/pristine" "$STATE" "$LOGS" \
	"$BUILD/guest" "$BUILD/host" "$BUILD/obj" "$BUILD/kernel" "$BUILD"/kernel-* \
	"$BUILD"/{docs,lint,mutants,peer,peer.tsv,series,series.tmp,check,run,tests,vmm} \
	"$BUILD/initramfs.cpio.gz" "$BUILD"/.*.lock
