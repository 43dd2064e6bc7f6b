#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Usage: lint.sh [--list] [--recent] [CHECK]...
#
# Checks all files of the project without running them, by all checks or those named:
#
#   text        ASCII, white space, licence lines, names of documents
#   scripts     shellcheck, Python's compiler, variables of the user
#   checkpatch  scripts/checkpatch.pl --strict on files and on patches
#   kerneldoc   scripts/kernel-doc
#   documents   Sphinx
#   compile     sparse, and the compiler's warnings of W=1, for pages of 64 KiB
#   history     no temporary commit, no file that a tool left behind
#
# Prints nothing if all is well. Else prints FILE:LINE: TYPE: MESSAGE for each finding,
# and ends with status 1. In files that the kernel already has, only the lines that
# patches add are checked. qemu-scripts/lint.allow lists accepted findings.
#
#   --list     only list the files
#   --recent   checkpatch, which takes minutes, only reads files that are new or changed
#              since ten commits ago
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

ALL_CHECKS=(text scripts checkpatch kerneldoc documents compile history)
work=$BUILD/lint
allowed=$SCRIPTS/lint.allow
# Only commits after this one are checked
HISTORY_BASE=1304581122d714579b1d5a95da7a38eddcc341b4

# --- the project's files -----------------------------------------------------

our_files()
{
	cd "$REPO"
	if [[ -e .git ]]; then
		git -c safe.directory='*' -c core.quotePath=false \
			ls-files --cached --others --exclude-standard
	else	# an exported tree
		find . -path ./build -prune -o -type f -printf '%P\n'
	fi | LC_ALL=C sort -u | while IFS= read -r file; do
		[[ ! -f $file ]] || printf '%s\n' "$file"
	done
}

# The project's files that match a regular expression
files_like()	# REGEX
{
	grep -E -- "$1" "$work/files" || :
}

# FILE LINE of each line that a patch adds
added_lines()
{
	local file files

	files=$(patched_files)
	for file in $files; do
		diff --old-line-format= --unchanged-line-format= \
			--new-line-format="$file %dn"$'\n' "$BUILD/pristine/$file" "$TREE/$file" || :
	done
}

# --- findings: FILE:LINE: TYPE: MESSAGE --------------------------------------

# Drops the findings that lint.allow lists
not_allowed()
{
	awk -F ': ' '
	NR == FNR {
		sub(/[ \t]*#.*/, "")
		if (split($0, word, /[ \t]+/) < 2)
			next
		glob = word[1]
		gsub(/[.+]/, "\\\\&", glob)
		gsub(/\*/, ".*", glob)
		pattern[++n] = "^" glob ":"
		types[n] = "," word[2] ","
		next
	}
	{
		for (i = 1; i <= n; i++)
			if ($0 ~ pattern[i] && index(types[i], "," $2 ","))
				next
		print
	}' "$allowed" -
}

# A tool's messages about absolute paths => findings about the project's files and lines
our_messages()	# TYPE
{
	sed -n -E -e "s@^($TREE|$work/tree|$REPO)/@@" \
		-e "s@^([^: ]+):([0-9]+):([0-9]+:)? *(.*)@\\1:\\2: $1: \\4@p" |
	sort -u | awk -F: '
	FILENAME != "-" && FILENAME ~ /files$/ { ours[$0]; next }
	FILENAME != "-" { split($0, w, " "); added[w[1] ":" w[2]]; next }
	($1 in ours) || (($1 ":" $2) in added)' "$work/files" "$work/added" -
}

# --- the checks --------------------------------------------------------------

find_in_text()	# TYPE MESSAGE REGEX FILE...
{
	local type=$1 message=$2 regex=$3
	shift 3

	LC_ALL=C grep -nHP -- "$regex" "$@" | sed -E "s/^([^:]+:[0-9]+):.*/\\1: $type: $message/" || :
}

check_licence_lines()	# FILE...
{
	local file

	for file; do
		case $file in
		*.md | *.tsv | */.gitignore | .gitignore | */series | COPYING | */config | *.config | *.patch) continue ;;
		*.dat | *.bin | *.png | */.shellcheckrc) continue ;;
		esac
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' ||
			echo "$file:1: SPDX: no SPDX-License-Identifier"
	done
}

check_last_lines()	# FILE...
{
	local file

	for file; do
		[[ ! -s $file || -z $(tail -c 1 "$file") ]] ||
			echo "$file:$(wc -l <"$file"): LAST_LINE: no newline at the end"
	done
}

# Documents that a file refers to have to exist
check_references()	# FILE...
{
	local line name

	{ grep -noHE 'Documentation/[A-Za-z0-9_./-]+\.(rst|txt)' "$@" || :; } | while IFS= read -r line; do
		name=${line##*:}
		[[ -e $REPO/$name || -e $TREE/$name ]] ||
			echo "${line%:*}: REFERENCE: there is no $name"
	done
}

check_text()
{
	local files patches

	mapfile -t files < <(files_like '' | grep -vE '^COPYING$|\.(dat|bin|png|patch)$')
	mapfile -t patches < <(files_like '\.patch$')
	find_in_text ASCII "not ASCII" '[^\x00-\x7f]' "${files[@]}" "${patches[@]}"
	find_in_text WHITESPACE "white space at the end" '[ \t\r]$' "${files[@]}"
	find_in_text WHITESPACE "space before tab" '^\t* +\t' "${files[@]}"
	find_in_text WHITESPACE "white space at the end" '^\+.*[ \t\r]$' "${patches[@]}"
	check_last_lines "${files[@]}"
	check_licence_lines "${files[@]}"
	check_references "${files[@]}" "${patches[@]}"
}

# Variables that the Makefile exports. A script that gives one another value gives it to
# all that it starts, too
check_variables()	# FILE...
{
	find_in_text VARIABLE "the user's variable: only give it a default" \
		'^\s*(SOURCE|BASE|MAINLINE|GUEST|MODE|CPUS)=(?!\$\{\1)("[^"]*"|\S)*\s*$' "$@"
}

check_scripts()
{
	local file scripts=()

	for file in $(files_like '^(qemu-scripts|\.ci|tools)/' | grep -vE '\.(c|h|tc|bin)$|/test\.d/'); do
		case $(head -n 1 "$file") in
		'#!/bin/sh'* | '#!/bin/bash'*) scripts+=("$file") ;;
		'#!/usr/bin/env python3'*)
			python3 -c 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")' \
				"$file" >"$work/python.log" 2>&1 ||
				echo "$file:1: PYTHON: $(tail -n 1 "$work/python.log")" ;;
		esac
	done
	{
		shellcheck -x -f gcc "${scripts[@]}" || :
	} | sed -E 's/^([^:]+:[0-9]+):[0-9]+: (.*) \[(SC[0-9]+)\]$/\1: \3: \2/'
	check_variables "${scripts[@]}"
}

checkpatch()
{
	# It leaves a cache in the directory in which it runs
	(cd "$work/tree" && "$TREE/scripts/checkpatch.pl" --root="$TREE" --strict --no-signoff \
		--terse --no-summary --show-types "$@") || :
}

# checkpatch takes a diff that is not in git's form for a part of the description
check_one_patch()	# NAME
{
	checkpatch --ignore DIFF_IN_COMMIT_MSG - <"$REPO/$1" | sed "s|^-:|$1:|"
}

# Of the names on standard input those of files that --recent is about
if_recent()
{
	local base='HEAD~10'

	if [[ $recent == no || ! -e $REPO/.git ]]; then
		cat
		return
	fi
	git -c safe.directory='*' rev-parse -q --verify "$base" >/dev/null || base=HEAD
	grep -xF -f <(
		git -c safe.directory='*' diff --name-only --relative "$base"
		git -c safe.directory='*' ls-files --others --exclude-standard
	) || :
}

check_checkpatch()
{
	local file files patch

	rm -rf "$work/tree"
	mkdir -p "$work/tree"
	mapfile -t files < <(overlay_files | grep -vE '/\.[^/]*$|\.(dat|bin|tsv|patch)$' | if_recent)
	for file in "${files[@]}"; do
		mkdir -p "$work/tree/${file%/*}"
		ln -s "$REPO/$file" "$work/tree/$file"
	done
	{
		((${#files[@]} == 0)) || checkpatch -f "${files[@]}"
		for patch in $(files_like '^patches/.*\.patch$' | if_recent); do
			check_one_patch "$patch"
		done
	} | sed -n -E 's/^([^:]+:[0-9]+): [A-Z]+:([A-Z_]+): /\1: \2: /p'
}

check_kerneldoc()
{
	local file

	for file in $(files_like '^(arch|include|kernel)/.*\.[ch]$'); do
		"$TREE/scripts/kernel-doc" -none "$REPO/$file" 2>&1 || :
	done | our_messages KERNELDOC
}

# The project's documents and one that refers to them, built as the kernel does it
check_documents()
{
	local src=$work/documents

	rm -rf "$src"
	mkdir -p "$src"
	cp "$REPO"/Documentation/trace/*.rst "$TREE/Documentation/trace/ring-buffer-map.rst" \
		"$REPO"/Documentation/tools/hyptrace/{*.txt,hyptrace*.rst} "$src"
	{
		printf 'Documents\n=========\n\n.. toctree::\n\n'
		find "$src" -name '*.rst' ! -name index.rst -printf '   %P\n' | sed 's/\.rst$//'
	} >"$src/index.rst"
	cat >"$src/conf.py" <<-END
	import sys
	sys.path.insert(0, '$TREE/Documentation/sphinx')
	extensions = ['kerneldoc', 'automarkup']
	kerneldoc_bin = '$TREE/scripts/kernel-doc'
	kerneldoc_srctree = '$TREE'
	project = 'hyptrace'
	primary_domain = 'c'
	highlight_language = 'none'
	END
	srctree=$TREE /usr/bin/python3 -m sphinx -q -E -b text "$src" "$work/documents-out" \
		>"$work/documents.log" 2>&1 || echo "Documentation/trace:1: SPHINX: $(tail -n 1 "$work/documents.log")"
	sed "s@^$src/@$REPO/Documentation/trace/@" "$work/documents.log" | our_messages SPHINX
}

# In a build directory of its own, as W=1 rebuilds all objects, with all options of the project.
# With pages of 64 KiB, as all other kernels of the quick tests have smaller ones
check_compile()
{
	local build=("$SCRIPTS/build-kernel.sh" --name lint
		--config "$SCRIPTS/config/functions.config" --config "$SCRIPTS/config/64k.config")
	local list

	mapfile -t list < <(project_objects)
	mkdir -p "$BUILD/kernel-lint"
	(cd "$BUILD/kernel-lint" && rm -f -- "${list[@]}")
	{
		"${build[@]}" modules_prepare
		"${build[@]}" C=1 W=1 "${list[@]}"
	} >"$work/compile.log" 2>&1 || {
		cat "$work/compile.log" >&2
		echo "arch/arm64/kvm/hyp_trace.c:1: COMPILE: the kernel does not build"
	}
	our_messages COMPILE <"$LOGS/build-the-kernel-lint.log" |
		sed 's/: COMPILE: warning: context imbalance/: CONTEXT: imbalance/'
}

# What patch, git and editors leave behind
LEFT_BEHIND='\.(rej|orig|swp|swo|tmp|bak)$|~$|(^|/)(core|nohup\.out)$|__pycache__'

# Temporary commits, and commits with files that a tool left behind, as
# COMMIT:1: TYPE: MESSAGE
check_commits()
{
	local commit subject

	git -c safe.directory='*' log --no-merges --format='%h %s' "$HISTORY_BASE"..HEAD |
	while read -r commit subject; do
		! grep -qiE '^((wip|tmp|temp|checkpoint)\b|(fixup|squash|amend)!)' <<<"$subject" ||
			echo "$commit:1: SUBJECT: '$subject' is a temporary commit"
		git -c safe.directory='*' diff-tree -r --no-commit-id --name-only "$commit" |
			{ grep -E -- "$LEFT_BEHIND" || :; } | sed "s@.*@$commit:1: LEFT_BEHIND: &@"
	done
}

check_history()
{
	files_like "$LEFT_BEHIND" | sed 's/$/:1: LEFT_BEHIND: a tool left it behind/'
	# An exported tree has no history, a shallow clone not all of it
	! git -c safe.directory='*' rev-parse -q --verify "$HISTORY_BASE^{commit}" >/dev/null 2>&1 ||
		check_commits
}

checks=()
recent=no
[[ ${1-} != --recent ]] || { recent=yes; shift; }
case ${1-} in
-h | --help) usage; exit ;;
--list) our_files; exit ;;
-*) die "unknown argument '$1'; see --help" ;;
'') checks=("${ALL_CHECKS[@]}") ;;
*) checks=("$@") ;;
esac
for check in "${checks[@]}"; do
	[[ " ${ALL_CHECKS[*]} " == *" $check "* ]] || die "no check '$check'; see --help"
done
need_command git perl shellcheck sparse python3
/usr/bin/python3 -c 'import sphinx' 2>/dev/null ||
	die "python3-sphinx is not installed; run 'make setup' as root"
mkdir -p "$work"
"$SCRIPTS/prepare-kernel.sh" >/dev/null
# Several at a time read these
our_files | write_if_changed "$work/files"
added_lines | write_if_changed "$work/added"
cd "$REPO"
failed=no
for check in "${checks[@]}"; do
	"check_$check" >"$work/all-$check"
	not_allowed <"$work/all-$check" | sort -t: -k1,1 -k2,2n >"$work/found-$check"
	cat "$work/found-$check"
	[[ ! -s $work/found-$check ]] || failed=yes
done
[[ $failed == no ]]
