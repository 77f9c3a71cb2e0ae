#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compiles the tests of tests/litmus/ with gcc and clang for each machine, by the compiler's builtins
# and by nap's own atomics. Each test must come out as its "Expect:" line says of that machine's
# model. One check shows what only compiling shows: the compiler removes a dependency. NAP_SHORT=1:
# clang for this machine only, except in that check; and five random programs instead of fifteen.
# KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
lab=build/nap-litmus
gallery=build/gallery

# The tests that gcc before 14 breaks on RISC-V: it drops the order of a compare-exchange that is
# relaxed on failure (arch/c11/atomic.h), and the tests need that release or acquire.
gcc_riscv=$(riscv64-linux-gnu-gcc -dumpversion | cut -d. -f1)
WITHOUT_RELEASE='ring-reuse shutdown-flag treiber-grab treiber-grab-two'

# expected FILE MACHINE: prints what FILE expects of the model of that machine
expected()
{
	case $2 in
	x86_64) model=tso ;;
	aarch64*) model=armv8 ;;
	riscv64) model=rvwmo ;;
	esac
	sed -n "s/.*Expect:.*[ ,]$model \\([A-Za-z]*\\).*/\\1/p" "$1"
}

# as_expected TARGET: checks each file; fails if some differ, and writes these to $tmp/out
as_expected()
{
	machine=${1#*:}
	machine=${machine%:nap}
	$lab --csv --compile="$1" tests/litmus >"$tmp/csv" 2>"$tmp/err"
	for file in tests/litmus/*.litmus; do
		name=$(basename "$file" .litmus)
		wanted=$(expected "$file" "$machine")
		case $1-$gcc_riscv in
		gcc:riscv64-[0-9] | gcc:riscv64-1[0-3])
			case " $WITHOUT_RELEASE " in *" $name "*) wanted=Sometimes ;; esac ;;
		esac
		found=$(awk -F, -v file="$file" '$1 == file { sub(/!.*/, "", $3); print $3 }' "$tmp/csv")
		[ "$found" = "$wanted" ] && [ -n "$wanted" ] ||
			echo "$name: $found, expected $wanted"
	done >"$tmp/out"
	[ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
}

# verdict OPTIONS... FILE: prints nap-litmus's verdict
verdict()
{
	$lab --csv "$@" 2>"$tmp/err" | cut -d, -f3 | cut -d! -f1
}

echo "TAP version 13"
targets='gcc:x86_64 clang:x86_64 gcc:aarch64 gcc:aarch64+lse gcc:riscv64'
[ -n "${NAP_SHORT:-}" ] || targets="$targets clang:aarch64 clang:aarch64+lse clang:riscv64"
echo "1..$((8 + 2 * $(echo $targets | wc -w)))"
for target in $targets; do
	as_expected $target
	check "tests/litmus as $target"
	as_expected $target:nap
	check "tests/litmus as $target, by nap's own atomics"
done

for test in LB+ctrl-both LB+data-zero; do
	file=$gallery/$test.litmus
	[ "$(verdict --model=lkmm "$file")" = Never ] &&
		[ "$(verdict --model=armv8 "$file")" = Never ]
	check "$test: forbidden as it is written"
	for target in gcc:aarch64 clang:riscv64; do
		[ "$(verdict --compile=$target "$file")" = Sometimes ]
		check "$test: $target removes the dependency"
	done
done

# Compiled C11 allows nothing that C20 forbids. It does allow what SC forbids.
mkdir "$tmp/random"
programs=$([ -n "${NAP_SHORT:-}" ] && echo 5 || echo 15)
build/litmus/tests/brute c20 1 "$programs" "$tmp/random" >"$tmp/out" 2>"$tmp/err"
$lab --compare --model=c20 --compile=all "$tmp/random" >"$tmp/compared" 2>"$tmp/err"
grep -E '^    only (gcc|clang)' "$tmp/compared" >"$tmp/out"
grep -q "^$programs tests, 0 could not be read; $((9 * programs)) judged" "$tmp/compared" && [ ! -s "$tmp/out" ]
check "random programs in C11, compiled: every final state is one of C20's"
$lab --compare --model=sc --compile=gcc:aarch64 "$tmp/random" >"$tmp/out" 2>"$tmp/err"
grep -q '^    only gcc:aarch64' "$tmp/out"
check "and not all of them are SC's"
