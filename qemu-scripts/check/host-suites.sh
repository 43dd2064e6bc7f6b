# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Part of check.sh: suites that run without a guest.

WRITER=$REPO/tools/testing/selftests/hyptrace/writer
MODEL=$REPO/tools/testing/selftests/hyptrace/model

# The quick form has each sanitizer, each compiler, and a mutant for each way in which the
# tests find one
suite_writer()
{
	local variants=() mutants='' images=100000

	if [[ $all == no ]]; then
		variants=(VARIANTS="gcc-asan clang-tsan gcc-sched")
		mutants='commit-plain commit-no-barrier no-retry image-stale-ignored'
		images=3000
	fi
	job writer env IMAGES=$images make -C "$WRITER" check "${variants[@]}" O="$BUILD/obj/writer" KERNEL="$TREE"
	job "writer, mutants" make -C "$WRITER" mutants MUTANTS="$mutants" \
		O="$BUILD/obj/writer-mutants" KERNEL="$TREE"
}

# The quick form has some cases of each kind; they, and all of the axioms, take seconds
suite_model()
{
	local cases=''

	[[ $all == yes ]] || cases="switches resets hostile-owner writer-loses-exchange \
event-dropped A-commit-plain D-no-barrier-at-commit no-retry"
	job model make -C "$MODEL" spin CASES="$cases" O="$BUILD/obj/model"
	job "model, axioms" make -C "$MODEL" axioms KERNEL="$TREE"
}

lint()		# CHECK...
{
	"$SCRIPTS/lint.sh" "$@"
	echo "ok 1 lint: $*"
}

mutants_apply()
{
	"$SCRIPTS/mutants.sh" --check
	echo "ok 1 the mutants apply"
}

code_of_el2()
{
	"$SCRIPTS/build-kernel.sh"
	"$SCRIPTS/check/el2-code.py" "$BUILD/kernel"
}

suite_lint()
{
	local recent=(--recent)

	[[ $all == no ]] || recent=()
	job "lint, compile" lint compile
	job "lint, checkpatch" lint "${recent[@]}" checkpatch
	job "lint, documents" lint kerneldoc documents
	job "lint, text" lint text scripts history
	job "lint, mutants" mutants_apply
	job "lint, EL2's code" code_of_el2
}
