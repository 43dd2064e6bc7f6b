#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: build-kernel.sh [--config FRAGMENT]... [--name NAME] [MAKE-WORD...]
#
# Builds the guest kernel and its modules in build/kernel: tinyconfig, plus
# qemu-scripts/kernel.config. Prepares the source first (prepare-kernel.sh).
# A run with nothing to do takes seconds.
#
#   --config FRAGMENT   more options on top, e.g. a debugging aid; may repeat.
#                       CONFIG_X=n in a fragment means: must be off
#   --name NAME         build in build/kernel-NAME instead
#   --native            the kernel of bench-native.sh: for this machine's own kind
#                       of CPU, in build/kernel-native, of kernel-x86.config
#   MAKE-WORD           given to the kernel's make; a target (such as
#                       kernel/trace/trace.o) replaces the default "Image
#                       modules". Note that W=1 rebuilds everything: give it a
#                       --name or a target of its own
set -euo pipefail
. "$(dirname "$0")/common.sh"

fragments=("$SCRIPTS/kernel.config")
out=$BUILD/kernel
what="Build the kernel"
arch=arm64
cross=aarch64-linux-gnu-
targets=()
assignments=()

parse_arguments()
{
	while (($#)); do
		case $1 in
		--config)
			need_value "$1" $#
			[[ -f $2 ]] || die "--config $2: no such file"
			fragments+=("$(realpath "$2")")
			shift
			;;
		--name)
			need_value "$1" $#
			[[ $2 =~ ^[A-Za-z0-9_.-]+$ ]] || die "--name '$2': use letters, digits, '.', '_' and '-'"
			out=$BUILD/kernel-$2
			what+=" $2"
			shift
			;;
		--native)
			fragments=("$SCRIPTS/kernel-x86.config")
			out=$BUILD/kernel-native
			what+=" native"
			arch=x86_64
			cross=
			;;
		-h | --help) usage; exit ;;
		-*) die "unknown argument '$1'; see --help" ;;
		*=*) assignments+=("$1") ;;
		*) targets+=("$1") ;;
		esac
		shift
	done
	((${#targets[@]})) || case $arch in
	arm64) targets=(Image modules) ;;
	x86_64) targets=(vmlinux) ;;
	esac
}

kernel_make()
{
	# What "make kernel MODE=..." at the top was told is not the kernel's
	unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
	make -C "$TREE" O="$out" ARCH="$arch" CROSS_COMPILE="$cross" \
		KBUILD_BUILD_USER=hyptrace KBUILD_BUILD_HOST=hyptrace \
		-j "$(nproc)" "$@"
}

# What the configuration follows from: the fragments, and edited Kconfig files
config_inputs()
{
	local file kconfigs=()

	while IFS= read -r file; do
		[[ ${file##*/} != Kconfig* ]] || kconfigs+=("$TREE/$file")
	done < <(overlay_files; patched_files)
	cat "$STATE/tarball"
	hash_of "${fragments[@]}" "${kconfigs[@]}"
}

configure()
{
	kernel_make tinyconfig
	(cd "$TREE" && scripts/kconfig/merge_config.sh -m -O "$out" "$out/.config" "${fragments[@]}")
	kernel_make olddefconfig
}

# The last word on each option, as fragments may override one another
wanted_options()
{
	sed -n -e 's/^\(CONFIG_[A-Za-z0-9_]*=.*[^[:space:]]\)[[:space:]]*$/\1/p' "${fragments[@]}" |
		awk -F= '{ last[$1] = $0 } END { for (o in last) print last[o] }' | sort
}

check_config()
{
	local option failed=()

	while IFS= read -r option; do
		case $option in
		*=n) ! grep -q "^${option%=n}=" "$out/.config" || failed+=("$option") ;;
		*) grep -qxF -- "$option" "$out/.config" || failed+=("$option") ;;
		esac
	done < <(wanted_options)
	((${#failed[@]} == 0)) ||
		die "these options did not take (no such option, or a dependency is missing): ${failed[*]}"
}

configure_if_needed()
{
	local inputs

	inputs=$(config_inputs)
	[[ ! -e $out/.config || ! -e $out/.hyptrace-config || $(<"$out/.hyptrace-config") != "$inputs" ]] || return 0
	mkdir -p "$out"
	rm -f "$out/.hyptrace-config"
	step "Configure: ${out##*/}" configure
	check_config
	printf '%s\n' "$inputs" >"$out/.hyptrace-config"
}

parse_arguments "$@"
need_command make "${cross}gcc" gcc bc bison flex perl
"$SCRIPTS/prepare-kernel.sh"
configure_if_needed
step "$what" kernel_make "${assignments[@]}" "${targets[@]}"
