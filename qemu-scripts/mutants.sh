#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: mutants.sh [--check | NAME...]
#
# Tests the attack on EL2 itself: does it notice when EL2 is broken? Each patch in
# tools/testing/selftests/hyptrace/mutants, and in the folder of the base there, breaks one
# of the security invariants of Documentation/trace/hypervisor-design.rst. It is applied to
# a copy of the kernel, which is built and attacked by the rounds that the patch names. At
# least one of their tests has to fail. Before that, all have to pass on the copy without
# such a patch. What no attack in QEMU can notice is left to check/el2-code.py, if the patch
# names "code". If it names "secrets", that test program runs, with BASE=6.12 on a kernel
# that takes each VM for a protected one. If it names "functions", rounds of the kind "model"
# attack a kernel that has the tracers of EL2's functions. If it names "pages", it breaks none of these
# invariants, but what EL2 does with the owners of pages, traced or not: "hyptrace check" has
# to find that in a recording.
#
#   --check   only check that there is a patch for each invariant, and that each applies
#   NAME      only these patches, such as 5-padding
#
# The copy and what is built from it are in build/mutants; build/linux and build/kernel
# are not touched. The first build takes some minutes, each mutant less than one.
# The last lines are a table, which is also in build/mutants/report.txt. Exit status: 1
# if a mutant was missed, or could not be built.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

MUTANTS=$REPO/tools/testing/selftests/hyptrace/mutants
COPY=$BUILD/mutants/repo
COPY_BUILD=$BUILD/mutants/build
# Where the scripts of the copy put what they build
COPY_OUT=$COPY_BUILD
[[ $BASE == 6.12 ]] || COPY_OUT+=/$BASE
COPY_TREE=$COPY_OUT/linux
REPORT=$BUILD/mutants/report.txt
CALLS=40000
INVARIANTS=7

current=

# The path of a patch: those of files that differ between the bases are in a folder each
patch_file()	# NAME
{
	local common=$MUTANTS/$1.patch

	if [[ -f $common ]]; then
		echo "$common"
	else
		echo "$MUTANTS/$BASE/$1.patch"
	fi
}

# The value of a header line of a patch
field()		# NAME WORD
{
	sed -n "/^---/q; s/^$2: //p" "$(patch_file "$1")"
}

all_mutants()
{
	local file

	for file in "$MUTANTS"/*.patch "$MUTANTS/$BASE"/*.patch; do
		basename "$file" .patch
	done | LC_ALL=C sort
}

mutated_file()	# NAME
{
	sed -n 's|^+++ b/\([^[:space:]]*\).*|\1|p' "$(patch_file "$1")"
}

# --- the copy --------------------------------------------------------------

# With a new timestamp, so that make rebuilds what was built from the old content
copy_if_changed()	# SRC DST
{
	! cmp -s "$1" "$2" || return 0
	mkdir -p "$(dirname "$2")"
	cat "$1" >"$2"
	[[ ! -x $1 ]] || chmod +x "$2"
}

copied_files()
{
	overlay_files
	cd "$REPO"
	find patches qemu-scripts -type f
}

remove_others()	# LIST
{
	[[ -d $COPY ]] || return 0
	(cd "$COPY" && find . -type f -printf '%P\n') | LC_ALL=C sort |
		LC_ALL=C comm -23 - <(LC_ALL=C sort "$1") |
	while IFS= read -r file; do
		rm "$COPY/$file"
	done
}

in_copy()	# SCRIPT ARGUMENTS...
{
	local script=$1
	shift

	HYPTRACE_BUILD=$COPY_BUILD HYPTRACE_TARBALL=$TARBALL "$COPY/qemu-scripts/$script" "$@"
}

# Makes the copy, or brings it up to date. This also reverts a patch that a run has left
# applied when it was killed
make_copy()
{
	local file list=$BUILD/mutants/files

	mkdir -p "$BUILD/mutants"
	copied_files >"$list"
	remove_others "$list"
	while IFS= read -r file; do
		copy_if_changed "$REPO/$file" "$COPY/$file"
	done <"$list"
	in_copy prepare-kernel.sh --force
	for file in $(patched_files); do
		copy_if_changed "$TREE/$file" "$COPY_TREE/$file"
	done
}

# The kernel for a kind of test
build_copy()	# KIND-OR-NOTHING
{
	if [[ $1 == secrets && $BASE == 6.12 ]]; then
		in_copy build-kernel.sh --name secrets \
			--config "$COPY/qemu-scripts/config/secrets.config" Image
	elif [[ $1 == functions ]]; then
		in_copy build-kernel.sh --name functions \
			--config "$COPY/qemu-scripts/config/functions.config" Image
	else
		in_copy build-kernel.sh Image
	fi
}

# Writes into the file instead of replacing it, since it may be a link to the overlay's
apply()		# NAME
{
	local file new=$BUILD/mutants/mutated

	file=$(mutated_file "$1")
	patch -s --follow-symlinks -o "$new" "$COPY_TREE/$file" <"$(patch_file "$1")" && cat "$new" >"$COPY_TREE/$file"
}

# shellcheck disable=SC2317 # called by the EXIT trap
restore()
{
	local file

	[[ $current ]] || return 0
	file=$(mutated_file "$current")
	copy_if_changed "$TREE/$file" "$COPY_TREE/$file"
	current=
}

# --- the attack ------------------------------------------------------------

boot_copy()	# KIND-OR-NOTHING ARGUMENT-OF-BOOT...
{
	local kernel=$COPY_OUT/kernel

	[[ $1 != secrets || $BASE != 6.12 ]] || kernel+=-secrets
	[[ $1 != functions ]] || kernel+=-functions
	shift
	"$SCRIPTS/boot.sh" --mode protected --smp 4 --timeout 300 \
		--kernel "$kernel/arch/arm64/boot/Image" "$@"
}

attack()	# KIND-OR-NOTHING
{
	local rounds=$1 modules=$BUILD/obj/test_modules

	[[ $1 != functions ]] || { rounds=model; modules+=-functions; }
	boot_copy "$1" --firmware "$BUILD/obj/firmware/firmware.bin" --hole \
		--add "$BUILD/tests/hostile:/root/hostile" \
		--add "$modules/hostile.ko:/root/hostile.ko" -- \
		/root/hostile -s 1 -c 4000 -n "$CALLS" ${rounds:+-k "$rounds"} /root/hostile.ko
}

record_pages()
{
	local tests=$REPO/tools/tracing/hyptrace/tests

	boot_copy "" --add "$tests/tap.sh" --add "$tests/pages.sh" \
		--add "$BUILD/obj/test_modules/hyp_calls.ko" -- sh /root/pages.sh |
		awk '{ print } /^not ok/ { failed = 1 } END { exit failed }'
}

# The test that a mutant names; all rounds of the attack if that is nothing
run_test()	# KIND-OR-NOTHING LOG
{
	case $1 in
	code) "$SCRIPTS/check/el2-code.py" "$COPY_OUT/kernel" ;;
	pages) record_pages ;;
	secrets) boot_copy secrets --add "$BUILD/tests/secrets:/root/secrets" -- /root/secrets ;;
	*) attack "$1" ;;
	esac >"$2" 2>&1
}

# What was noticed, from the output of the test
reason()	# LOG
{
	grep -aE '^# .*error: |^# violation: |^# secrets\.c:|hyp BUG at|HYP panic|no end after|not sync|^not ok' "$1" | head -n 1 |
		sed -e 's/^[# ]*//' -e 's/^Input\/output error: //' -e 's/^ *kvm \[[0-9]*\]: //'
}

# A mutant whose kernel does not start tells nothing about the attack
judge()		# NAME
{
	local log=$BUILD/mutants/$1.log

	if run_test "$(field "$1" Test)" "$log"; then
		verdict=missed
		why="nothing noticed; see $log"
	elif ! grep -qE '^(# round|not ok) ' "$log"; then
		verdict=broken
		why="the kernel does not start; see $log"
	else
		verdict=caught
		why=$(reason "$log")
	fi
}

try_mutant()	# NAME
{
	current=$1
	if ! apply "$1" || ! step "Build the mutant $1" build_copy "$(field "$1" Test)"; then
		verdict=broken
		why="it does not apply, or does not build"
	else
		judge "$1"
	fi
	restore
	printf '%-22s %-9s %-7s %-7s %s\n' "$1" "$(field "$1" Invariant)" "$(field "$1" Test)" \
		"$verdict" "$why" >>"$REPORT"
	tail -n 1 "$REPORT"
	[[ $verdict == caught ]] || failed=$((failed + 1))
}

# --- all of them -----------------------------------------------------------

check_mutants()
{
	local name invariant

	for name in $(all_mutants); do
		patch -F0 -s -r - --follow-symlinks -o - "$TREE/$(mutated_file "$name")" <"$(patch_file "$name")" >/dev/null ||
			die "$(patch_file "$name") does not apply: adapt it to the code that it breaks"
	done
	for ((invariant = 1; invariant <= INVARIANTS; invariant++)); do
		grep -q "^Invariant: $invariant\$" "$MUTANTS"/*.patch "$MUTANTS/$BASE"/*.patch ||
			die "no mutant breaks invariant $invariant"
	done
}

# Whether a mutant needs a kind of test, where "" is the attack, by whatever rounds
is_needed()	# KIND-OR-NOTHING NAME...
{
	local kind=$1 name test

	for name in "${@:2}"; do
		test=$(field "$name" Test)
		[[ $test =~ ^(code|secrets|pages|functions)$ ]] || test=
		[[ $test != "$kind" ]] || return 0
	done
	return 1
}

check_names()	# NAME...
{
	local name

	for name; do
		[[ -f $(patch_file "$name") ]] || die "no mutant '$name'; there are: $(all_mutants | xargs)"
	done
}

case ${1-} in
-h | --help) usage; exit ;;
--check) check_mutants; exit ;;
esac
(($#)) || mapfile -t names < <(all_mutants)
(($# == 0)) || names=("$@")
check_names "${names[@]}"
check_mutants
trap restore EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
step "Build the modules and the firmware of the tests" "$SCRIPTS/build-test-modules.sh"
if is_needed functions "${names[@]}"; then
	"$SCRIPTS/build-kernel.sh" --name functions --config "$SCRIPTS/config/functions.config"
	step "Build the modules of the tests: functions" "$SCRIPTS/build-test-modules.sh" kernel-functions
fi
step "Copy the kernel" make_copy
for kind in "" code secrets pages functions; do
	is_needed "$kind" "${names[@]}" || continue
	step "Build the copy${kind:+: $kind}" build_copy "$kind"
	step "Test the copy without a mutant${kind:+: $kind}" run_test "$kind" \
		"$BUILD/mutants/none${kind:+-$kind}.log"
done

failed=0
printf '%-22s %-9s %-7s %-7s %s\n' Mutant Invariant Rounds Verdict "What was noticed" >"$REPORT"
for name in "${names[@]}"; do
	try_mutant "$name"
done
note
cat "$REPORT"
note "${#names[@]} mutants, $((${#names[@]} - failed)) caught, $failed not"
((failed == 0))
