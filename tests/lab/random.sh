#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	random.sh [N [SEED]]	N (200) random programs a model, and the shapes (tests/shapes/):
#				nap-litmus finds the final states that the brute-force enumerator
#				(tests/lab/brute*.c, which shares no code) finds. KTAP.

. "$(dirname "$0")/../system/check.inc"
. "$(dirname "$0")/agree.inc"
cd "$(dirname "$0")/../.." || exit 1
nr_programs=${1:-200} seed=${2:-1}
brute=build/litmus/tests/brute
models='sc tso armv8 rvwmo rc11 c20 lkmm'

echo "TAP version 13"
echo "1..14"
$brute --expect tests/shapes/*.shapes >"$tmp/out" 2>"$tmp/err" &&
	[ "$(grep -cE ' (armv8|rvwmo|c20|lkmm) ' "$tmp/out")" -gt 90 ]
check "each shape comes out of the brute-force enumerator as it says"
for model in $models; do
	draw $brute $model "$nr_programs" "$seed" && agree $model "$nr_programs" && [ $status -eq 0 ]
	check "$model: $nr_programs random programs, seed $seed"
done
# Shapes with a membarrier are for nap-check alone.
nr_shapes=$(cat tests/shapes/*.shapes | awk '/^C / { n++; heavy = 0 } /check_membarrier/ && !heavy++ { n-- } END { print n }')
judged="^$nr_shapes tests, 0 could not be read; $nr_shapes judged:"
for model in sc tso rc11 c20; do
	mkdir "$tmp/shapes-$model"
	$brute --shapes $model "$tmp/shapes-$model" tests/shapes/*.shapes >"$tmp/out" 2>"$tmp/err" &&
		[ "$nr_shapes" -gt 150 ] &&
		build/nap-litmus --model=$model --against="$tmp/shapes-$model/expected.csv" \
			"$tmp/shapes-$model" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] &&
		grep -q "$judged.*; 0 differ\$" "$tmp/out"
	check "$model: $nr_shapes shapes"
done
build/nap-litmus --expect "$tmp/shapes-sc" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] &&
	grep -q "^$nr_shapes tests, 0 could not be read; .*; 0 not as expected\$" "$tmp/out"
check "and of nap-litmus"
# A model that allows more is noticed: SC's programs under TSO.
! build/nap-litmus --model=tso --against="$tmp/sc/expected.csv" "$tmp/sc" >"$tmp/out" \
	2>"$tmp/err" && grep -q '^    only tso: ' "$tmp/out" &&
	! grep -q "^    only $tmp" "$tmp/out"
check "a model that allows more is told from it"
