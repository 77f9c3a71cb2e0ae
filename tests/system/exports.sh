#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests what the shared library exports (src/libnap.map) and what it needs; and that it exports for
# other languages what programs in C have from the headers (nap/foreign.h). KTAP.

so=${NAP_BUILD:-build}/libnap.so.1
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..7"

# nodes FILE: prints "SYMBOL NODE" for each symbol that a version script exports
nodes()
{
	awk '/^[A-Z].* \{$/ { node = $1 } /^\tglobal:$/ { on = 1 } /^\tlocal:$|^\}/ { on = 0 }
		on && /;$/ { sub(/;/, ""); print $1, node }' "$1" | sort
}

# inlines: prints the names of the headers' inline functions. functions: prints the names of all
# other functions of the headers
inlines()
{
	sed -n 's/^static inline .*[ *]\(nap_[a-z0-9_]*\)(.*/\1/p' include/nap/*.h | sort -u
}
functions()
{
	sed -n '/^static inline/d; /^nap__inline/d; s/^[a-z].*[ *]\(nap_[a-z0-9_]*\)(.*/\1/p' \
		$(ls include/nap/*.h | grep -v bare.h) | sort -u
}

nm -D --defined-only "$so" | awk '$2 != "A" { print $3 }' | sed 's/@@/ /' | sort >"$tmp/symbols"
nodes src/libnap.map | diff - "$tmp/symbols" >"$tmp/out" && [ -s "$tmp/symbols" ] && ! grep -q '\*' "$tmp/symbols"
check "exports what src/libnap.map lists by name, in these versions, and nothing else"
awk '!/ NAP_FFI_/ { print $1 }' "$tmp/symbols" >"$tmp/calls"
functions | diff - "$tmp/calls" >"$tmp/out" && [ -s "$tmp/calls" ]
check "exports every function that the headers declare"
awk '/ NAP_FFI_/ { print $1 }' "$tmp/symbols" >"$tmp/copies"
inlines | diff - "$tmp/copies" >"$tmp/out" && [ -s "$tmp/copies" ]
check "and a copy of each of their inline functions"
sed -n 's/^ (symver)\(NAP_[A-Z0-9_]*\) [0-9.]*$/\1/p' tools/debian/libnap1.symbols | sort >"$tmp/nodes"
nodes src/libnap.map | awk '{ print $2 }' | sort -u | diff - "$tmp/nodes" >"$tmp/out" && [ -s "$tmp/nodes" ]
check "the Debian package says of each version since when it has it"
gcc -E -P -Iinclude include/nap/nap.h | sed -n 's/^struct \(nap_[a-z_]*\) {.*/\1/p' | grep -v '^nap__' | sort -u >"$tmp/structs"
sed -n 's/^\tSIZE_OF(\(.*\)),$/\1/p' src/kit/sizes.c | diff "$tmp/structs" - >"$tmp/out" && [ -s "$tmp/structs" ]
check "nap_size_of() knows every struct of nap/nap.h"
readelf -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$tmp/out"
[ "$(cat "$tmp/out")" = libc.so.6 ]
check "needs libc alone"
readelf -d "$so" | grep -q 'SONAME.*\[libnap.so.1\]'
check "has the soname libnap.so.1"
