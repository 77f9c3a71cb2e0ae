#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests bundles for AArch64 and RISC-V, run under qemu-user: their results say that no processor has
# run them. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
litmus=$PWD/build/nap-litmus
gallery=$PWD/build/gallery

skip()
{
	nr=$((nr + 1))
	echo "ok $nr $1 # SKIP $2"
}

# run ARGUMENT...: runs nap-litmus, with its output in $tmp/out and $tmp/err; sets $status
run()
{
	timeout 600 "$litmus" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# made DIRECTORY ARGUMENT...: runs make in DIRECTORY, without the variables that this shell's make
# has exported
made()
{
	(cd "$1" && shift && unset MAKEFLAGS MFLAGS MAKELEVEL && make "$@") >"$tmp/out" 2>"$tmp/err"
}

echo "TAP version 13"
if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP the emulators are those of x86-64"
	exit 0
fi
echo "1..4"
for machine in aarch64:AArch64-MP riscv64:RISCV-MP+fence.w.w+fence.r.r; do
	isa=${machine%:*} name="${machine%:*}: a bundle under an emulator, and results that say so"
	if command -v "$isa-linux-gnu-gcc" >/dev/null && command -v "qemu-$isa" >/dev/null; then
		run --bundle="$tmp/$isa" --run=2000 "$gallery/${machine#*:}.litmus" --compile="gcc:$isa" "$gallery/SB+mbs.litmus" &&
			made "$tmp/$isa" CFLAGS=-O1 CC="$isa-linux-gnu-gcc -static" RUNNER="qemu-$isa" run &&
			run --results="$tmp/$isa/results.txt" && [ "$(grep -c ' ok$' "$tmp/out")" = 2 ] &&
			grep -q "emulated by qemu-$isa: the order is that of the emulator" "$tmp/out"
		check "$name"
		"qemu-$isa" "$tmp/$isa/SB+mbs.test" runs=100 >"$tmp/out" 2>"$tmp/err" && grep -q '^emulated on x86_64$' "$tmp/out" && grep -q "^machine $isa\$" "$tmp/out"
		check "$isa: an emulator that nobody has named is noticed"
	else
		skip "$name" "needs package gcc-$isa-linux-gnu, and qemu-user"
		skip "$isa: an emulator that nobody has named is noticed" "needs qemu-user"
	fi
done
