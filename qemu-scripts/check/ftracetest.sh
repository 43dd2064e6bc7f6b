#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: ftracetest.sh [--build DIR] [--mainline] [OPTION-OF-BOOT]... [-- TEST...]
#
# Runs the kernel's ftracetest in a guest that has the module remote_test, and
# prints its TAP output. A TEST is a file or folder below test.d, by default
# "remotes". The log of a failed test is printed before its result.
#
#   --build DIR      use the kernel and module of this build (default build/kernel)
#   --mainline       run the tests of remotes that the mainline kernel has, unmodified. Its
#                    source has to be there (BASE=mainline setup.sh fetches it)
#   OPTION-OF-BOOT   see boot.sh, e.g. --mode hvhe --smp 4
#
# Exit status: 0 if all tests passed or were skipped, and the kernel's log has
# no warning; else 1, or the status of boot.sh.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

selftests=tools/testing/selftests/ftrace
kernel=$BUILD/kernel
remotes=$REPO/$selftests/test.d/remotes
options=()
tests=()

extract_mainline()
{
	local top out=$BUILD/mainline-tests

	[[ ! -e $out ]] || return 0
	[[ -e $MAINLINE_TARBALL ]] || die "$MAINLINE_TARBALL is missing; run 'make setup BASE=mainline' as root"
	top=$(basename "$MAINLINE_TARBALL" .tar.xz)
	mkdir -p "$out.new"
	xz -T0 -dc "$MAINLINE_TARBALL" | tar -x -C "$out.new" --strip-components=1 \
		"$top/$selftests/test.d/remotes"
	mv "$out.new" "$out"
}

parse_arguments()
{
	while (($#)); do
		case $1 in
		-h | --help) usage; exit ;;
		--) shift; tests=("$@"); break ;;
		--build)
			need_value "$1" $#
			kernel=$(realpath "$2")
			shift 2
			;;
		--mainline)
			extract_mainline
			remotes=$BUILD/mainline-tests/$selftests/test.d/remotes
			# They expect the module to be there
			guest_command="modprobe remote_test; $guest_command"
			shift
			;;
		--icount) options+=("$1"); shift ;;
		--*) need_value "$1" $#; options+=("$1" "$2"); shift 2 ;;
		*) die "unknown argument '$1'; see --help" ;;
		esac
	done
	((${#tests[@]})) || tests=(remotes)
}

# Copies the tests, without symbolic links, and puts the module where modprobe finds it
stage()		# ROOT
{
	local release module=$kernel/kernel/trace/remote_test.ko

	cp -rL "$TREE/$selftests" "$1/ftrace"
	rm -rf "$1/ftrace/test.d/remotes"
	cp -r "$remotes" "$1/ftrace/test.d/remotes"
	mkdir "$1/modules"
	[[ -f $module ]] || { note "# there is no module remote_test"; return 0; }
	cp "$module" "$1/modules/"
	echo "remote_test.ko:" >"$1/modules/modules.dep"
	release=$(<"$kernel/include/config/kernel.release")
	options+=(--add "$1/modules:/lib/modules/$release")
}

# Runs in the guest. Warnings in the kernel's log are failures, as in all other tests, but
# for one of the base kernel's scheduler about a CPU that goes off
# shellcheck disable=SC2016 # expanded in the guest
guest_command='
	cd /root/ftrace || exit 1
	./ftracetest -K -v --fail-unresolved --logdir /tmp/logs "$@"
	status=$?
	if dmesg | grep -v "WARNING: .* sched_cpu_dying+" |
			grep -E "WARNING:|BUG:|Oops|nVHE hyp (panic|BUG)" >/tmp/warnings; then
		dmesg | tail -n 60 | sed "s/^/# /"
		sed "s/^/# /" /tmp/warnings
		echo "not ok 0 the kernel log has warnings"
		status=1
	fi
	exit $status'

parse_arguments "$@"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
stage "$tmp"
"$SCRIPTS/boot.sh" --kernel "$kernel/arch/arm64/boot/Image" --timeout 1800 "${options[@]}" \
	--add "$tmp/ftrace:/root/ftrace" \
	-- sh -c "$guest_command" sh "${tests[@]/#/test.d/}"
