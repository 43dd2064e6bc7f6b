#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: docs.sh [--list]
#
# Checks the examples in the documents (doc-examples.py says which these are): C
# programs are compiled and run in a guest, shell examples are run there, kernel
# code is compiled. Prints TAP, one result for each example. Needs the kernel and
# the initramfs. Shell examples run on the kernel "functions", which is built first.
#
#   --list   only list the examples
#
# Environment: MODE=protected|hvhe|nvhe (protected)
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

CROSS_COMPILE=${CROSS_COMPILE:-aarch64-linux-gnu-}
work=$BUILD/docs
documents=(
	"$REPO/README.md"
	"$REPO/Documentation/trace/hypervisor.rst"
	"$REPO/Documentation/trace/hypervisor-design.rst"
	"$REPO/Documentation/trace/hypervisor-fleet.rst"
	"$REPO/Documentation/trace/remotes.rst"
	"$TREE/Documentation/trace/ring-buffer-map.rst"
	"$REPO"/Documentation/tools/hyptrace/hyptrace*.rst
)
number=0
failed=no

# Prints a numbered result
result()	# ok|"not ok" NAME
{
	number=$((number + 1))
	[[ $1 == ok ]] || failed=yes
	echo "$1 $number $2"
}

# Prints a log as TAP comments
comment()	# FILE
{
	sed 's/^/# /' "$1"
}

compile_program()	# NAME
{
	"${CROSS_COMPILE}gcc" -static -O2 -Wall -Wextra -Werror -o "$work/guest/$1" \
		-idirafter "$TREE/include/uapi" "$work/$1.c"
}

# Compiles all kernel code in the documents, with the events of NAME
compile_event()		# NAME
{
	local dir=$work/kernel-$1

	mkdir -p "$dir"
	cp "$work/$1.h" "$dir/events.h"
	{
		echo '#include <linux/trace_remote.h>'
		cat "$work/events.c"
		echo 'const struct trace_remote_event *docs_events(void);'
		echo 'const struct trace_remote_event *docs_events(void) { return my_events; }'
	} >"$dir/events.c"
	echo 'obj-m := events.o' >"$dir/Makefile"
	make -s -C "$BUILD/kernel" M="$dir" ARCH=arm64 CROSS_COMPILE="$CROSS_COMPILE" \
		KCFLAGS=-Werror MO="$dir" events.o
}

# Compiles an object of EL2 as the kernel's build does, but from SOURCE, and with the
# headers in DIRECTORY first
compile_nvhe()	# OBJECT SOURCE DIRECTORY
{
	local cmd=$BUILD/kernel/arch/arm64/kvm/hyp/nvhe/.$1.nvhe.o.cmd

	sed -n 's/^savedcmd_[^ ]* := //p' "$cmd" |
		sed -e "s@^[^ ]*gcc @&-I$3 -Werror @" -e "s@-o [^ ]* [^ ;]*@-o $3/$1.o $2@" \
			-e "s@-Wp,-MMD,[^ ]*@@" >"$3/$1.sh"
	(cd "$BUILD/kernel" && sh -e "$3/$1.sh")
}

# Adds the event before it to the list of events, and the call to nvhe/FILE.c after the line
# with TEXT; compiles both
compile_site()	# NAME FILE TEXT
{
	local dir=$work/site-$1 nvhe=$TREE/arch/arm64/kvm/hyp/nvhe

	mkdir -p "$dir/asm"
	cat "$REPO/arch/arm64/include/asm/kvm_hypevents.h" "$work/$event.h" \
		>"$dir/asm/kvm_hypevents.h"
	awk -v text="$3" -v site="$work/$1.h" '
		{ print }
		index($0, text) { while ((getline line < site) > 0) print line; found = 1 }
		END { exit !found }' "$nvhe/$2.c" >"$dir/$2.c"
	compile_nvhe "$2" "$dir/$2.c" "$dir"
	compile_nvhe trace "$nvhe/trace.c" "$dir"
	"${CROSS_COMPILE}nm" "$dir/$2.o" >"$dir/symbols"
	grep -o 'trace_[a-z_]*(' "$work/$1.h" | tr -d '(' | while IFS= read -r call; do
		grep "U __$call\$" "$dir/symbols"
	done
}

# Compiles an example; the messages become TAP comments if that fails
compile()	# KIND NAME ARGUMENT
{
	case $1 in
	c) compile_program "$2" && return ;;
	event) compile_event "$2" && return ;;
	site) compile_site "$2" "${3%% *}" "${3#* }" && return ;;
	esac >"$work/$2.log" 2>&1
	comment "$work/$2.log"
	return 1
}

# Checks what needs no guest, and lists the rest for the guest. A program that compiles gets
# its result there
check_here()
{
	local kind name argument event=

	while read -r kind name argument; do
		case $kind in
		skip) echo "# $name is not run: $argument" ;;
		kernel) ;;	# compiled with each event
		event | site)
			[[ $kind != event ]] || event=$name
			if compile "$kind" "$name" "$argument"; then
				result ok "$name compiles"
			else
				result "not ok" "$name compiles"
			fi
			;;
		c)
			if compile c "$name"; then
				echo "$kind $name $argument" >>"$work/guest/list"
			else
				result "not ok" "$name compiles"
			fi
			;;
		sh | endless)
			cp "$work/$name.sh" "$work/guest/$name"
			echo "$kind $name $argument" >>"$work/guest/list"
			;;
		esac
	done <"$work/list"
}

check_in_guest()
{
	local line log=$work/guest.log status=0

	cp "$SCRIPTS/guest/run-docs.sh" "$work/guest/"
	printf '#!/bin/sh\nexec hyp_workload -t 1\n' >"$work/COMMAND"
	chmod 755 "$work/COMMAND" "$work/guest"/*
	"$SCRIPTS/build-kernel.sh" --name functions --config "$SCRIPTS/config/functions.config"
	"$SCRIPTS/boot.sh" --mode "${MODE:-protected}" --timeout 1200 \
		--kernel "$BUILD/kernel-functions/arch/arm64/boot/Image" \
		--add "$work/guest:/root/docs" --add "$work/COMMAND:/usr/local/bin/COMMAND" -- \
		/root/docs/run-docs.sh >"$log" 2>&1 || status=$?
	while IFS= read -r line; do
		case $line in
		'ok '*) result ok "${line#ok }" ;;
		'not ok '*) result "not ok" "${line#not ok }" ;;
		'# '*) echo "$line" ;;
		*) echo "# $line" ;;
		esac
	done <"$log"
	((status == 0)) || result "not ok" "the guest ended with status $status"
}

extract()
{
	rm -rf "$work"
	mkdir -p "$work/guest"
	"$SCRIPTS/check/doc-examples.py" "$work" "${documents[@]}" >"$work/list"
}

case ${1-} in
'' | --list) ;;
-h | --help) usage; exit ;;
*) die "unknown argument '$1'; see --help" ;;
esac
need_command python3 make "${CROSS_COMPILE}gcc"
"$SCRIPTS/prepare-kernel.sh"
extract
if [[ ${1-} == --list ]]; then
	cat "$work/list"
	exit
fi
[[ -f $BUILD/kernel/.config ]] || die "there is no kernel; run 'make kernel'"
echo "TAP version 13"
check_here
check_in_guest
echo "1..$number"
[[ $failed == no ]]
