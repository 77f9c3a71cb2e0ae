#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the programs of tools/example/, built as their first lines say, and their output. NAP_SHORT=1: built by gcc
# alone. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}

echo "TAP version 13"
echo "1..35"

compilers='clang gcc'
[ -z "${NAP_SHORT:-}" ] || compilers=gcc
# builds NAME LIBRARY...: builds the example with each of the compilers
builds()
{
	name=$1
	shift
	for one in $compilers; do
		build $name $one "$@" || return 1
	done
}

# build NAME COMPILER LIBRARY...: builds as a newcomer does, with every warning
build()
{
	name=$1 compiler=$2
	shift 2
	# shellcheck disable=SC2086
	$compiler -O2 -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$tmp/$name" "tools/example/$name.c" \
		"$build/libnap.a" -pthread -lm "$@" >"$tmp/out" 2>&1
}
for name in classes daemonize downloads echo grep image kmeans mandelbrot matmul pipeline; do
	builds $name
	check "$name compiles"
done

# Texts of all kinds, the same on each machine: 300 files in 30 directories, of 0 to 2,000 lines.
# Lines are empty, long, or of bytes that are no characters in any locale; a last line has no
# newline; two files are links.
dirs=$tmp/texts
for i in 0 1 2; do for k in 0 1 2 3 4 5 6 7 8 9; do mkdir -p "$dirs/$i/$k"; done; done
awk -v dirs="$dirs" 'BEGIN {
	for (n = 0; n < 300; n++) {
		file = dirs "/" n % 3 "/" n % 10 "/" n ".h"
		printf "" >file
		for (line = n * 7 % 2000; line > 0; line--) {
			kind = (line * 31 + n) % 97
			if (kind == 0)
				printf "#define N%d_MAX\t(%d + 1)\n", n, line >file
			else if (kind == 1)
				printf "\treturn -EINVAL;\t/* %d */ EINVAL\n", line >file
			else if (kind == 2)
				printf "struct old%d; int stat%d(struct stat *);  \n", line, n >file
			else if (kind == 3)
				printf "\n \v \f\n" >file
			else if (kind == 4)
				printf "\377\200 h\303\251 \001 EINVAL\177\n" >file
			else if (kind == 5 && n % 5 == 0) {
				for (i = 0; i < 500; i++)
					printf "word%d%s", i, i % 50 ? " " : "" >file
				print "" >file
			} else
				printf "\tx%d = %d;\n", line, n >file
		}
		if (n % 4 == 1)
			printf "#define EINVAL_MAX without an end" >file
		close(file)
	}
}'
ln -s 1.h "$dirs/1/1/link.h"
ln -s . "$dirs/2/2/loop"

# same_lines PATTERN: whether the output is that of grep -rn, except for the order of files
same_lines()
{
	LC_ALL=C grep -arn -- "$1" $dirs 2>/dev/null | LC_ALL=C sort >"$tmp/expected"
	"$tmp/grep" "$1" $dirs >"$tmp/found" 2>"$tmp/err"
	LC_ALL=C sort "$tmp/found" >"$tmp/sorted"
	[ -s "$tmp/expected" ] && diff "$tmp/expected" "$tmp/sorted" >"$tmp/out" 2>&1 || return 1
	# The lines of a file are in order, with no line of another file between them.
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

# White space ends a word; wc differs for a word without a printable character.
find "$dirs" -name '*.h' -type f | LC_ALL=C sort | xargs cat >"$tmp/text"
LC_ALL=C tr -s ' \t\n\v\f\r' '\n' <"$tmp/text" | grep -ac . >"$tmp/words"
"$tmp/pipeline" <"$tmp/text" >"$tmp/out" 2>"$tmp/err" &&
	echo "$(wc -l <"$tmp/text") $(cat "$tmp/words") $(wc -c <"$tmp/text")" |
	diff - "$tmp/out" >"$tmp/diff" 2>&1 && [ "$(wc -c <"$tmp/text")" -gt 2000000 ] &&
	[ "$(tr -d '\n' <"$tmp/text" | "$tmp/pipeline" | cut -d ' ' -f 1,3)" = \
		"0 $(tr -d '\n' <"$tmp/text" | wc -c)" ]
check "pipeline: lines, words and bytes"
[ "$("$tmp/pipeline" </dev/null)" = "0 0 0" ]
check "pipeline: nothing"
"$tmp/downloads" 700 50 >"$tmp/out" 2>"$tmp/err" &&
	grep -qxE '700 downloads, ([1-9]|[1-4][0-9]|50) at once, 1000 tries, 100 failed' "$tmp/out"
check "downloads: so many at once, and who never answers has three tries"

[ "$(sed -n '$=' tools/example/echo.c)" -le 60 ]
check "echo: in sixty lines"
ulimit -n "$(ulimit -Hn)"
"$tmp/echo" >"$tmp/port" 2>"$tmp/err" &
echo=$!
tries=0
until [ -s "$tmp/port" ] || [ $((tries += 1)) -gt 600 ]; do sleep 0.1; done
# echo_to CONNECTIONS REQUESTS: whether every request is answered
echo_to() { timeout 200 "$build/tests/system/echo_main" "$(sed 's/port //' "$tmp/port")" "$@" >"$tmp/out" 2>&1 &&
	[ "$(cat "$tmp/out")" = "$2 answered on $1 connections" ]; }
echo_to 1 1000 && echo_to 200 20000
check "echo: what was sent"
most=$(ulimit -n)
case $most in unlimited | ??????*) most=10100 ;; esac
most=$((most - 100))
[ $most -le 10000 ] || most=10000
echo_to $most $((most * 3)) && echo_to 20 2000
check "echo: to $most at once, and then to others"
kill $echo
wait $echo

builds loop
check "loop compiles"
"$tmp/loop" >"$tmp/said" 2>"$tmp/err" && sort "$tmp/said" >"$tmp/out" && [ "$(sed '$d' "$tmp/out")" = "7: 8
8: 9" ] && sed -n '$p' "$tmp/out" | grep -qxE '9: (10|-125)'
check "loop: each work ends once, and the one that is taken back says so, or has run"
sed -n '/^#include/,$p' tools/example/loop.c >"$tmp/program"
sed -n '/^    #include <nap/,/^    \treturn nap_pool_join/p' Documentation/daemons.rst | sed 's/^    //' >"$tmp/text"
echo } >>"$tmp/text"
lines=$(awk '/^{$/ { on = 1; next } /^}$/ { on = 0 } on && NF { n++ } END { print n }' "$tmp/program")
diff "$tmp/program" "$tmp/text" >"$tmp/out" 2>&1 && [ "$lines" = 12 ]
check "loop: has twelve lines in its functions, and is what daemons.rst shows"

builds loop_uring -luring
check "loop_uring compiles"
name="loop_uring: each work ends on a loop of io_uring's"
printf '%s\n' '#include <liburing.h>' 'int main(void) { struct io_uring r; return -io_uring_queue_init(1, &r, 0); }' >"$tmp/probe.c"
gcc -o "$tmp/probe" "$tmp/probe.c" -luring && "$tmp/probe"
case $? in
1 | 13 | 38)
	nr=$((nr + 1))
	echo "ok $nr $name # SKIP io_uring is forbidden here" ;;
*)
	"$tmp/loop_uring" >"$tmp/said" 2>"$tmp/err" && [ "$(sort "$tmp/said")" = "7: 8
8: 9" ]
	check "$name" ;;
esac

# A CPU that this process may use.
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[^0-9].*//')
"$tmp/mandelbrot" 301 200 >"$tmp/a.pgm" 2>"$tmp/err" &&
	taskset -c $cpu "$tmp/mandelbrot" 301 200 >"$tmp/b.pgm" 2>>"$tmp/err" &&
	cmp "$tmp/a.pgm" "$tmp/b.pgm" && [ "$(wc -c <"$tmp/a.pgm")" = $((301 * 200 + 15)) ]
check "mandelbrot: the same picture on one CPU"
"$tmp/image" 0 <"$tmp/a.pgm" >"$tmp/c.pgm" 2>"$tmp/bins" && cmp "$tmp/a.pgm" "$tmp/c.pgm" >"$tmp/out" 2>&1 &&
	[ "$(awk '{ n += $NF } END { print n }' "$tmp/bins")" = $((301 * 200)) ]
check "image: blurred by nothing it is the same; each pixel is counted"
"$tmp/kmeans" 20000 6 >"$tmp/all" 2>"$tmp/err" && taskset -c $cpu "$tmp/kmeans" 20000 6 >"$tmp/one" 2>>"$tmp/err" &&
	cmp "$tmp/all" "$tmp/one" >"$tmp/out" 2>&1 && [ "$(wc -l <"$tmp/all")" = 6 ]
check "kmeans: the same bits on one CPU"
"$tmp/matmul" 100 >"$tmp/out" 2>"$tmp/err" && [ "$(cat "$tmp/out")" = "100 x 100: trace $(awk 'BEGIN {
	n = 100
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			t += ((i * n + k) % 7) * ((k * n + i) % 5) / 4
	printf "%.6g", t }')" ]
check "matmul: the trace"
"$tmp/classes" >"$tmp/out" 2>&1 &&
	grep -qxE '1000 requests are answered behind ([0-9]{1,3}|1000) rows of 1000' "$tmp/out"
check "classes: everything is done, and how much of the batch before the last request"
# The parent returns when the daemon is ready; the daemon writes a line and ends.
has_computed()
{
	i=0
	while [ ! -s "$tmp/daemon" ] && [ $i -lt 600 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	[ "$(cat "$tmp/daemon")" = '333833500 333833500 daemon' ]
}
"$tmp/daemonize" "$tmp/daemon" >"$tmp/out" 2>"$tmp/err" && has_computed
check "daemonize: the same pool before and behind it"
rm -f "$tmp/daemon"
"$tmp/daemonize" "$tmp/daemon" <&- >&- 2>&- && has_computed
check "daemonize: the same without standard streams"
"$tmp/daemonize" "$tmp/daemon" pool >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && [ ! -s "$tmp/daemon" ]
check "daemonize: a daemon that cannot be made is told of"

words()
{
	"$1" -O2 -std=c++17 -Wall -Wextra -Werror -Iinclude -o "$tmp/words" tools/example/words.cc "$build/libnap.a" -pthread
}
each_words()
{
	for one in $compilers; do
		words $([ $one = gcc ] && echo g++ || echo clang++) || return 1
	done
}
each_words >"$tmp/out" 2>&1
check "words compiles, as C++"
LC_ALL=C wc -w README.md src/sched/*.c | sed 's/^ *//' >"$tmp/want" && "$tmp/words" README.md src/sched/*.c | diff "$tmp/want" - >"$tmp/out" 2>&1 &&
	! "$tmp/words" /nowhere >"$tmp/out" 2>&1 && grep -q '^/nowhere: cannot be read' "$tmp/out"
check "words prints what wc -w prints, and which file cannot be read"
