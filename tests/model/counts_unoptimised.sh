#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the litmus shapes as nap-check compiles them, without -O, by gcc and by clang: each shape
# has as many executions as the enumerator says (litmus_counts.sh). MODEL_CPPFLAGS are the flags of
# model.mk. These may define CHECK_THREADS, the number of threads; -UCHECK_THREADS undoes this,
# because nap-check's library has another number. KTAP.

build=${NAP_MODEL:-build/model}
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

for cc in gcc clang; do
	"$build/nap-check" --cc=$cc --keep="$tmp/$cc" $MODEL_CPPFLAGS -UCHECK_THREADS \
		tests/model/litmus.c --list >"$tmp/out" 2>&1 || {
		echo "Bail out! $cc: litmus.c does not compile"
		sed 's/^/# /' "$tmp/out"
		exit 1
	}
done
sh tests/model/litmus_counts.sh build/litmus/tests/brute "$tmp/gcc/check" "$tmp/clang/check"
