#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: untested.sh COMMAND [ARGUMENT]...
#
# Runs a command that prepares, builds or tests the kernel. With a release with which the
# patches were not tested, nothing is known of what should happen: its output is printed as
# comments, and if it fails, that is a skipped test, which says what failed. Prints TAP.
#
# Environment: BASE, SOURCE, as of prepare-kernel.sh
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

# The first of these that there is: the hunks that do not apply, what the compiler says, a
# test that failed, the last line
reason()	# OUTPUT
{
	local log

	log=$(sed -n 's/^The whole output: //p' "$1" | head -n 1)
	{
		sed -n -e 's/^prepare-kernel\.sh: \(.* does not apply\) to .*/\1:/p' \
			-e 's/^    \(.*\): Hunk \(#.*\) FAILED.*/\1 \2,/p' "$1" | xargs | sed 's/,$//'
		sed -n 's|^tar: [^/]*/\(.*\): Not found in archive|there is no \1|p' "$1" | head -n 1
		grep -hE -m 1 '(error|undefined reference|undefined symbol): ' ${log:+"$log"} /dev/null || :
		grep -E -m 1 '^not ok ' "$1" || :
		tail -n 1 "$1"
	} | grep -m 1 .
}

# An end by a signal is passed on: nothing failed then
run_untested()	# COMMAND...
{
	local status what said=$STATE/untested.log

	what="Linux $(release_of "$TREE"); the patches were tested with $(tested_releases "$BASE" | xargs)"
	set +e
	"$@" </dev/null 2>&1 | tee "$said" | sed -u 's/^/# /'
	status=${PIPESTATUS[0]}
	set -e
	((status < 128)) || exit "$status"
	if ((status == 0)) && ! grep -q '^not ok ' "$said"; then
		echo "ok 1 $what"
	else
		echo "ok 1 $what # SKIP $(reason "$said")"
	fi
}

case ${1:-} in
-h | --help) usage; exit ;;
'') die "which command? See --help" ;;
esac
# Makes the tree, unless that fails: then the command says why
"$SCRIPTS/prepare-kernel.sh" >/dev/null 2>&1 || :
if [[ ! -e $TREE/Makefile ]] || is_tested "$TREE"; then
	"$@"
else
	run_untested "$@"
fi
