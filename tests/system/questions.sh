#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests Documentation/questions.rst: each piece of it compiles in a program of
# tests/system/questions/, which tests what the page says of the piece; each of the thirty questions
# says where it was asked; and the headers have each name of nap's that is in the page. KTAP.

. "$(dirname "$0")/check.inc"
. "$(dirname "$0")/pieces.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}
page=Documentation/questions.rst

pieces $page
echo "TAP version 13"
echo "1..$(($(wc -l <"$tmp/pieces") + 6))"

for program in tests/system/questions/*.c; do
	grep -q '#include PIECE' "$program" && basename "$program" .c
done | LC_ALL=C sort | diff "$tmp/pieces" - >"$tmp/out" && [ "$(wc -l <"$tmp/pieces")" -gt 20 ]
check "each piece has a program"

# questions PAGE: prints each heading that asks. If no address of a thread comes before the next
# heading, prints "WITHOUT" before this heading.
questions()
{
	awk '/^--+$/ { if (heading) print (thread ? "" : "WITHOUT ") heading; heading = last; thread = 0 }
		/^Asked of / { asked = 1 }
		asked && /<https:\/\/github\.com\/[^\/]+\/[^\/]+\/(issues|pull)\/[0-9]+>`__/ { thread = 1 }
		/^$/ { asked = 0 }
		{ last = $0 }
		END { if (heading) print (thread ? "" : "WITHOUT ") heading }' "$1"
}
questions $page >"$tmp/out"
[ "$(grep -c '?$' "$tmp/out")" = 30 ] && [ "$(wc -l <"$tmp/out")" = 30 ] && ! grep -q '^WITHOUT' "$tmp/out"
check "there are thirty questions, each with a thread"

grep -o 'https://[^>]*' $page | LC_ALL=C sort | uniq -d >"$tmp/out"
[ ! -s "$tmp/out" ]
check "no thread is named twice"

# strangers PAGE: prints the names of nap's in the page that no public header has
strangers()
{
	cat include/nap/*.h | grep -oE '\b(nap_[a-z0-9_]+|NAP_[A-Z0-9_]+)' | LC_ALL=C sort -u >"$tmp/headers"
	grep -oE '\b(nap_[a-z0-9_]+|NAP_[A-Z0-9_]+)' "$1" | LC_ALL=C sort -u | LC_ALL=C comm -23 - "$tmp/headers"
}
strangers $page >"$tmp/out"
[ ! -s "$tmp/out" ]
check "each name is one of the headers"

printf '%s\n' 'One?' '----' '' 'Asked of A, `#1 <https://github.com/a/a/issues/1>`__.' '' 'Two?' '----' \
	'' '``nap_schedule()``, nap_no_such()' '' '#3 <https://github.com/a/a/issues/3>`__' >"$tmp/page"
[ "$(questions "$tmp/page" | tr '\n' '|')" = 'One?|WITHOUT Two?|' ] && [ "$(strangers "$tmp/page")" = nap_no_such ]
check "a question without a thread, and a name that is not there, are found"

while read -r piece; do
	compile_piece "$piece" "tests/system/questions/$piece.c" "$build/libnap.a" -pthread &&
		timeout 60 "$tmp/$piece" >"$tmp/out" 2>"$tmp/err"
	check "$piece"
done <"$tmp/pieces"

compile_piece exit tests/system/questions/exit.c "$build/libnap.a" -pthread && timeout 60 "$tmp/exit" >"$tmp/out" 2>"$tmp/err"
check "a program ends while a task runs"
