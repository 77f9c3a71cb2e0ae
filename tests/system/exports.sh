#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests what the shared library exports (src/libnap.map), and needs. KTAP.

so=${NAP_BUILD:-build}/libnap.so.0
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..4"

nm -D --defined-only "$so" | awk '{ print $3 }' | grep -v '^NAP_0$' >"$tmp/symbols"
grep -Ev '^nap_[a-z]' "$tmp/symbols" >"$tmp/out"
[ ! -s "$tmp/out" ] && [ -s "$tmp/symbols" ]
check "exports nap_* and nothing else"
sed -n '/^static inline/d; /^nap__inline/d; s/^[a-z].*[ *]\(nap_[a-z0-9_]*\)(.*/\1/p' $(ls include/nap/*.h | grep -v bare.h) |
	sort -u >"$tmp/declared"
sed 's/@.*//' "$tmp/symbols" | sort -u | diff "$tmp/declared" - >"$tmp/out"
check "exports every function that the headers declare"
readelf -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$tmp/out"
[ "$(cat "$tmp/out")" = libc.so.6 ]
check "needs libc alone"
readelf -d "$so" | grep -q 'SONAME.*\[libnap.so.0\]'
check "has the soname libnap.so.0"
