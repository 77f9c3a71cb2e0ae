#!/bin/sh
# SPDX-License-Identifier: MIT
#
# nap-hello, the program without a libc, as it lies there: what it needs (nothing), how large it is,
# that it runs, natively and emulated, and as the only process of a new PID namespace in an empty
# root. `make bare` has built it for every machine. KTAP.

sum='sum of 1 to 1000000: 500000500000'
. "$(dirname "$0")/check.inc"

# $1: the directory below build/; the rest: what runs it
check_program()
{
	program=build/$1/nap-hello
	shift
	file "$program" >"$tmp/out" && grep -q 'static' "$tmp/out" && ! grep -q interpreter "$tmp/out"
	check "$program: static, no interpreter"
	readelf -lW "$program" >"$tmp/out" && ! grep -q INTERP "$tmp/out" &&
		readelf -hW "$program" >"$tmp/out" && grep -q 'Type: *DYN' "$tmp/out"
	check "$program: position-independent"
	nm -u "$program" >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
	check "$program: nm -u prints nothing"
	stat -c %s "$program" >"$tmp/out" && [ "$(cat "$tmp/out")" -lt 65536 ]
	check "$program: under 64 KiB ($(cat "$tmp/out") bytes)"
	nm -u "${program%/*}/obj/bare/relocate.o" >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
	check "$program: relocates itself without a call"
	"$@" "$program" >"$tmp/out" 2>"$tmp/err" && [ "$(cat "$tmp/out")" = "$sum" ]
	check "$program: runs"
}

echo "TAP version 13"
echo "1..23"

check_program bare
check_program aarch64-bare qemu-aarch64
check_program riscv64-bare qemu-riscv64

mkdir "$tmp/root" && cp build/bare/nap-hello "$tmp/root/"
unshare --map-root-user --pid --fork chroot "$tmp/root" /nap-hello >"$tmp/out" 2>"$tmp/err" &&
	[ "$(cat "$tmp/out")" = "$sum" ]
check "as the only process of a new PID namespace, in an empty root"

# The library by itself: what it leaves undefined, the linker and the program give.
nm -g build/bare/libnap.a | awk '$1 == "U" { want[$2] = 1 } NF == 3 { have[$3] = 1 }
	END { for (s in want) if (!(s in have)) print s }' |
	grep -vxE 'main|__ehdr_start|_GLOBAL_OFFSET_TABLE_' >"$tmp/out"
[ ! -s "$tmp/out" ]
check "libnap.a needs no library"
${MAKE:-make} --no-print-directory install BARE=1 DESTDIR="$tmp/dest" PREFIX=/opt/nap >"$tmp/out" 2>&1 &&
	[ -e "$tmp/dest/opt/nap/lib/libnap-bare.a" ] && [ ! -e "$tmp/dest/opt/nap/lib/libnap.a" ]
check "make install BARE=1"
# The manual's program, with nothing but the compiler and what was installed.
awk '/^\.\. code-block:: c$/ { on = 1; next } /^[^ \t]/ { on = 0 } on' Documentation/freestanding.rst >"$tmp/program.c"
[ -s "$tmp/program.c" ] && ${CC:-gcc} -O2 -ffreestanding -fPIE -I"$tmp/dest/opt/nap/include" -o "$tmp/program" \
	-nostdlib -static-pie -Wl,-e,_start,--no-dynamic-linker "$tmp/program.c" \
	"$tmp/dest/opt/nap/lib/libnap-bare.a" >"$tmp/out" 2>&1 && "$tmp/program" >"$tmp/out" 2>"$tmp/err"
check "freestanding.rst's program, linked as it says"
${CC:-gcc} -O2 -ffreestanding -fno-pie -I"$tmp/dest/opt/nap/include" -o "$tmp/program" \
	-nostdlib -static -no-pie "$tmp/program.c" \
	"$tmp/dest/opt/nap/lib/libnap-bare.a" >"$tmp/out" 2>&1 && "$tmp/program" >"$tmp/out" 2>"$tmp/err"
check "the same at a fixed address"
