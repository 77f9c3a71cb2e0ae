#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests Documentation/laboratory.rst: each command prints what the text below it says; each program
# is the one of that name in the gallery; each of the eight lessons has a question, an answer, and a
# link to a test of the gallery. Also tests tools/litmus/questions/: each question says where it was
# asked, and what every model says of it today. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
lab=build/nap-litmus
page=Documentation/laboratory.rst
questions=tools/litmus/questions

# commands PAGE: writes each command of the page to $tmp/1.command and so on, and what stands below
# it to $tmp/1.wanted; prints how many there are
commands()
{
	rm -f "$tmp"/*.command "$tmp"/*.wanted
	awk -v directory="$tmp" '
		/^    \$ / {
			n++
			wanted = directory "/" n ".wanted"
			printf "" >wanted
			command = substr($0, 7)
			while (sub(/ \\$/, "", command) && (getline line) > 0)
				command = command line
			gsub(/ +/, " ", command)
			print command >(directory "/" n ".command")
			next
		}
		!/^    / { wanted = "" }
		wanted { print substr($0, 5) >wanted }
		END { print n + 0 }' "$1"
}

# plain: removes spaces at the ends of lines, and replaces times
plain()
{
	sed 's/ *$//; s/[0-9]*\.[0-9]* s$/TIME s/'
}

# differs: runs the commands, which may call only nap-litmus; prints each command that prints other
# text than the page has
differs()
{
	for command in "$tmp"/*.command; do
		if grep -Evq '^build/nap-litmus( [A-Za-z0-9=:./+_-]+)+$' "$command"; then
			echo "no command for this test: $(cat "$command")"
			continue
		fi
		sh "$command" 2>&1 | plain >"$tmp/printed"
		plain <"${command%.command}.wanted" | diff - "$tmp/printed" >"$tmp/difference" ||
			{ cat "$command" "$tmp/difference"; }
	done
}

# programs PAGE: writes each program of the page to $tmp/programs/NAME, without spaces and newlines
programs()
{
	rm -rf "$tmp/programs" && mkdir "$tmp/programs"
	awk -v directory="$tmp/programs" '
		/^    C / { file = directory "/" $2 }
		!/^    / { file = "" }
		file { gsub(/[ \t]/, ""); printf "%s", $0 >file }' "$1"
}

# others: prints the programs that differ from those of the gallery, or are not there
others()
{
	for program in "$tmp"/programs/*; do
		name=$(basename "$program")
		grep -lxF "C $name" build/gallery/*.litmus | while read -r file; do
			sed '/^(\*$/,/^ \*)$/d' "$file" | tr -d ' \t\n' | cmp -s - "$program" && echo "$file"
		done | grep -q . || echo "$name"
	done
}

# lessons PAGE: prints a line for each lesson: its heading, after WITHOUT if the lesson lacks its
# question, commands, answer, or a link to a test of the gallery
lessons()
{
	awk '/^[1-9]\. / { heading = $0; next }
		/^==+$/ { if (heading) { if (title) print title "|" said; title = heading; said = ""; heading = "" } next }
		/^Twelve questions/ { if (title) print title "|" said; title = "" }
		/^\*Question\.\*/ { said = said "Q" }
		/^    \$ / { said = said "c" }
		/^\*Answer\.\*/ { said = said "A" }
		/^\*In the page:\*/ { said = said "P"; if (match($0, /#test=[^`]*/)) said = said substr($0, RSTART, RLENGTH) }' "$1" |
		while IFS='|' read -r title said; do
			if [ -f "build/gallery/${said#*#test=}.litmus" ] && echo "$said" | grep -q '^Qc\{1,\}Ac*P#test='; then
				echo "$title"
			else
				echo "WITHOUT $title ($said)"
			fi
		done
}

# answers DIRECTORY: prints the questions without an address or an answer, and each verdict of a
# model that is not the one in the question's Expect: line
answers()
{
	for file in "$1"/*.litmus; do
		comment=$(sed -n '/^(\*$/,/^ \*)$/p' "$file")
		for part in '^ \* Asked: .' '^ \* https\{0,1\}://[^ ]*$' '^ \* Answer: .' '^ \* Expect: .'; do
			echo "$comment" | grep -q "$part" || echo "$file: lacks $part"
		done
		for model in sc tso armv8 rvwmo rc11 c20 lkmm lkmm61; do
			$lab --csv --model=$model "$file" 2>/dev/null
		done | awk -F, -v expect="$(echo "$comment" | sed -n 's/^ \* Expect: //p')," -v file="$file" '
			{ sub(/!.*/, "", $3); nr++; if (!index(", " expect, ", " $2 " " $3 ",")) print file ": " $3 " under " $2 }
			END { if (nr != gsub(/,/, "", expect)) print file ": " nr " models judge it" }'
	done
}

echo "TAP version 13"
echo "1..10"
nr_commands=$(commands $page)
differs >"$tmp/out"
[ ! -s "$tmp/out" ] && [ "$nr_commands" -ge 24 ]
check "what each of the $nr_commands commands prints is what the page says"
printf '%s\n' 'As::' '' '    $ build/nap-litmus --model=sc --model=tso \' '        build/gallery/SB.litmus' \
	'                                       sc         tso' '    SB                                 Never      Never' '' \
	'    $ echo build/nap-litmus; true' >"$tmp/page"
[ "$(commands "$tmp/page")" = 2 ] && differs >"$tmp/out" && grep -q '^> SB  *Never *Sometimes$' "$tmp/out" &&
	grep -q '^no command for this test: echo' "$tmp/out" && [ "$(grep -c '^[<>] ' "$tmp/out")" = 2 ]
check "another verdict is found, and another command is not run"

programs $page
others >"$tmp/out"
[ ! -s "$tmp/out" ] && [ "$(ls "$tmp/programs" | wc -l)" = 8 ]
check "the eight programs are those of the gallery"
sed 's/smp_rmb()/smp_mb()/' $page >"$tmp/page" && programs "$tmp/page"
others >"$tmp/out"
[ "$(cat "$tmp/out")" = 'IRIW+rmbs' ]
check "a program that the gallery has otherwise is found"

lessons $page >"$tmp/out"
[ "$(wc -l <"$tmp/out")" = 8 ] && ! grep -q '^WITHOUT' "$tmp/out" && grep -q '^1\. Store buffering$' "$tmp/out" && grep -q '^8\. RCU$' "$tmp/out"
check "eight lessons, each with a question, a command, an answer, and a test for the page"
cp "$tmp/out" "$tmp/lessons"
sed 's/^\(\*In the page:\*.*\)#test=MP``/\1#test=MP0``/; 0,/^\*Question/s/^\*Question/Question/' $page >"$tmp/page"
lessons "$tmp/page" >"$tmp/out"
[ "$(grep -c '^WITHOUT [12]\. ' "$tmp/out")" = 2 ] && [ "$(grep -c '^WITHOUT' "$tmp/out")" = 2 ]
check "a lesson that lacks one of these is found"
sed -n '/^const LESSONS/,/^\];/s/^	\["\([^"]*\)", .*/\1/p' tools/litmus/page/gallery.js | diff "$tmp/lessons" - >"$tmp/out"
check "the page's gallery has the same lessons"

answers $questions >"$tmp/out"
grep -ho '^ \* https\{0,1\}://.*' $questions/*.litmus | sed 's/^ \* //' >"$tmp/asked"
while read -r address; do grep -qF "<$address>" $page || echo "$address is not in the page"; done <"$tmp/asked" >>"$tmp/out"
[ ! -s "$tmp/out" ] && [ "$(sort -u "$tmp/asked" | wc -l)" = 12 ]
check "twelve questions, each with its address, an answer, and what every model says"
mkdir "$tmp/wrong"
sed 's/lkmm61 Sometimes/lkmm61 Never/' $questions/chain-add.litmus >"$tmp/wrong/chain-add.litmus"
sed 's/, c20 Never//; /http/d' $questions/store-load.litmus >"$tmp/wrong/store-load.litmus"
answers "$tmp/wrong" >"$tmp/out"
[ "$(wc -l <"$tmp/out")" = 4 ] && grep -q 'chain-add.litmus: Sometimes under lkmm61' "$tmp/out" && grep -q 'store-load.litmus: Never under c20' "$tmp/out"
check "a wrong answer is found, one of no model, and a question from nowhere"
[ "$($lab --csv --compile=gcc:aarch64 --compile=clang:aarch64 $questions/two-arms.litmus | cut -d , -f 3)" = 'Sometimes
Sometimes' ]
check "two-arms comes out otherwise as compiled"
