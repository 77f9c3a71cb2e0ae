#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The Linux kernel's own litmus tests, of Debian's linux-source: each that needs no RCU comes out as
# its "Result:" line says. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1

echo "TAP version 13"
source=$(ls /usr/src/linux-source-*.tar.xz 2>/dev/null | sort -V | tail -n 1)
if [ -z "$source" ]; then
	echo "1..0 # SKIP needs package linux-source"
	exit 0
fi
echo "1..2"
tar -xf "$source" -C "$tmp" --wildcards '*/tools/memory-model/litmus-tests' \
	'*/Documentation/litmus-tests' >"$tmp/out" 2>"$tmp/err"
nr_tests=$(find "$tmp" -name '*.litmus' | wc -l)
nr_rcu=$(find "$tmp" -name '*.litmus' | xargs grep -lE '(rcu_read_lock|synchronize_rcu)\(' | wc -l)
nr_judged=$((nr_tests - nr_rcu))
build/nap-litmus --expect "$tmp" >"$tmp/out" 2>"$tmp/err"
[ "$nr_tests" -gt 30 ] && grep -q \
	"^$nr_tests tests, $nr_rcu could not be read; $nr_judged judged: .*; 0 not as expected\$" \
	"$tmp/out"
check "$nr_judged of the kernel's $nr_tests litmus tests are as they say"
[ "$(grep -c 'RCU is not modelled' "$tmp/err")" -eq "$nr_rcu" ] &&
	[ "$nr_rcu" -eq "$(grep -c '' "$tmp/err")" ]
check "the other $nr_rcu are refused by name: RCU"
