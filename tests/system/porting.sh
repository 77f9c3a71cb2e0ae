#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the pieces of Documentation/porting.rst: each piece compiles in a program of
# tests/system/porting/, for its old library and for nap, and the two programs print the same.
# Debian has no package of one old library (libdill): its piece is compiled where the library is
# installed, and what it prints is written down here. KTAP.

. "$(dirname "$0")/check.inc"
. "$(dirname "$0")/pieces.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}
page=Documentation/porting.rst

# Name; options to compile the old piece; output of both pieces.
pairs='uv|-luv|104 answers, 1 canceled, 171700
glib|pkg:glib-2.0|18481500
pthread|-pthread|374250
dill|-ldill|333833500
omp|-fopenmp|17711
ompfor|-fopenmp|2499975000.0'

echo "TAP version 13"
echo "1..$(($(echo "$pairs" | wc -l) * 2 + 1))"

pieces $page
echo "$pairs" | cut -d '|' -f 1 | while read -r name; do echo "$name-after"; echo "$name-before"; done | sort >"$tmp/expected"
diff "$tmp/expected" "$tmp/pieces" >"$tmp/out"
check "each pair is tried, and has both of its pieces"

# piece NAME before|after FLAGS...: compiles the piece, and runs it
piece()
{
	which=$1-$2 program=$1
	shift 2
	compile_piece "$which" "tests/system/porting/$program.c" "$@" || return 1
	UV_THREADPOOL_SIZE=1 OMP_NUM_THREADS=2 timeout 60 "$tmp/$which" >"$tmp/out" 2>"$tmp/err" &&
		[ "$(cat "$tmp/out")" = "$expected" ]
}

echo "$pairs" >"$tmp/pairs"
while IFS='|' read -r name flags expected; do
	case $flags in
	pkg:*) flags=$(pkg-config --cflags --libs "${flags#pkg:}" 2>/dev/null) ;;
	esac
	if [ "$name" = dill ] && ! echo '#include <libdill.h>' | ${CC:-gcc} -E - >"$tmp/out" 2>&1; then
		nr=$((nr + 1))
		echo "ok $nr # SKIP $name: no package has libdill"
	else
		# shellcheck disable=SC2086
		piece "$name" before -DBEFORE $flags
		check "$name as it was"
	fi
	piece "$name" after "$build/libnap.a" -pthread -lm
	check "$name on nap"
done <"$tmp/pairs"
