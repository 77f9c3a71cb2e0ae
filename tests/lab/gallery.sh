#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each test of the gallery and of tests/litmus/ has an "Expect:" line, and comes out as that line
# says. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1

# as_expected DIRECTORY: checks each file; fails if some differ
as_expected()
{
	nr_tests=$(find "$1" -name '*.litmus' | wc -l)
	build/nap-litmus --expect "$1" >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 0 ] && [ ! -s "$tmp/err" ] &&
		[ "$(grep -l 'Expect:' "$1"/*.litmus | wc -l)" -eq "$nr_tests" ] &&
		grep -q "^$nr_tests tests, 0 could not be read; .*; 0 not as expected\$" "$tmp/out"
}

echo "TAP version 13"
echo "1..3"
as_expected build/gallery
check "the gallery: $nr_tests tests"
as_expected tests/litmus
check "tests/litmus: $nr_tests tests"
# Each test of the gallery says in a sentence what its shape is.
for file in build/gallery/*.litmus; do
	sed -n '/(\*/,/\*)/p' "$file" | grep -q '\. [A-Z]\|\.$' || echo "$file: no sentences"
done >"$tmp/out"
[ ! -s "$tmp/out" ]
check "each of the gallery says what it is"
