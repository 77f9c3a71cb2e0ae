#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/gdb on another machine, which qemu-user emulates and gdb looks at from outside. KTAP.
#
#	NAP_BUILD=build/aarch64 tests/system/gdb_emulated.sh aarch64

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/system/gdb.inc
machine=$1
program=$NAP_BUILD/tests/system/gdb_stuck

echo "TAP version 13"
for needs in gdb-multiarch "qemu-$machine:qemu-user"; do
	if ! command -v "${needs%:*}" >/dev/null; then
		echo "1..0 # SKIP needs package ${needs#*:}"
		exit 0
	fi
done
echo "1..6"

qemu-"$machine" -L "/usr/$machine-linux-gnu" -g "$tmp/stub" "$program" stop few >"$tmp/program" 2>&1 &
qemu=$!
trap 'kill $qemu 2>/dev/null; rm -rf "$tmp"' EXIT
for i in 1 2 3 4 5 6 7 8 9 10; do
	[ -S "$tmp/stub" ] || sleep 1
done
eval gdb_says gdb-multiarch -ex "'set sysroot /usr/$machine-linux-gnu'" -ex "'target remote $tmp/stub'" -ex "'break look_now'" \
	-ex continue "$ALL" -ex kill "$program"
cat "$tmp/program" >>"$tmp/err"
all_checks "$machine" 3 open
