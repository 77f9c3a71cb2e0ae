#!/bin/sh
# SPDX-License-Identifier: MIT
#
# That each exported function has a page of the manual, which declares it as the headers do, and that
# the programs shown there compile and run. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}

echo "TAP version 13"
echo "1..12"

# Of nap_fork() and nap_join(), which are inline, the rest is no function that a program calls.
nm -D --defined-only "$build/libnap.so.0" | awk '$3 ~ /^nap_/ { print $3 }' |
	sed 's/@.*//; s/_slow$//' | sort -u >"$tmp/exported"

# missed PAGES: functions that have none there
missed()
{
	while read -r name; do
		[ -e "$1/$name.3" ] || echo "$name has no page"
	done <"$tmp/exported" >"$tmp/out"
	[ -s "$tmp/exported" ] && [ ! -s "$tmp/out" ]
}

# named PAGE: the names before the dash, one a line
named()
{
	awk '/^\.SH NAME/ { on = 1; next } /^\.SH/ { exit } on' "$1" | tr '\n' ' ' |
		sed 's/ *\\-.*//; s/,  */\n/g; s/$/\n/'
}

# agree PAGES: whatever a page names leads there, and whatever leads there is named
agree()
{
	for page in "$1"/*.3; do
		self=$(basename "$page" .3)
		to=$(sed -n '1s/^\.so man3\/\(.*\)\.3$/\1/p' "$page")
		[ -e "$1/${to:-$self}.3" ] || { echo "$self leads nowhere"; continue; }
		named "$1/${to:-$self}.3" | grep -qx "$self" || echo "$self is not named where it is"
		[ -n "$to" ] && continue
		named "$page" | while read -r name; do
			[ "$name" = "$self" ] || grep -qsx "\.so man3/$self\.3" "$1/$name.3" ||
				echo "$name does not lead to $self"
		done
	done >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

# declared PAGE: the functions of its synopsis, without the fonts
declared()
{
	awk '/^\.SH/ { on = /SYNOPSIS/; next }
		!on || !/^\.B/ { next }
		{
			roman = /^\.B /
			sub(/^\.BI? /, "")
			if (!roman || /^"/)
				$0 = unquoted($0)
			text = text $0
		}
		/;$/ {
			if (text ~ /nap_[a-z0-9_]*\(.*\);$/ && text !~ /^ |[{#]/)
				print text
			text = ""
		}
		!/[;,]$/ { text = "" }
		function unquoted(line,	out, part) {
			while (line != "") {
				if (match(line, /^"[^"]*"/))
					part = substr(line, 2, RLENGTH - 2)
				else if (match(line, /^ +/))
					part = ""
				else {
					match(line, /^[^ "]+/)
					part = substr(line, 1, RLENGTH)
				}
				line = substr(line, RLENGTH + 1)
				out = out part
			}
			return out
		}' "$1"
}

# as_declared PAGES: each page declares what it names, as the headers do
as_declared()
{
	echo '#include <nap/nap.h>' >"$tmp/all.c"
	for page in "$1"/*.3; do
		grep -q '^\.so ' "$page" && continue
		declared "$page" >"$tmp/declared"
		cat "$tmp/declared" >>"$tmp/all.c"
		named "$page" | while read -r name; do
			grep -qw "$name" "$tmp/exported" || continue
			grep -q "\<$name(" "$tmp/declared" || echo "$name is not in the synopsis of $page"
		done
	done >"$tmp/out"
	for cc in gcc clang; do
		$cc -std=gnu11 -Wall -Wextra -Wno-pedantic -Wno-redundant-decls -Wno-unused -Werror -Iinclude \
			-c -o "$tmp/o" "$tmp/all.c" >>"$tmp/out" 2>&1
	done
	[ ! -s "$tmp/out" ]
}

# programs PAGES: those of the examples that are whole ones, as $tmp/NAME.c
programs()
{
	for page in "$1"/*.3; do
		awk -v to="$tmp/program_$(basename "$page" .3).c" '/^\.EX/ { on = 1; next } /^\.EE/ { on = 0 }
			on { text = text $0 "\n" }
			END {
				gsub(/\\e/, "\\", text)
				if (text ~ /^#include <nap\// && text ~ /int main\(/)
					printf "%s", text >to
			}' "$page"
	done
}

# runs COMPILER
runs()
{
	for program in "$tmp"/program_*.c; do
		$1 -O2 -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$tmp/program" "$program" \
			"$build/libnap.a" -pthread && timeout 60 "$tmp/program" >"$tmp/said" || {
			echo "$program"
			return 1
		}
	done >"$tmp/out" 2>&1
}

# As they are installed.
mkdir "$tmp/pages" "$tmp/man" && cp Documentation/man/*.3 "$tmp/pages"
tools/man_links.sh Documentation/man "$tmp/pages"
man=$tmp/pages
cp $man/*.3 "$tmp/man"
mkdir "$tmp/two" "$tmp/none" && cp $man/nap_call.3 "$tmp/two" && cp $man/nap_call.3 "$tmp/two/other.3"
! tools/man_links.sh "$tmp/two" "$tmp/none" 2>"$tmp/out" && grep -q 'nap_call' "$tmp/out" &&
	[ -z "$(ls "$tmp/none")" ]
check "a name of two pages is found, and nothing is written"
rm "$tmp/man/nap_call.3" "$tmp/man/nap_work_of.3"
! missed "$tmp/man" && [ "$(grep -c 'has no page' "$tmp/out")" = 2 ]
check "a function without a page is found"
missed $man
check "each function that is exported has one ($(wc -l <"$tmp/exported"))"
! agree "$tmp/man" && grep -q '^nap_call_for leads nowhere$' "$tmp/out" &&
	grep -q '^nap_work_of does not lead to nap_work_schedule$' "$tmp/out"
check "a name that leads nowhere is found"
agree $man
check "each page is found by what it names, and names what leads to it"
cp $man/*.3 "$tmp/man"
sed -i 's/uint64_t " timeout_ns/int64_t " timeout_ns/' "$tmp/man/nap_call.3"
! as_declared "$tmp/man" && grep -q 'conflicting types' "$tmp/out"
check "an argument of another type is found"
cp $man/*.3 "$tmp/man"
sed -i '/nap_group_done(struct/d' "$tmp/man/nap_group_wait.3"
! as_declared "$tmp/man" && grep -q '^nap_group_done is not in the synopsis' "$tmp/out"
check "a function that is not declared is found"
as_declared $man
check "each is declared there, and as in the headers ($(grep -c ';$' "$tmp/all.c"))"
programs $man
[ "$(ls "$tmp"/program_*.c | wc -l)" -ge 9 ]
check "whole programs are shown ($(ls "$tmp"/program_*.c | wc -l))"
runs gcc
check "they compile with gcc, and run"
runs clang
check "and with clang"
# See also what there is.
sed -n '/^\.SH SEE ALSO/,$s/^\.BR \(nap_[a-z0-9_]*\) (3).*/\1/p' $man/*.3 | sort -u |
	while read -r name; do
		[ -e "$man/$name.3" ] || echo "no page: $name"
	done >"$tmp/out"
[ ! -s "$tmp/out" ]
check "and what a page refers to is there"
