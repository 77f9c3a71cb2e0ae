#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that compiled programs can rely on the library as before (Documentation/abi.rst).
# tools/abi/libnap.layout says what compilers put into programs, and tools/abi/libnap.abi what the
# library exports. Both still hold, a change of either is found, and a program of today runs on a
# library that has more. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}

echo "TAP version 13"
echo "1..15"

# skip WHY NAME...: prints that these tests are skipped
skip()
{
	why=$1
	shift
	for name; do
		nr=$((nr + 1))
		echo "ok $nr $name # SKIP $why"
	done
}

# compiles MACHINE [INCLUDE]: whether the layout is as written down when clang compiles for MACHINE
compiles()
{
	clang --target="$1-linux-gnu" -ffreestanding -std=gnu11 -fsyntax-only -I"${2:-include}" "$tmp/layout.c" >"$tmp/out" 2>&1
}

sh tools/abi/layout.sh >"$tmp/layout" && diff tools/abi/libnap.layout "$tmp/layout" >"$tmp/out" &&
	[ "$(wc -l <"$tmp/layout")" -gt 400 ]
check "sizes, offsets and constants are as written down ($(wc -l <"$tmp/layout"))"
sh tools/abi/layout.sh assert <tools/abi/libnap.layout >"$tmp/layout.c"
for machine in x86_64 aarch64 riscv64; do
	compiles $machine
	check "so they are for clang, $machine"
done
# changed FILE SCRIPT: copies the headers to $tmp/changed/include, and changes FILE there by the sed
# SCRIPT
changed()
{
	rm -rf "$tmp/changed" && mkdir -p "$tmp/changed/include" && cp -r include/nap "$tmp/changed/include/" &&
		sed "$2" "include/nap/$1" >"$tmp/changed/include/nap/$1" && ! cmp -s "include/nap/$1" "$tmp/changed/include/nap/$1"
}
changed fork.h 's/^	struct nap_frame \*split;$//; s/^	struct nap_frame \*full;$/&\n	struct nap_frame *split;/' &&
	! compiles x86_64 "$tmp/changed/include" && grep -q 'offsetof(struct nap__forks, split)' "$tmp/out"
check "a field that has moved is found"
changed pool.h 's/NAP_STOP = 2/NAP_STOP = 3/' && ! compiles riscv64 "$tmp/changed/include" && grep -q '"NAP_STOP"' "$tmp/out"
check "so is a constant that has changed"
# The rows of the document's tables: ``expression`` and a number.
sed -n 's/^``\([^`]*\)`` *\([0-9][0-9]*\)\( .*\)*$/\2 \1/p' Documentation/abi.rst >"$tmp/rows"
grep -vxF -f tools/abi/libnap.layout "$tmp/rows" >"$tmp/out"
[ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/rows")" -gt 20 ]
check "the tables of abi.rst have these numbers ($(wc -l <"$tmp/rows") rows)"

exported="the library exports what is written down
a symbol that was removed is found
so is a field that has moved
a later library has more, and lacks nothing"
run="a program of today runs on a later library as on this one
a later program runs on the later library
on this library its field is refused, and is not ignored
and its call is not found when it starts"
newline='
'
# lines TEXT COMMAND...: calls the command with each line of the text as an argument
lines()
{
	IFS=$newline
	# shellcheck disable=SC2086
	set -- "$2" "$3" $1
	unset IFS
	"$@"
}

if [ "$(uname -m)" != x86_64 ] || ! readelf -d "$build/libnap.so.1" | grep -q 'SONAME.*\[libnap.so.1\]' ||
	! readelf -p .comment "$build/libnap.so.1" | grep -q GCC; then
	lines "$exported$newline$run" skip "what is written down is the plain library of gcc for x86-64"
	exit
fi

# object FILE INCLUDE: compiles a file of the library with these headers
object()
{
	gcc -std=gnu11 -g -O1 -fPIC -fvisibility=hidden -fno-strict-aliasing -ftls-model=initial-exec -pthread -D_GNU_SOURCE \
		-I"$2" -iquote src -Iarch/x86_64 -c -o "$tmp/$(basename "$1" .c).o" "$1"
}
# link TO MAP [OBJECT]: links the library's objects to a shared library; OBJECT takes the place of
# the library's object of the same name
link()
{
	mkdir -p "$(dirname "$1")"
	cp "$build/libnap.a" "$tmp/libnap.a" && { [ $# -eq 2 ] || ar d "$tmp/libnap.a" "$(basename "$3")"; } || return 1
	map=$2 to=$1
	shift 2
	gcc -shared -pthread -o "$to" -Wl,-soname,libnap.so.1 -Wl,--version-script="$map" "$@" \
		-Wl,--whole-archive "$tmp/libnap.a" -Wl,--no-whole-archive
}
# differs LIBRARY: prints how the library differs from what is written down; the status is abidiff's
differs()
{
	sh tools/abi/record.sh "$1" >"$tmp/record" && abidiff --no-show-locs tools/abi/libnap.abi "$tmp/record"
}

# A later library: one more field in place of a reserved word, and one more call in a version of its own.
{
	changed config.h 's/^	uint32_t reserved\[5\] nap__zero;/	uint32_t later nap__zero;\n	uint32_t reserved[4] nap__zero;/' &&
		sed 's/^int nap_pool_init(/uint32_t nap_pool_later(const struct nap_pool *pool);\n&/' include/nap/pool.h \
			>"$tmp/changed/include/nap/pool.h" && mkdir -p "$tmp/src/life" && cp src/life/pool.c "$tmp/src/life/" &&
		printf 'uint32_t nap_pool_later(const struct nap_pool *pool)\n{\n\treturn pool->config.later;\n}\n' >>"$tmp/src/life/pool.c" &&
		sed 's/^NAP_FFI_1/NAP_1_1 {\n	global:\n		nap_pool_later;\n} NAP_1;\n\n&/' src/libnap.map >"$tmp/later.map" &&
		object "$tmp/src/life/pool.c" "$tmp/changed/include" &&
		link "$tmp/lib/libnap.so.1" "$tmp/later.map" "$tmp/pool.o" && mv "$tmp/changed" "$tmp/headers"
} >"$tmp/later.out" 2>&1

if command -v abidw >/dev/null; then
	differs "$build/libnap.so.1" >"$tmp/out" 2>&1
	check "the library exports what is written down"
	sed '/^		nap_cpu_count;$/d' src/libnap.map >"$tmp/cut.map"
	link "$tmp/cut/libnap.so.1" "$tmp/cut.map" >"$tmp/out" 2>&1
	differs "$tmp/cut/libnap.so.1" >"$tmp/out" 2>&1
	[ $(($? & 8)) -ne 0 ] && grep -q 'Removed function' "$tmp/out" && grep -q "nap_cpu_count@@NAP_1" "$tmp/out"
	check "a symbol that was removed is found"
	# Two fields of the same size, in a struct that one file alone uses.
	changed for.h 's/^	size_t row, row_end;$/	size_t row_end, row;/' && object src/parallel/for.c "$tmp/changed/include" >"$tmp/out" 2>&1 &&
		link "$tmp/moved/libnap.so.1" src/libnap.map "$tmp/for.o" >"$tmp/out" 2>&1
	differs "$tmp/moved/libnap.so.1" >"$tmp/out" 2>&1
	[ $? -eq 4 ] && grep -q "row_end.*offset changed\|offset changed from 0 to 64" "$tmp/out"
	check "so is a field that has moved"
	differs "$tmp/lib/libnap.so.1" >"$tmp/out" 2>&1
	[ $? -eq 4 ] && grep -q '1 Added function' "$tmp/out" && grep -q ' 0 Removed, ' "$tmp/out"
	check "a later library has more, and lacks nothing"
else
	lines "$exported" skip "no abidw (Debian: abigail-tools)"
fi

# program NAME INCLUDE LIBRARIES [FLAG]: compiles tests/system/abi/NAME.c
program()
{
	gcc -std=gnu11 -O1 -Wall -Wextra -Werror -pthread $4 -I"$2" -o "$tmp/$1$4" "tests/system/abi/$1.c" "$3/libnap.so.1"
}
cat "$tmp/later.out" >"$tmp/out"
program today include "$build" >>"$tmp/out" 2>&1 && LD_LIBRARY_PATH=$build "$tmp/today" >"$tmp/said" &&
	LD_LIBRARY_PATH=$tmp/lib "$tmp/today" >"$tmp/said.later" && diff "$tmp/said" "$tmp/said.later" >>"$tmp/out" &&
	grep -qx '45 42 144, limit 3, measured 100, failed 0' "$tmp/said" && tail -n 1 "$tmp/said" | grep -qx 0
check "a program of today runs on a later library as on this one"
program later "$tmp/headers/include" "$tmp/lib" -DSYMBOL >"$tmp/out" 2>&1 &&
	[ "$(LD_LIBRARY_PATH=$tmp/lib "$tmp/later-DSYMBOL")" = '0 7' ]
check "a later program runs on the later library"
program later "$tmp/headers/include" "$build" >"$tmp/out" 2>&1 &&
	[ "$(LD_LIBRARY_PATH=$build "$tmp/later")" = -22 ] && [ "$(LD_LIBRARY_PATH=$tmp/lib "$tmp/later")" = 0 ]
check "on this library its field is refused, and is not ignored"
! LD_LIBRARY_PATH=$build "$tmp/later-DSYMBOL" >"$tmp/out" 2>&1 && grep -q "version .NAP_1_1' not found" "$tmp/out"
check "and its call is not found when it starts"
