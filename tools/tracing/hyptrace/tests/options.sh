#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: options.sh HYPTRACE COMMAND
#
# Prints the list of options of "HYPTRACE COMMAND --help", as an option list of
# reStructuredText.
set -e
help=$("$1" "$2" --help)
printf '.. %s-License-Identifier: GPL-2.0\n\n' SPDX
echo "$help" | sed -n '/^  *-/,/^$/p' |
	sed '/^$/d; s/^  *-/-/; s/[*`|]/\\&/g'
