#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The library on musl, whose threads' stacks are little: built shared and static, and some of the
# unit tests on it. KTAP.

build=${NAP_BUILD:-build}/musl
. "$(dirname "$0")/check.inc"

programs='stack nesting group pool jobs'

echo "TAP version 13"
if ! command -v musl-gcc >/dev/null; then
	echo "1..0 # SKIP needs package musl-tools"
	exit 0
fi
echo "1..8"

# musl-gcc does not look where the kernel's headers are
musl_make()
{
	${MAKE:-make} --no-print-directory CC=musl-gcc B="$build" \
		CPPFLAGS="-idirafter /usr/include -idirafter /usr/include/$(gcc -dumpmachine)" "$@" >"$tmp/out" 2>&1
}

musl_make all
check "builds with musl-gcc"
readelf -d "$build/libnap.so.0" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$tmp/out"
[ "$(cat "$tmp/out")" = libc.so ]
check "needs musl alone"
# shellcheck disable=SC2086
musl_make LDFLAGS=-static $(printf "$build/tests/unit/%s " $programs)
check "unit tests link with it statically"
for program in $programs; do
	timeout 120 "$build/tests/unit/$program" >"$tmp/out" 2>&1
	check "unit/$program"
done
