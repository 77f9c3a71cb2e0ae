#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	toolchains.sh [NAME...]
#
# Tests the library as other distributions build it: by the oldest compilers of Debian 12, with
# link-time optimisation, with checked calls of libc, with landing pads for indirect branches (IBT
# on x86-64, BTI and signed return addresses on AArch64). Each builds without a warning, and runs
# programs of the native tests. This runs all native tests in one of the builds:
#
#	make check-native B=build/toolchains/gcc-11 CC=gcc-11
#
# KTAP.

cd "$(dirname "$0")/../.." || exit 1
. tests/system/check.inc
build=${NAP_BUILD:-build}/toolchains
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CC

# Programs for each layer from the atomics to the fibers, for what a compiler could reorder, and for
# every error.
programs='unit/atomic unit/atomic_compiler unit/context unit/queues unit/ring unit/idle unit/jobs unit/errno
	unit/sort unit/work unit/timer unit/fiber unit/fiber_errno unit/fiber_select unit/string stress/contract stress/shapes
	fault/arguments fault/calls'

# options NAME: prints the variables that make gets for the build NAME
options()
{
	case $1 in
	gcc-11 | clang-13) echo "CC=$1 CFLAGS='-O2 -g1'" ;;
	lto) echo "CFLAGS='-O3 -flto=auto -ffat-lto-objects -g1'" ;;
	fortify) echo "CFLAGS='-O2 -g1 -D_FORTIFY_SOURCE=3'" ;;
	ibt) echo "CFLAGS='-O2 -g1 -fcf-protection=full' LDFLAGS=-Wl,-z,cet-report=warning" ;;
	bti) echo "ARCH=aarch64 CFLAGS='-O2 -g1 -mbranch-protection=standard'" ;;
	bti-without) echo "BARE=1 ARCH=aarch64 CFLAGS=-O2 LDFLAGS=-Wl,-z,force-bti" ;;
	bti-bare) echo "BARE=1 ARCH=aarch64 CFLAGS='-O2 -g1 -mbranch-protection=standard'" ;;
	esac
}

# make_it NAME GOAL...: makes the goals in the build NAME
make_it()
{
	name=$1
	shift
	eval "${MAKE:-make} --no-print-directory -j2 B=$build/$name WERROR=1 $(options "$name") $*" >"$tmp/out" 2>&1
}

skip()
{
	nr=$((nr + 1))
	echo "ok $nr $1 # SKIP $2"
}

# marks READELF FILE...: prints the properties of each file that has an instruction, a line each
marks()
{
	readelf=$1
	shift
	for file; do
		"$readelf" -SW "$file" | awk '/ \.text/ && $0 !~ / 000000 00 +AX/ { code = 1 } END { exit !code }' || continue
		echo "$("$readelf" -nW "$file" | sed -n 's/.*Properties: .* feature: //p') ${file##*/obj/}"
	done
}

# ran DIRECTORY PROGRAM...: whether each of the programs passes
ran()
{
	from=$1
	shift
	for program; do
		NAP_TEST_SCALE=3 TALLY="$tmp/tally" tools/ktap.sh "$program" "$tmp/log" $run "$from/tests/$program" >"$tmp/out" 2>&1
		tail -n 1 "$tmp/tally" | grep -q '^[1-9][0-9]* 0 ' || return
	done
}

# native NAME: builds the library and the programs, and runs the programs
native()
{
	rm -f "$build/$1/libnap.so.1"
	make_it "$1" all && cp "$tmp/out" "$tmp/linked" && ! grep -i 'warning' "$tmp/out" | grep -v 'missing \(IBT and SHSTK\|SHSTK\) prop' >"$tmp/warned" &&
		[ ! -s "$tmp/warned" ]
	check "$1: builds, without a warning"
	if [ "$1" = ibt ]; then ibt_marks; fi
	# shellcheck disable=SC2086
	make_it "$1" $(printf "$build/$1/tests/%s " $programs) && run= ran "$build/$1" $programs
	check "$1: the tests pass ($(echo $programs | wc -w) programs)"
	if [ "$1" = lto ]; then lto_record; fi
	for script in exports errno exceptions; do
		NAP_BUILD=$build/$1 timeout 300 sh tests/system/$script.sh >"$tmp/out" 2>&1 && grep -q '^ok' "$tmp/out" &&
			! grep -q '^not ok' "$tmp/out"
		check "$1: $script.sh passes"
	done
}

# Tests that calls of nap__own_here(), which finds the calling thread's record, are not inlined. If
# such a call were inlined into a fiber's function, the function would keep the address of a
# thread's record after the fiber has moved to another thread.
lto_record()
{
	objdump -d --no-show-raw-insn "$build/lto/tests/unit/fiber_errno" |
		awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } /%fs:/ && !/%fs:0x28/ { print name }' | sort -u >"$tmp/out"
	[ "$(grep -v '<nap__tell_.*>:' "$tmp/out")" = '<nap__own_here>:' ]
	check "lto: one function alone finds the thread's record, each time"
}

# The linker marks a library only if each file in it has the mark. libnap.so also contains the
# distribution's start files, and Debian's have no mark. So nap's files are also linked alone.
ibt_marks()
{
	marks readelf $(find "$build/ibt/obj" -name '*.o') >"$tmp/out"
	! grep -v '^IBT' "$tmp/out" && [ "$(wc -l <"$tmp/out")" -gt 100 ]
	check "ibt: each object has the mark ($(wc -l <"$tmp/out"))"
	grep -v '^IBT, SHSTK' "$tmp/out" >"$tmp/without"
	[ "$(cat "$tmp/without")" = 'IBT arch/context.o' ]
	check "ibt: only the switch of stacks has none for shadow stacks"
	gcc -shared -nostdlib -Wl,--version-script=src/libnap.map -o "$tmp/all.so" \
		$(find "$build/ibt/obj" -name '*.o') >"$tmp/out" 2>&1
	readelf -nW "$tmp/all.so" | sed -n 's/.*Properties: //p' >>"$tmp/out"
	[ "$(cat "$tmp/out")" = 'x86 feature: IBT' ]
	check "ibt: so has a shared library of them alone"
	sed -n "s|.*$build/ibt/||; s/^.*ld: //; s/: warning: missing / /p" "$tmp/linked" >"$tmp/out"
	grep -q '^obj/arch/context.o SHSTK property$' "$tmp/out" && ! grep '^obj/.*IBT' "$tmp/out"
	check "ibt: what the linker misses in libnap.so is libc's"
}

bti()
{
	make_it bti all
	check "bti: builds, without a warning"
	marks aarch64-linux-gnu-readelf $(find "$build/bti/obj" -name '*.o') >"$tmp/out"
	! grep -v '^BTI, PAC ' "$tmp/out" && [ "$(wc -l <"$tmp/out")" -gt 100 ]
	check "bti: each object has both marks ($(wc -l <"$tmp/out"))"
	if ! command -v qemu-aarch64 >/dev/null; then
		for what in 'a marked program runs' 'one without landing pads is ended'; do skip "bti: $what" 'needs package qemu-user'; done
		return
	fi
	# Without a libc every file of a program is built here. So the program has the mark, and the
	# processor checks for landing pads.
	make_it bti-bare all "$build/bti-bare/tests/unit/context" "$build/bti-bare/tests/unit/fiber" &&
		[ "$(aarch64-linux-gnu-readelf -nW "$build/bti-bare/nap-hello" | sed -n 's/.*Properties: //p')" = 'AArch64 feature: BTI, PAC' ] &&
		timeout 60 qemu-aarch64 "$build/bti-bare/nap-hello" >"$tmp/out" 2>&1 && run=qemu-aarch64 ran "$build/bti-bare" unit/context unit/fiber
	check "bti: a program without a libc has both marks, and runs where the processor insists on them"
	# The linker is told to mark this program although its functions have no landing pads.
	make_it bti-without "$build/bti-without/nap-hello" && {
		timeout 60 qemu-aarch64 "$build/bti-without/nap-hello" >"$tmp/out" 2>&1
		[ $? = 132 ]
	}
	check "bti: one that is marked, but has no landing pads, is ended"
}

[ $# -gt 0 ] || set -- gcc-11 clang-13 lto fortify ibt bti
plan=0
for name; do
	case $name in
	lto) plan=$((plan + 6)) ;;
	ibt) plan=$((plan + 9)) ;;
	bti) plan=$((plan + 4)) ;;
	*) plan=$((plan + 5)) ;;
	esac
done
echo "TAP version 13"
if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP builds for x86-64, and from there for AArch64"
	exit 0
fi
echo "1..$plan"
for name; do
	case $name in
	gcc-11 | clang-13) needs=$name package=$name ;;
	bti) needs=aarch64-linux-gnu-gcc package=gcc-aarch64-linux-gnu ;;
	*) needs=gcc package=gcc ;;
	esac
	if command -v $needs >/dev/null; then
		case $name in bti) bti ;; *) native "$name" ;; esac
	else
		n=5
		[ $name != bti ] || n=4
		while [ $n -gt 0 ]; do skip "$name" "needs package $package"; n=$((n - 1)); done
	fi
done
