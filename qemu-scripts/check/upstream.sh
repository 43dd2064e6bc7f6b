#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: upstream.sh [--quick | --pristine]
#
# Runs the kernel's own tests of ftrace and of the mapped ring buffer in a guest, and
# compares each result with that of the kernel without the patches. These results are
# in upstream-expected-BASE.txt: a line for each test, with result and name. Some tests fail
# or are skipped there, too, because an option or a program is missing.
#
#   --quick      run only ftrace's basic tests, those of instances, and those of mmap
#   --pristine   build the kernel without the patches, in build/upstream and without
#                the options that they add, and write upstream-expected-BASE.txt from it
#
# Exit status: 0 if all results are as expected.
#
# Environment: BASE=6.12|mainline (6.12)
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

SELFTESTS=$TREE/tools/testing/selftests
EXPECTED=$SCRIPTS/check/upstream-expected-$BASE.txt
UPSTREAM=$BUILD/upstream
OUR_OPTIONS='NVHE_EL2_TRACING|TRACE_REMOTE_TEST'

upstream_make()
{
	unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
	make -C "$UPSTREAM/linux" O="$UPSTREAM/kernel" ARCH=arm64 \
		CROSS_COMPILE=aarch64-linux-gnu- -j "$(nproc)" "$@"
}

build_upstream()
{
	mkdir -p "$UPSTREAM/kernel"
	if [[ ! -d $UPSTREAM/linux ]]; then
		mkdir -p "$UPSTREAM/new"
		xz -T0 -dc "$TARBALL" | tar -x -C "$UPSTREAM/new" --strip-components=1
		mv "$UPSTREAM/new" "$UPSTREAM/linux"
	fi
	cat "$SCRIPTS/config/kernel.config" >"$UPSTREAM/options"
	[[ $BASE == 6.12 ]] || cat "$SCRIPTS/config/$BASE.config" >>"$UPSTREAM/options"
	grep -vE "^CONFIG_($OUR_OPTIONS)=" "$UPSTREAM/options" >"$UPSTREAM/fragment"
	upstream_make tinyconfig
	(cd "$UPSTREAM/linux" && scripts/kconfig/merge_config.sh -m -O "$UPSTREAM/kernel" \
		"$UPSTREAM/kernel/.config" "$UPSTREAM/fragment")
	upstream_make olddefconfig
	upstream_make Image
}

# With the header of the kernel without the patches, as existing programs are built
build_map_test()	# FILE
{
	need_pristine include/uapi/linux/trace_mmap.h
	aarch64-linux-gnu-gcc -static -O2 -D_GNU_SOURCE -o "$1" -I"$BUILD/pristine/include/uapi" \
		-I"$SELFTESTS" "$SELFTESTS/ring-buffer/map_test.c"
}

# TAP => "pass name" and so on; a run that ended early adds a line that says so
results()	# LOG
{
	local plan count

	sed -nE -e 's/^not ok [0-9]+ (.*) # UNRESOLVED.*/unresolved \1/p; t' \
		-e 's/^not ok [0-9]+ /fail /p; t' \
		-e 's/^ok [0-9]+ (.*) # SKIP.*/skip \1/p; t' \
		-e 's/^ok [0-9]+ /pass /p' "$1" >"$tmp/results"
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$1" | head -n 1)
	count=$(wc -l <"$tmp/results")
	((count >= ${plan:-1})) || echo "end after $count of ${plan:-?} tests"
	cat "$tmp/results"
}

all_dirs()
{
	find "$SELFTESTS/ftrace/test.d" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' |
		grep -vx remotes | sort | xargs
}

run_all()	# BUILD-OF-KERNEL
{
	# Status 1 says that some tests fail, which is expected
	# shellcheck disable=SC2086 # a list of words
	"$SCRIPTS/check/ftracetest.sh" --build "$1" --smp 4 -- $chosen >"$tmp/ftrace.log" 2>&1 || :
	build_map_test "$tmp/map_test"
	"$SCRIPTS/boot.sh" --kernel "$1/arch/arm64/boot/Image" --smp 4 \
		--add "$tmp/map_test" -- /root/map_test >"$tmp/map.log" 2>&1 || :
	results "$tmp/ftrace.log" | sed 's/ /	ftrace: /'
	results "$tmp/map.log" | sed 's/ /	ring-buffer: /'
}

compare()
{
	local passes

	if [[ ! -e $EXPECTED ]]; then
		echo "ok 1 tests of the kernel # SKIP no results without patches; --pristine makes them"
		return 0
	fi
	run_all "$BUILD/kernel" >"$tmp/now"
	passes=$(grep -c '^pass' "$tmp/now" || :)
	cut -f 2 "$tmp/now" >"$tmp/names"
	grep -v '^#' "$EXPECTED" >"$tmp/expected"
	if [[ $chosen != "$(all_dirs)" ]]; then
		grep -xF -f <(sed 's/.*/pass\t&\nfail\t&\nskip\t&\nunresolved\t&/' "$tmp/names") \
			"$tmp/expected" >"$tmp/some"
		mv "$tmp/some" "$tmp/expected"
	fi
	if diff -U 0 "$tmp/expected" "$tmp/now" >"$tmp/diff"; then
		echo "ok 1 $(wc -l <"$tmp/now") tests of the kernel, $passes of them pass: as without patches"
		return 0
	fi
	cat "$tmp/ftrace.log" "$tmp/map.log" | sed 's/^\(not \)\?ok/# &/'
	echo "# expected (-) and found (+):"
	sed '1,2d; s/^/# /' "$tmp/diff"
	echo "not ok 1 tests of the kernel give other results than without patches"
	return 1
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
chosen=$(all_dirs)
case ${1-} in
'') compare ;;
--quick)
	chosen='00basic instances'
	compare
	;;
-h | --help) usage ;;
--pristine)
	step "Build the kernel without patches" build_upstream
	run_all "$UPSTREAM/kernel" >"$tmp/now"
	{
		echo "# SPDX-License-Identifier: GPL-2.0"
		echo "# The results without the patches; written by upstream.sh --pristine"
		cat "$tmp/now"
	} | write_if_changed "$EXPECTED"
	;;
*) die "unknown argument '$1'; see --help" ;;
esac
