#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: run.sh [CASE]...
#
# Runs spin on the cases of the file "cases", or on those named, and prints TAP. A
# proof has to be complete and without an error. A mutant has to violate the property
# that is named with it.
#
# Environment: O=dir for what is built, LONG=1 for the long cases as well, JOBS=n
set -euo pipefail

HERE=$(dirname "$(readlink -f "$0")")
O=${O:?where to build: set O}
LONG=${LONG:-}
JOBS=${JOBS:-2}
DEPTH=100000

[[ ${1:-} != -h && ${1:-} != --help ]] || { sed -n '3,/^set /{/^set /d; s/^# \?//; p}' "$0"; exit; }

# A case in $O/KIND-NAME: its verifier and what that said, in "out"
verify()	# DIR OPTIMIZATION DEFINITION...
{
	local dir=$1 optimization=$2
	shift 2

	rm -rf "$dir"
	mkdir -p "$dir"
	cd "$dir"
	spin -a "${@/#/-D}" "$HERE/ring.pml"
	gcc "$optimization" -w -DSAFETY -DCOLLAPSE -DVECTORSZ=512 -DMEMLIM=4000 -o verifier pan.c
	./verifier -m$DEPTH -w22 -n >out 2>&1 || :
	rm -f verifier pan.?
}

# The property that was violated, or "none"; nothing if the search was incomplete
verdict()	# OUT
{
	local out=$1

	if grep -q '^pan:1: invalid end state' "$out"; then
		echo deadlock
	elif grep -q '^pan:1: assertion violated' "$out"; then
		sed -n 's/^pan:1: assertion violated (\([a-z_]*\)||.*/\1/p' "$out"
	elif grep -q 'errors: 0$' "$out" &&
		! grep -qE 'not completed|max search depth|truncated' "$out"; then
		echo none
	fi
}

figures()	# OUT
{
	awk '/states, stored/ { states = $1 } /depth reached/ { sub(",", "", $6); depth = $6 }
		/total actual memory/ { memory = $1 }
		/elapsed time/ { time = $4 }
		END { printf "%d states, depth %d, %.0f MB, %.1f s", states, depth,
			memory, time }' "$1"
}

# Run one case; its TAP without the number goes to $O/KIND-NAME.tap
run_case()	# KIND NAME ARGUMENT...
{
	local kind=$1 name=$2 want=none got dir
	shift 2

	dir=$O/$kind-$name
	case $kind in
	proof | long) verify "$dir" -O2 "$@" ;;
	seek) want=sought; verify "$dir" -O1 ONLY=sought "$@" ;;
	mutant) want=$1; verify "$dir" -O1 ONLY="$1" "${@:2}" ;;
	esac
	got=$(verdict "$dir/out")
	{
		echo "# $kind $name: $(figures "$dir/out")"
		if [[ $got == "$want" ]]; then
			echo "ok - $kind $name"
		else
			echo "# wanted: $want, found: ${got:-no end} (see $dir/out)"
			echo "not ok - $kind $name"
		fi
	} >"$dir.tap"
}

chosen()	# KIND NAME CASES...
{
	local kind=$1 name=$2
	shift 2

	(($#)) || { [[ $kind != long || $LONG ]]; return; }
	[[ " $* " == *" $name "* ]]
}

mkdir -p "$O"
cases=()
while read -r -a fields; do
	[[ ${fields[0]:-#} != '#'* ]] || continue
	! chosen "${fields[0]}" "${fields[1]}" "$@" || cases+=("${fields[*]}")
done <"$HERE/cases"
((${#cases[@]})) || { echo "no case '$*'; see $HERE/cases" >&2; exit 1; }

echo "TAP version 13"
echo "1..${#cases[@]}"
pass=0
fail=0
running=0
for fields in "${cases[@]}"; do
	read -r -a fields <<<"$fields"
	rm -f "$O/${fields[0]}-${fields[1]}.tap"
	((running++ < JOBS)) || wait -n || :
	run_case "${fields[@]}" &
done
wait
for fields in "${cases[@]}"; do
	read -r kind name _ <<<"$fields"
	tap=$O/$kind-$name.tap
	[[ -e $tap ]] || echo "not ok - $kind $name: it could not be built" >"$tap"
	if grep -q '^ok ' "$tap"; then pass=$((pass + 1)); else fail=$((fail + 1)); fi
	sed -E "s/^((not )?ok) -/\1 $((pass + fail))/" "$tap"
done
echo "# Totals: pass:$pass fail:$fail xfail:0 xpass:0 skip:0 error:0"
((!fail))
