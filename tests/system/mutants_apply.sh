#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every patch of tests/mutants applies to the sources as they are, as tools/mutants.sh applies it, and
# says what it is. Nothing is built, and nothing changed. KTAP.

cd "$(dirname "$0")/../.." || exit 1
. tests/system/check.inc

echo 'TAP version 13'
echo '1..2'

for p in tests/mutants/*.patch; do
	patch -s -f -F0 -p1 --dry-run <"$p" >/dev/null 2>&1 || echo "$p does not apply"
done >"$tmp/out"
! [ -s "$tmp/out" ]
check 'every patch of tests/mutants applies'

for p in tests/mutants/*.patch; do
	for header in Fault Source 'Puts back'; do
		grep -q "^$header: ." "$p" || echo "$p: no $header"
	done
	grep -Eq '^(Test|Model|Check): .' "$p" || echo "$p names no test"
done >"$tmp/out"
! [ -s "$tmp/out" ]
check 'and says which fault it is, whose it was, and which test notices'
