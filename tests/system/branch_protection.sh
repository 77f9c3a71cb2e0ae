#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The assembly of the hosted library has the branch protection of distributions: IBT on x86-64, BTI
# and signed return addresses on AArch64. Shadow stacks are off, because a switch of stacks would
# need one for each fiber. Tested by the properties that the linker leaves. KTAP.

. "$(dirname "$0")/check.inc"

echo "TAP version 13"
if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP builds for x86-64, and from there for AArch64"
	exit 0
fi
echo "1..4"

# properties LD OPTION...: writes the properties of the library's assembly, built with OPTIONs and
# linked with a file that the compiler has protected, to $tmp/out. The C library's start files are
# left out.
properties()
{
	ld=$1
	shift
	${MAKE:-make} --no-print-directory B="$tmp/build" "$@" print-assembly >"$tmp/objects" 2>"$tmp/out" &&
		[ -s "$tmp/objects" ] &&
		${MAKE:-make} --no-print-directory B="$tmp/build" "$@" $(cat "$tmp/objects") \
			"$tmp/build/obj/sched/run.o" >"$tmp/make" 2>&1 &&
		"$ld" -r -o "$tmp/all.o" $(cat "$tmp/objects") "$tmp/build/obj/sched/run.o" >>"$tmp/make" 2>&1 || {
		tail -n 5 "$tmp/make" >"$tmp/out"
		return 1
	}
	readelf -n "$tmp/all.o" | sed -n 's/.*Properties: //p' >"$tmp/out"
	rm -rf "$tmp/build"
}

properties ld CFLAGS=-fcf-protection=full && grep -q IBT "$tmp/out"
check "x86-64: indirect branches land where they may"
! grep -q SHSTK "$tmp/out" && [ -s "$tmp/out" ]
check "x86-64: no shadow stack is promised"
properties aarch64-linux-gnu-ld ARCH=aarch64 CFLAGS=-mbranch-protection=standard && grep -q BTI "$tmp/out"
check "AArch64: indirect branches land where they may"
grep -q PAC "$tmp/out" && ! grep -q GCS "$tmp/out"
check "AArch64: return addresses are signed, and no guarded control stack is promised"
