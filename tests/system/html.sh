#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests `make html`: docutils has nothing to say of any document, each document and each page of the
# manual is there and in the index, and each link leads somewhere. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL

echo "TAP version 13"
if ! python3 -c 'import docutils' 2>/dev/null || ! command -v mandoc >/dev/null; then
	echo "1..0 # SKIP needs packages python3-docutils and mandoc"
	exit 0
fi
echo "1..6"

html=$tmp/o/html
make_html()
{
	${MAKE:-make} --no-print-directory O="$tmp/o" "$@" html >"$tmp/out" 2>&1
}
make_html && [ "$(cat "$tmp/out")" = "$html/index.html" ]
check "make html makes the documents and the manual, without a complaint"
for document in Documentation/*.rst; do
	name=$(basename "$document" .rst).html
	[ -s "$html/$name" ] && grep -q "href=\"$name\"" "$html/index.html" || echo "no $name"
done >"$tmp/out"
[ ! -s "$tmp/out" ] && [ "$(ls "$html"/*.html | wc -l)" -gt 20 ]
check "each document is there, and in the index ($(ls "$html"/*.html | wc -l))"
[ "$(ls "$html"/man/*.3.html | wc -l)" -gt 50 ] && [ -s "$html/man/nap.7.html" ] &&
	grep -q 'href="man/nap_call.3.html"' "$html/index.html" && grep -q 'href="../man/nap_fork.3.html"' "$html/man/nap_call.3.html" &&
	grep -q '<a href="man/nap-trace.1.html">' "$html/inside.html" && grep -q '<a href="idle.html">' "$html/design.html"
check "and each page of the manual, where it is named ($(ls "$html"/man/*.html | wc -l))"
PYTHONDONTWRITEBYTECODE=1 python3 tools/html/links.py "$html" >"$tmp/out" 2>&1
check "each link leads somewhere ($(cat "$html"/*.html "$html"/man/*.html | grep -o 'href=' | wc -l))"
sed -i 's|<a href="idle.html">|<a href="idol.html">|; s|href="#rooms"|href="#roms"|' "$html/design.html"
! PYTHONDONTWRITEBYTECODE=1 python3 tools/html/links.py "$html" >"$tmp/out" 2>&1 &&
	grep -q 'design.html: idol.html: no such file' "$tmp/out" && grep -q 'design.html: #roms: no such place' "$tmp/out"
check "a link to no file, or to no place in a file, is found"
printf 'A title\n====\n\n*open\n' >"$tmp/wrong.rst"
! make_html DOCUMENTS="$tmp/wrong.rst" && grep -q 'wrong.rst:2: .*underline too short' "$tmp/out" &&
	grep -q 'wrong.rst:4: .*without end-string' "$tmp/out"
check "a fault in a document is found"
