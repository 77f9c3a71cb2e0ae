#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that nap's headers, and what their macros put into a program, compile without a warning in every standard of C from
# C99 and of C++ from C++14, by gcc and clang: one by one, each twice, and all of them in either order. NAP_SHORT=1: one by
# one only in the oldest standards, which have the fewest features, by gcc. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
strict='-Wall -Wextra -Wpedantic -Wshadow -Wcast-align -Wconversion -Wsign-conversion -Wstrict-aliasing=1 -fstrict-aliasing -Werror'
compilers=gcc
! command -v clang >/dev/null || compilers='gcc clang'

echo "TAP version 13"
echo "1..9"

# plain COMPILER STANDARD FILE...: whether the compiler (gcc or clang) has no warning for the files
plain()
{
	cc=$1 std=$2
	shift 2
	case $cc-$std in
	gcc-c++*) cc=g++ ;;
	clang-c++*) cc=clang++ ;;
	esac
	# shellcheck disable=SC2086
	$cc -std="$std" -I"${include:-include}" $strict $([ "$cc" = "${cc#g}" ] || echo -Wcast-align=strict) -fsyntax-only "$@" || { echo "$cc -std=$std"; return 1; }
}

# everywhere STANDARDS FILE...: whether no compiler has a warning for the files in any of the
# standards
everywhere()
{
	by "$compilers" "$@"
}

# by COMPILERS STANDARDS FILE...: whether none of these compilers has a warning for the files in any
# of the standards
by()
{
	by=$1 standards=$2
	shift 2
	for compiler in $by; do
		for standard in $standards; do
			plain "$compiler" "$standard" "$@" || return 1
		done
	done >"$tmp/out" 2>&1
}

c='c99 c11 c17 c2x'
cxx='c++14 c++17 c++20 c++2b'
cxx17='c++17 c++20 c++2b'
alone=$compilers c_alone=$c cxx_alone=$cxx cxx17_alone=$cxx17
[ -z "$NAP_SHORT" ] || alone=gcc c_alone=c99 cxx_alone=c++14 cxx17_alone=c++17
# in_order FILE...: prints lines that include the headers
in_order()
{
	printf '#include <nap/%s>\n' "$@"
}
headers=$(cd include/nap && echo *.h)
for header in $headers daemon.hpp fiber.hpp nap.hpp parallel.hpp pool.hpp; do
	{
		in_order "$header" "$header"
		printf 'extern int x;\nint x;\n'
	} >"$tmp/${header%.*}.c${header##*.h}"
	[ "${header##*.h}" != '' ] || cp "$tmp/${header%.*}.c" "$tmp/${header%.*}.cc"
done
mkdir "$tmp/17" && mv "$tmp/fiber.cpp" "$tmp/nap.cpp" "$tmp/parallel.cpp" "$tmp/17"
# shellcheck disable=SC2086
{
	in_order $headers >"$tmp/up" && in_order $headers | sort -r >"$tmp/down"
	mkdir "$tmp/order" && for way in up down; do
		{ cat "$tmp/$way"; printf 'extern int x;\nint x;\n'; } | tee "$tmp/order/$way.c" >"$tmp/order/$way.cc"
	done
}
in_order fiber.hpp daemon.hpp daemon.hpp nap.hpp nap.h nap.hpp pool.hpp daemon.hpp fiber.hpp >"$tmp/17/order.cpp"

by "$alone" "$c_alone" "$tmp"/*.c
check "every header alone and twice in C ($(ls "$tmp"/*.c | wc -l))"
by "$alone" "$cxx_alone" "$tmp"/*.cc "$tmp"/daemon.cpp "$tmp"/pool.cpp
check "and in C++, with nap/daemon.hpp and nap/pool.hpp ($(ls "$tmp"/*.cc "$tmp"/*.cpp | wc -l))"
by "$alone" "$cxx17_alone" "$tmp"/17/fiber.cpp "$tmp"/17/nap.cpp "$tmp"/17/parallel.cpp
check "and nap/nap.hpp, nap/parallel.hpp and nap/fiber.hpp, from C++17 on"
everywhere "$c" "$tmp"/order/*.c
check "all of them in either order, C99 to C23"
everywhere "$cxx" "$tmp"/order/*.cc && everywhere "$cxx17" "$tmp"/17/order.cpp
check "C++14 to C++23"
everywhere "$c" tests/system/headers/uses.c
check "what macros and inline functions put into a program, C99 to C23"
{
	echo 'extern "C++" {'
	sed '/^#include/d' tests/system/headers/uses.c
	echo '}'
} | cat "$tmp/up" - >"$tmp/uses.cc"
everywhere "$cxx" "$tmp/uses.cc"
check "C++14 to C++23"

names='pool n group numbers data arg config size local begin end how'
{
	for name in $names; do echo "extern int $name;"; done
	in_order nap.h
} >"$tmp/shadow.c"
everywhere gnu11 "$tmp/shadow.c"
check "no function in a header shadows what programs call their pool"

# Each of these is one warning, and each is found.
mkdir -p "$tmp/wrong/nap"
found=0
for wrong in 'static inline int f(void) { int x; return ({ x = 1; }); }' 'static inline long f(char *p) { return *(long *)p; }' \
	'static inline int f(int n) { n; return 0; }' 'static inline int f(int n) { return 0; }' \
	'static int x; static inline int f(int x) { return x; }'; do
	cp include/nap/version.h "$tmp/wrong/nap/" && echo "$wrong" >>"$tmp/wrong/nap/version.h"
	in_order version.h >"$tmp/wrong/one.c"
	include=$tmp/wrong
	if by gcc c99 "$tmp/wrong/one.c"; then echo "not found: $wrong"; else found=$((found + 1)); fi
	unset include
done >"$tmp/said"
cp "$tmp/said" "$tmp/out"
[ $found = 5 ]
check "a header with a warning is found ($found)"
