#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: mutants.sh [NAME]...
#
# Plants each bug of the file "mutants", or those named, in a copy of the writer, builds
# the tests with it and runs the test that has to find it. Prints TAP; a mutant that is
# not found fails.
#
# Environment: O=dir for what is built, CC=compiler of which the Makefile knows
set -euo pipefail

HERE=$(dirname "$(readlink -f "$0")")
ROOT=$(readlink -f "$HERE/../../../../..")
O=${O:?where to build: set O}/mutants
CC=${CC:-gcc}

[[ ${1:-} != -h && ${1:-} != --help ]] || { sed -n '3,/^set /{/^set /d; s/^# \?//; p}' "$0"; exit; }

# Put the writer, its header or the image, with the bug into DIR
mutate()	# DIR FILE SCRIPT
{
	local dir=$1 file=$2 script=$3 source=$ROOT/kernel/trace/ring_buffer_writer.c copy

	rm -rf "$dir"
	mkdir -p "$dir/include/linux"
	cp "$source" "$dir/writer.c"
	cp "$ROOT/kernel/trace/ring_buffer_image.c" "$dir/image.c"
	copy=$dir/writer.c
	case $file in
	h)
		source=$ROOT/include/linux/ring_buffer_writer.h
		copy=$dir/include/linux/ring_buffer_writer.h
		;;
	i)
		source=$ROOT/kernel/trace/ring_buffer_image.c
		copy=$dir/image.c
		;;
	esac
	sed "$script" "$source" >"$copy"
	! cmp -s "$source" "$copy" || { echo "# the script changes nothing: $script"; return 1; }
}

# The test has to run, and to fail
finds()	# DIR KIND TEST
{
	local dir=$1 kind=$2 test=$3
	local -a plain=()

	[[ $kind != plain ]] || { kind=asan; plain=(asan=); }
	make -s -C "$HERE" O="$dir" VARIANTS="$CC-$kind" CFLAGS="-O1 -g" "${plain[@]}" \
		WRITER="$dir/writer.c" IMAGE="$dir/image.c" FIRST_INCLUDE="-I$dir/include" \
		all >"$dir/build" 2>&1 ||
		{ sed 's/^/# /' "$dir/build"; return 1; }
	TSAN_OPTIONS=halt_on_error=1 "$dir/$CC-$kind" "$test" >"$dir/log" 2>&1 || :
	grep -q "^not ok .* $test\$" "$dir/log"
}

chosen=" $* "
pass=0
fail=0
echo "TAP version 13"
while IFS='|' read -r name file kind test script; do
	name=${name// /}
	[[ $name && $name != '#'* && $script ]] || continue
	[[ $chosen == '  ' || $chosen == *" $name "* ]] || continue
	test=${test# }
	if mutate "$O/$name" "${file// /}" "${script# }" &&
		finds "$O/$name" "${kind// /}" "${test% }"; then
		pass=$((pass + 1))
		echo "ok $((pass + fail)) mutant $name"
	else
		fail=$((fail + 1))
		echo "not ok $((pass + fail)) mutant $name: '${test% }' does not find it"
	fi
done <"$HERE/mutants"
echo "1..$((pass + fail))"
echo "# Totals: pass:$pass fail:$fail xfail:0 xpass:0 skip:0 error:0"
((pass && !fail))
