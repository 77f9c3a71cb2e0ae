#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests a user program under ThreadSanitizer with the installed library, which is not built for
# ThreadSanitizer: a correct program has no report, a program with a race has a report of this race.
# NAP_SHORT=1: by gcc alone. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
compilers='gcc clang'
[ -z "${NAP_SHORT:-}" ] || compilers=gcc
echo "1..$((1 + 8 * $(echo $compilers | wc -w)))"

program=$(ls tests/system/detector/*.c | grep -E '/(main|work|ends|kit)\.c$')

# ThreadSanitizer supports only fixed ranges of addresses. The address randomisation of new
# kernels puts memory outside of these.
fixed=
setarch -R true 2>/dev/null && fixed='setarch -R'

# The sanitizer gets names from addr2line, which comes with a compiler. llvm-symbolizer is in
# another package.
TSAN_OPTIONS=external_symbolizer_path=$(command -v addr2line)
export TSAN_OPTIONS

# run PROGRAM: whether the program ends without a report
run()
{
	LD_LIBRARY_PATH=$build $fixed "$1" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && grep -qx done "$tmp/out"
}

# finds PROGRAM: whether the report is of the race, and of nothing else
finds()
{
	LD_LIBRARY_PATH=$build $fixed "$1" >"$tmp/out" 2>"$tmp/err"
	[ "$(grep -c 'WARNING: ThreadSanitizer' "$tmp/err")" = 1 ] &&
		grep -Eq 'SUMMARY: ThreadSanitizer: data race .* in race$' "$tmp/err"
}

for cc in $compilers; do
	compiler="$cc -std=gnu11 -Wall -Wextra -Werror -Wno-missing-field-initializers -O1 -g -fsanitize=thread -Iinclude"
	compile="$compiler $program"
	{ $compile -o "$tmp/shared" -L"$build" -lnap -pthread && $compile -o "$tmp/static" "$build/libnap.a" -pthread &&
		$compile -DRACE -o "$tmp/race" -L"$build" -lnap -pthread &&
		$compile -DRACE -o "$tmp/race-static" "$build/libnap.a" -pthread; } >"$tmp/out" 2>&1
	check "$cc: the program compiles"
	run "$tmp/shared"
	check "$cc: nothing is reported with the shared library"
	run "$tmp/static"
	check "$cc: nor with the static one"
	finds "$tmp/race"
	check "$cc: what nothing orders is reported, shared"
	finds "$tmp/race-static"
	check "$cc: and static"
	compile="$compiler tests/system/detector/fibers.c"
	{ $compile -o "$tmp/fibers" -L"$build" -lnap -pthread && $compile -DRACE -o "$tmp/fibers-race" "$build/libnap.a" -pthread; } \
		>"$tmp/out" 2>&1
	check "$cc: fibers compile"
	run "$tmp/fibers"
	check "$cc: nothing is reported of fibers"
	finds "$tmp/fibers-race"
	check "$cc: but for what nothing orders"
done

# Defines those functions of ThreadSanitizer that Go's race detector has, too.
gcc -std=gnu11 -Wall -Wextra -Werror -rdynamic -Iinclude -o "$tmp/go" tests/system/detector/goroutines.c -L"$build" -lnap \
	>"$tmp/out" 2>&1 && LD_LIBRARY_PATH=$build "$tmp/go" >"$tmp/out" 2>"$tmp/err"
check "Go's race detector, which has functions of the same names, is not called"
