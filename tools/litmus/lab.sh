#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make lab: judges the gallery and tests/litmus/ by each file's expectation, first as written; then
# the C tests as gcc and clang compile them. Writes all of it as a page, with the listings and the
# pictures: OUTPUT/index.html.
#
#	lab.sh NAP-LITMUS OUTPUT

lab=$1
page=$2
cd "$(dirname "$0")/../.." || exit 1
status=0
echo "The classic shapes (tools/litmus/gallery/), and what each model makes of the question:"
echo
$lab --expect build/gallery || status=1
echo
echo "nap's own (tests/litmus/):"
echo
$lab --expect tests/litmus || status=1
echo
echo "The same as compilers make instructions of them, by nap's atomics:"
echo
# Loops of LL and SC end by themselves: no verdict is marked as cut (*).
$lab --compile=all:nap tests/litmus
[ $? -le 1 ] || status=1
echo

# part FILE SUFFIX DIRECTORY: writes a part of the page, with two compilers and three machines
part()
{
	$lab --quiet --html="$page/$1" --compile=gcc:x86_64"$2" --compile=clang:x86_64"$2" \
		--compile=gcc:aarch64"$2" --compile=clang:aarch64"$2" --compile=gcc:riscv64"$2" \
		--compile=clang:riscv64"$2" "$3" >/dev/null
	[ $? -le 1 ]
}
mkdir -p "$page" && part gallery.part '' build/gallery && part own.part :nap tests/litmus &&
	$lab --quiet --svg="$page" build/gallery/SB.litmus >/dev/null &&
	sed -n '/<style>/,/<\/style>/p' "$page/SB.lkmm.svg" >"$page/style.part" &&
	sed -e "/^@STYLE@/{r $page/style.part" -e 'd}' -e "/^@GALLERY@/{r $page/gallery.part" -e 'd}' \
		-e "/^@OWN@/{r $page/own.part" -e 'd}' tools/litmus/lab.html >"$page/index.html" || status=1
rm -f "$page"/*.part "$page/SB.lkmm.svg"

echo "Why: $lab --why FILE. As a picture: $lab --svg=DIRECTORY FILE. All of this as a page: $page/index.html." \
	"More: Documentation/laboratory.rst"
exit $status
