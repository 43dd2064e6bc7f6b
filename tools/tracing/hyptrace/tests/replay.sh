#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: replay.sh DIRECTORY-OF-FUZZERS
#
# Runs each input of the corpus, and of the seeds, once. TAP. See FUZZING.rst.
bin=${1:?see the head of this script}
here=$(dirname "$0")
work=$(mktemp -d)
nr=0
status=0

trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$here/seeds.py" "$work" || exit 1
echo "TAP version 13"
for target in pages files formats; do
	nr=$((nr + 1))
	set -- "$here/corpus/$target"/*.bin "$work/$target"/*.bin
	if "$bin/fuzz_$target" -timeout=20 -rss_limit_mb=512 -malloc_limit_mb=64 \
		-artifact_prefix="$work/" "$@" >"$work/log" 2>&1; then
		echo "ok $nr $target: $# inputs"
	else
		grep -e '^Running: ' -e ERROR -e SUMMARY -e 'runtime error' "$work/log" |
			tail -n 4 | sed 's/^/# /'
		echo "not ok $nr $target"
		status=1
	fi
done
echo "1..$nr"
exit $status
