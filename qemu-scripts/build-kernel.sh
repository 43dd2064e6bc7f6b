#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: build-kernel.sh [--config FRAGMENT]... [--name NAME] [MAKE-WORD...]
#        build-kernel.sh --arch ARCH [MAKE-WORD...]
#
# Builds the guest's kernel and its modules in build/kernel, with the options of
# qemu-scripts/config/kernel.config, and those of config/mainline.config if BASE=mainline;
# all other options that can be off are off. Prepares
# the source first (prepare-kernel.sh). A run with nothing to do takes seconds. Another
# kernel begins as a copy of build/kernel, if there is one: what both share is compiled
# once.
#
#   --config FRAGMENT   more options on top, e.g. a debugging aid; may repeat.
#                       CONFIG_X=n in a fragment means: must be off
#   --name NAME         build in build/kernel-NAME instead
#   --arch ARCH         build for arm, i386, s390 or um instead, in build/kernel-ARCH, from
#                       config/ARCH.config alone. "um" is User-mode Linux, a program for
#                       this machine; it is the kernel of bench-native.sh
#   MAKE-WORD           given to the kernel's make: LLVM=1 builds with clang and lld; a
#                       target (such as kernel/trace/trace.o) replaces the default "Image
#                       modules", or "vmlinux modules" with --arch. Note that W=1 rebuilds
#                       everything: give it a --name or a target of its own
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

fragments=("$SCRIPTS/config/kernel.config")
[[ $BASE == 6.12 ]] || fragments+=("$SCRIPTS/config/$BASE.config")
# By --config
given=()
out=$BUILD/kernel
what="Build the kernel"
arch=arm64
cross=aarch64-linux-gnu-
targets=()
assignments=()
llvm=no

# Number of objects of the guest's kernel, to show progress. Other kernels have about as many
OBJECTS=780

other_architecture()	# ARCH
{
	arch=$1
	case $arch in
	arm) cross=arm-linux-gnueabihf- ;;
	s390) cross=s390x-linux-gnu- ;;
	i386) cross='' ;;
	um) cross='' assignments+=("${UM_FLAGS[@]}") ;;
	*) die "--arch '$arch': arm, i386, s390 or um" ;;
	esac
	fragments=("$SCRIPTS/config/$arch.config")
	out=$BUILD/kernel-$arch
	what+=" $arch"
}

parse_arguments()
{
	while (($#)); do
		case $1 in
		--config)
			need_value "$1" $#
			[[ -f $2 ]] || die "--config $2: no such file"
			given+=("$(realpath "$2")")
			shift
			;;
		--name)
			need_value "$1" $#
			[[ $2 =~ ^[A-Za-z0-9_.-]+$ ]] || die "--name '$2': use letters, digits, '.', '_' and '-'"
			out=$BUILD/kernel-$2
			what+=" $2"
			shift
			;;
		--arch)
			need_value "$1" $#
			other_architecture "$2"
			shift
			;;
		-h | --help) usage; exit ;;
		-*) die "unknown argument '$1'; see --help" ;;
		LLVM=*) assignments+=("$1"); llvm=yes ;;
		*=*) assignments+=("$1") ;;
		*) targets+=("$1") ;;
		esac
		shift
	done
	((${#targets[@]})) || case $arch in
	arm64) targets=(Image modules) ;;
	um) targets=(vmlinux modules) ;;
	esac
}

kernel_make()
{
	# Variables given to "make kernel MODE=..." at the top are not for the kernel's make
	unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
	make -C "$TREE" O="$out" ARCH="$arch" CROSS_COMPILE="$cross" \
		KBUILD_BUILD_USER=hyptrace KBUILD_BUILD_HOST=hyptrace \
		-j "$(($(nproc) + 1))" "$@"
}

# Objects that depend on an option that differs are compiled again, as after any change of
# the configuration
begin_with_copy()
{
	[[ $arch == arm64 && $llvm == no && ! -e $out && -e $BUILD/kernel/vmlinux ]] || return 0
	rm -rf "$out.new"
	cp -a "$BUILD/kernel" "$out.new"
	rm -f "$out.new"/{vmlinux*,.hyptrace-*} "$out.new/arch/arm64/boot/Image"
	mv "$out.new" "$out"
}

# What the configuration depends on: the fragments, and edited Kconfig files
config_inputs()
{
	local file kconfigs=()

	while IFS= read -r file; do
		[[ ${file##*/} != Kconfig* ]] || kconfigs+=("$TREE/$file")
	done < <(overlay_files; patched_files)
	cat "$STATE/tarball"
	hash_of "${fragments[@]}" "${kconfigs[@]}"
}

# Options that are not named are off, except those that tinyconfig switches on
configure()
{
	{
		cat "$TREE"/kernel/configs/tiny{-base,}.config
		wanted_options "${fragments[@]}"
	} >"$out/.hyptrace-options"
	kernel_make "${assignments[@]}" KCONFIG_ALLCONFIG="$out/.hyptrace-options" allnoconfig
}

# The last line on each option, as a fragment overrides those before it
wanted_options()	# FRAGMENT...
{
	sed -n -e 's/^\(CONFIG_[A-Za-z0-9_]*=.*[^[:space:]]\)[[:space:]]*$/\1/p' "$@" |
		awk -F= '{ last[$1] = $0 } END { for (o in last) print last[o] }' | sort
}

check_config()
{
	local option failed=() checked=("${fragments[@]}")

	# The base does not have all options of the first ones
	[[ $PRISTINE == no ]] || checked=("${given[@]}")
	while IFS= read -r option; do
		case $option in
		*=n) ! grep -q "^${option%=n}=" "$out/.config" || failed+=("$option") ;;
		*) grep -qxF -- "$option" "$out/.config" || failed+=("$option") ;;
		esac
	done < <(wanted_options "${checked[@]}")
	((${#failed[@]} == 0)) ||
		die "these options have no effect (no such option, or a dependency is missing): ${failed[*]}"
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

# Prints how many objects are compiled so far. Only a first build compiles all of them
objects_built()	# LOG
{
	local built of=''

	built=$(grep -cE '^  (CC|AS|HOSTCC) ' "$1" || :)
	[[ $first == no ]] || of=" of about $OBJECTS"
	((built == 0)) || echo "($built$of objects)"
}

parse_arguments "$@"
fragments+=("${given[@]}")
need_command make gcc bc bison flex perl
[[ $llvm == no ]] || need_command clang ld.lld llvm-ar
[[ $llvm == yes ]] || need_command "${cross}gcc"
"$SCRIPTS/prepare-kernel.sh"
# Two jobs of a check may need the same kernel
exec 9>"$BUILD/.${out##*/}.lock"
flock 9
begin_with_copy
configure_if_needed
first=no
[[ -e $out/init/main.o ]] || first=yes
STEP_PROGRESS=objects_built
step "$what" kernel_make "${assignments[@]}" "${targets[@]}"
