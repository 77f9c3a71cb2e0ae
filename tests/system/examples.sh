#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs of tools/example/, built as their first lines say, and what they answer. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}
dirs=${EXAMPLE_DIRS:-/usr/include}

echo "TAP version 13"
echo "1..13"

# build NAME COMPILER: as a newcomer does, with every warning
build()
{
	# shellcheck disable=SC2086
	$2 -O2 -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$tmp/$1" "tools/example/$1.c" \
		"$build/libnap.a" -pthread -lm >"$tmp/out" 2>&1
}
for name in grep image kmeans mandelbrot matmul; do
	build $name clang && build $name gcc
	check "$name compiles"
done

# same_lines PATTERN: as grep -rn says, but for the order of the files
same_lines()
{
	LC_ALL=C grep -rn -- "$1" $dirs 2>/dev/null | LC_ALL=C sort >"$tmp/expected"
	"$tmp/grep" "$1" $dirs >"$tmp/found" 2>"$tmp/err"
	LC_ALL=C sort "$tmp/found" >"$tmp/sorted"
	[ -s "$tmp/expected" ] && diff "$tmp/expected" "$tmp/sorted" >"$tmp/out" 2>&1 || return 1
	# The lines of a file are in order, and together.
	awk -F: '$1 != file { if (seen[$1]++) bad = 1; file = $1; line = 0 } $2 + 0 <= line { bad = 1 }
		{ line = $2 + 0 } END { exit bad }' "$tmp/found"
}
same_lines EINVAL
check "grep: a word"
same_lines 'struct .*stat'
check "grep: an expression"
same_lines '^#define [A-Z]*_MAX'
check "grep: the beginning of lines"
"$tmp/grep" no_such_word_anywhere_here $dirs >"$tmp/out" 2>&1
[ $? = 1 ] && [ ! -s "$tmp/out" ]
check "grep: nothing found"

"$tmp/mandelbrot" 301 200 >"$tmp/a.pgm" 2>"$tmp/err" &&
	taskset -c 0 "$tmp/mandelbrot" 301 200 >"$tmp/b.pgm" 2>>"$tmp/err" &&
	cmp "$tmp/a.pgm" "$tmp/b.pgm" && [ "$(wc -c <"$tmp/a.pgm")" = $((301 * 200 + 15)) ]
check "mandelbrot: the same picture on one CPU"
"$tmp/image" 0 <"$tmp/a.pgm" >"$tmp/c.pgm" 2>"$tmp/bins" && cmp "$tmp/a.pgm" "$tmp/c.pgm" >"$tmp/out" 2>&1 &&
	[ "$(awk '{ n += $NF } END { print n }' "$tmp/bins")" = $((301 * 200)) ]
check "image: blurred by nothing it is the same; each pixel is counted"
"$tmp/kmeans" 20000 6 >"$tmp/all" 2>"$tmp/err" && taskset -c 0 "$tmp/kmeans" 20000 6 >"$tmp/one" 2>>"$tmp/err" &&
	cmp "$tmp/all" "$tmp/one" >"$tmp/out" 2>&1 && [ "$(wc -l <"$tmp/all")" = 6 ]
check "kmeans: the same bits on one CPU"
"$tmp/matmul" 100 >"$tmp/out" 2>"$tmp/err" && [ "$(cat "$tmp/out")" = "100 x 100: trace $(awk 'BEGIN {
	n = 100
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			t += ((i * n + k) % 7) * ((k * n + i) % 5) / 4
	printf "%.6g", t }')" ]
check "matmul: the trace"
