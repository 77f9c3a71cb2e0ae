#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that section 3 of the manual, which tools/man/ makes from the headers, has everything that
# the headers declare, in pages without faults, and that the programs shown there compile and run.
# KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}

echo "TAP version 13"
echo "1..22"

# pages DIRECTORY HEADER...: makes the pages, as `make install` does
pages()
{
	mkdir -p "$1" && to=$1
	shift
	awk -v to="$to" -v examples=Documentation/man -v version=nap -v date=2026-11-27 -f tools/man/headers.awk -f tools/man/roff.awk -f tools/man/pages.awk "$@"
}

# nap_fork() and nap_join() are inline; programs do not call their _slow parts.
nm -D --defined-only "$build/libnap.so.1" | awk '$3 ~ /^nap_/ { print $3 }' |
	sed 's/@.*//; s/_slow$//' | sort -u >"$tmp/exported"
# Names that a program uses besides exported functions: types, constants and macros, inline
# functions, and functions of other libraries.
cat include/nap/*.h | sed -nE 's/^(static inline .*[ *]|[a-z].*[ *])?((nap|check)_[a-z0-9_]+)\(.*/\2/p
	s/^(struct|enum) (nap_[a-z0-9_]+)( \{|;)$/\2/p; s/^typedef .*\(\*(nap_[a-z_]+)\).*/\1/p
	s/^#define ([A-Za-z]\w+).*/\1/p; s/^\t(NAP_[A-Z0-9_]+)( =.*|,.*|)$/\1/p' |
	grep -vE '__|_H$|_slow$|^CHECK_NUMBER|check_register|^nap__' | sort -u >"$tmp/public"

# missed PAGES NAMES: prints the names without a page
missed()
{
	while read -r name; do
		[ -e "$1/$name.3" ] || echo "$name has no page"
	done <"$2" >"$tmp/out"
	[ -s "$2" ] && [ ! -s "$tmp/out" ]
}

# For the functions below: leads[NAME] is the page of a name, names[PAGE] are the names before the
# dash, shown[PAGE] is the synopsis without fonts, text[PAGE] the whole page.
read_pages='
	FNR == 1 { page = FILENAME; sub(/.*\//, "", page); sub(/[.]3$/, "", page); section = "" }
	/^[.]so / { sub(/.*\//, ""); sub(/[.]3$/, ""); leads[page] = $0; next }
	{ leads[page] = page; text[page] = text[page] $0 "\n" }
	/^[.]SH/ { section = $2; next }
	section == "NAME" { names[page] = names[page] " " $0 }
	section == "SYNOPSIS" { gsub(/\\f[BIR]/, ""); shown[page] = shown[page] $0 "\n" }'

# agree PAGES: whether each name on a page leads to that page, and each name that leads to a page
# is on it
agree()
{
	awk "$read_pages"'
		END {
			for (page in names)
				sub(/ *\\-.*/, "", names[page])
			for (name in leads) {
				if (!(leads[name] in text))
					print name " leads nowhere"
				else if (index(names[leads[name]] ",", " " name ",") == 0)
					print name " is not named where it is"
			}
			for (page in names) {
				n = split(names[page], each, /[ ,]+/)
				for (i = 2; i <= n; i++)
					if (leads[each[i]] != page)
						print each[i] " does not lead to " page
			}
		}' "$1"/*.3 >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

# as_declared PAGES: whether each page declares its names as the headers do
as_declared()
{
	printf '#include <nap/bare.h>\n#include <nap/nap.h>\n' >"$tmp/all.c"
	awk -v exported="$tmp/exported" -v all="$tmp/all.c" "$read_pages"'
		END {
			while ((getline name <exported) > 0)
				if (index(shown[leads[name]], name "(") == 0)
					print name " is not in the synopsis of " leads[name]
			for (page in shown) {
				n = split(shown[page], line, /\n/)
				for (i = 1; i <= n; i++) {
					if (line[i] ~ /^[a-z].*nap_[a-z0-9_]*\(/ && line[i] !~ /^typedef/)
						on = 1
					if (on)
						print line[i] >>all
					if (line[i] ~ /;$/)
						on = 0
				}
			}
		}' "$1"/*.3 >"$tmp/out"
	for cc in gcc clang; do
		$cc -std=gnu11 -Wall -Wextra -Wno-pedantic -Wno-redundant-decls -Wno-unused -Werror -Iinclude \
			-c -o "$tmp/o" "$tmp/all.c" >>"$tmp/out" 2>&1
	done
	[ ! -s "$tmp/out" ]
}

# covered PAGES: whether each page has the errors, and the arguments, that the headers' comments
# name
covered()
{
	cat include/nap/*.h | awk '/^\/\*\*/ { on = 1; name = "" }
		on && name == "" && match($0, /(nap|check)_[a-z0-9_]+|NAP_[A-Z_]+|CHECK_[A-Z]+/) {
			name = substr($0, RSTART, RLENGTH)
		}
		on && /^ \* @[a-z_]+:/ { word = $2; gsub(/[@:]/, "", word); print name, "\\fI" word "\\fR" }
		/\*\/$/ { last = 1 }
		on { while (match($0, /-E[A-Z]+/)) {
			print name, "\\" substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
		} }
		last { on = last = 0 }' | sort -u >"$tmp/words"
	awk -v words="$tmp/words" "$read_pages"'
		END { while ((getline line <words) > 0) {
			split(line, word, " ")
			if (index(text[leads[word[1]]], word[2]) == 0)
				print word[1] ": nothing of " word[2]
		} }' "$1"/*.3 >"$tmp/out"
	[ -s "$tmp/words" ] && [ ! -s "$tmp/out" ]
}

# clean PAGES: whether mandoc has no complaint
clean()
{
	grep -L '^\.so ' "$1"/*.3 | xargs mandoc -T lint >"$tmp/out" 2>&1
	[ ! -s "$tmp/out" ]
}

# runs COMPILER: whether the manual's programs compile and run
runs()
{
	for program in Documentation/man/*.c; do
		$1 -O2 -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$tmp/program" "$program" \
			"$build/libnap.a" -pthread && timeout 60 "$tmp/program" >"$tmp/said" || {
			echo "$program"
			return 1
		}
	done >"$tmp/out" 2>&1
}

man=$tmp/pages
pages "$man" include/nap/*.h >"$tmp/out" 2>&1
check "the headers make $(grep -L '^\.so ' "$man"/*.3 | wc -l) pages, under $(ls "$man" | wc -l) names"
sed 's/DOC: nap_call /DOC: nap_twice /' include/nap/call.h >"$tmp/twice.h"
! pages "$tmp/none" include/nap/call.h "$tmp/twice.h" >"$tmp/out" 2>&1 && grep -q 'nap_call_fn has two pages' "$tmp/out" &&
	[ -z "$(ls "$tmp/none")" ]
check "a name of two pages is found, and nothing is written"
sed '/DOC: nap_call /d' include/nap/call.h >"$tmp/none.h"
! pages "$tmp/none" "$tmp/none.h" >"$tmp/out" 2>&1 && grep -q 'no DOC: before this' "$tmp/out" && [ -z "$(ls "$tmp/none")" ]
check "so is what belongs to no page"
cp -r "$man" "$tmp/man"
rm "$tmp/man/nap_call.3" "$tmp/man/nap_work_of.3"
! missed "$tmp/man" "$tmp/exported" && [ "$(grep -c 'has no page' "$tmp/out")" = 2 ]
check "a function without a page is found"
missed "$man" "$tmp/exported"
check "each function that is exported has one ($(wc -l <"$tmp/exported"))"
missed "$man" "$tmp/public" && [ "$(grep -cxE 'struct|nap_work|NAP_STOP|NAP_JOB|nap_job_fn|nap_batch_push|nap_bare_exit' "$tmp/public")" = 6 ]
check "and each type, constant, macro and inline function of the headers ($(wc -l <"$tmp/public"))"
! agree "$tmp/man" && grep -q '^nap_call_for leads nowhere$' "$tmp/out" &&
	grep -q '^nap_work_of does not lead to nap_work_schedule$' "$tmp/out"
check "a name that leads nowhere is found"
agree "$man"
check "each page is found by what it names, and names what leads to it"
cp "$man"/*.3 "$tmp/man"
sed -i 's/uint64_t \\fItimeout_ns/int64_t \\fItimeout_ns/' "$tmp/man/nap_call.3"
! as_declared "$tmp/man" && grep -q 'conflicting types' "$tmp/out"
check "an argument of another type is found"
cp "$man"/*.3 "$tmp/man"
sed -i '/nap_group_done(struct/d' "$tmp/man/nap_group_wait.3"
! as_declared "$tmp/man" && grep -q '^nap_group_done is not in the synopsis' "$tmp/out"
check "a function that is not declared is found"
as_declared "$man"
check "each is declared there, and as in the headers ($(grep -c ';$' "$tmp/all.c"))"
cp "$man"/*.3 "$tmp/man"
sed -i '/EOVERFLOW/d' "$tmp/man/nap_group_wait.3" && sed -i '/^\\fItimeout_ns\\fR$/d' "$tmp/man/nap_call.3"
! covered "$tmp/man" && grep -q '^nap_group_add: nothing of .-EOVERFLOW' "$tmp/out" && grep -q '^nap_call_for: .*timeout_ns' "$tmp/out"
check "an error and an argument that a page lacks are found"
covered "$man"
check "each page has what the comments say of errors and arguments ($(wc -l <"$tmp/words"))"
printf '.TP\n.SH NOTES\n' >>"$tmp/man/nap_call.3"
! clean "$tmp/man" && grep -q 'nap_call' "$tmp/out"
check "a page with a fault is found"
clean "$man"
check "mandoc has nothing to say of any"
for program in Documentation/man/*.c; do
	grep -qx 'int main(void)' "$man/$(basename "$program" .c).3" || echo "$program is on no page"
done >"$tmp/out" 2>&1
[ ! -s "$tmp/out" ] && [ "$(ls Documentation/man/*.c | wc -l)" -ge 14 ]
check "whole programs are shown ($(ls Documentation/man/*.c | wc -l))"
runs gcc
check "they compile with gcc, and run"
runs clang
check "and with clang"
cp Documentation/man/*.[17] "$man/"
mandoc -T lint Documentation/man/*.[17] >"$tmp/out" 2>&1
check "nor has mandoc anything to say of the pages of sections 1 and 7 ($(ls Documentation/man/*.[17] | wc -l))"
# refers PAGE...: prints "PAGE OTHER" for each OTHER page that a PAGE refers to
refers()
{
	awk 'FNR == 1 { page = FILENAME; sub(/.*\//, "", page) }
		/^[.]BR .*\([137]\)/ {
			line = $0
			while (match(line, /(nap[-_a-zA-Z0-9\\]*|NAP_[A-Z_]+|CHECK_[A-Z]+) "?\([137]\)/)) {
				name = substr(line, RSTART, RLENGTH)
				line = substr(line, RSTART + RLENGTH)
				gsub(/[ "\\]/, "", name)
				section = substr(name, length(name) - 1, 1)
				sub(/\(.*/, "", name)
				print page, name "." section
			}
		}' "$@"
}
# reached PAGES: prints the pages to which no chain of references leads from nap(7)
reached()
{
	refers "$1"/* | awk '{ to[$1] = to[$1] " " $2 }
		function visit(page,	n, each, i) {
			if (page in seen)
				return
			seen[page]
			n = split(to[page], each, " ")
			for (i = 1; i <= n; i++)
				visit(each[i])
		}
		END { visit("nap.7"); for (page in seen) print page }' | sort >"$tmp/seen"
	(cd "$1" && grep -L '^\.so ' ./*.3) | sed 's/^..//' | sort | comm -23 - "$tmp/seen"
}
refers "$man"/* | awk '{ print $2 }' | sort -u |
	while read -r page; do
		[ -e "$man/$page" ] || echo "no page: $page"
	done >"$tmp/out"
[ ! -s "$tmp/out" ] && [ "$(refers "$man/nap.7" | wc -l)" -ge 40 ]
check "and what a page refers to is there"
mkdir "$tmp/fewer" && cp "$man"/* "$tmp/fewer" && sed -i 's/nap_size_of/nap_task/' "$tmp"/fewer/*.7
reached "$tmp/fewer" | grep -qx nap_size_of.3
check "a page that nap(7) does not lead to is found"
# nap(7) need not lead to the model checker's page, the bare library's, and that of a file format.
reached "$man" | grep -vx 'CHECK_SCENARIO.3\|nap_bare_init.3\|nap_trace_file.3' >"$tmp/out"
[ ! -s "$tmp/out" ]
check "nap(7) leads to every page"
