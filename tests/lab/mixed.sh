#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	mixed.sh [N [SEED]]	N (200) random programs for each machine, with accesses that
#				differ in size and overlap, some of 16 bytes; and N / 4 in C, with
#				unions: nap-litmus finds the final states that the enumerator of
#				bytes (tests/lab/bytes*.c, which shares no code) finds. The programs
#				of mixed.tests, unions.tests and pairs.tests come out as their
#				sources say. KTAP.

. "$(dirname "$0")/../system/check.inc"
. "$(dirname "$0")/agree.inc"
cd "$(dirname "$0")/../.." || exit 1
nr_programs=${1:-200} seed=${2:-1}
bytes=build/litmus/tests/bytes

echo "TAP version 13"
echo "1..8"
mkdir "$tmp/published"
awk -v directory="$tmp/published" -f tools/cut.awk tests/lab/mixed.tests tests/lab/unions.tests \
	tests/lab/pairs.tests
nr_tests=$(find "$tmp/published" -name '*.litmus' | wc -l)
build/nap-litmus --expect "$tmp/published" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && [ ! -s "$tmp/err" ] &&
	grep -q "^$nr_tests tests, 0 could not be read; .*; 0 not as expected\$" "$tmp/out"
check "the $nr_tests programs of mixed.tests, unions.tests and pairs.tests, whose outcomes are published"
for model in tso armv8 rvwmo; do
	draw $bytes $model "$nr_programs" "$seed" && agree $model "$nr_programs" && [ $status -eq 0 ]
	check "$model: $nr_programs random programs of mixed sizes, seed $seed"
	mv "$tmp/$model" "$tmp/$model.assembly"
	draw $bytes $model $((nr_programs / 4)) "$seed" c && agree $model $((nr_programs / 4)) && [ $status -eq 0 ]
	check "$model: $((nr_programs / 4)) random programs with unions, seed $seed"
done
# A model without the class of an access's bytes allows more, and that is noticed.
mkdir "$tmp/few"
$bytes tso "$seed" 50 "$tmp/few" 2>"$tmp/err"
build/nap-litmus --show-model=tso | sed 's/ *| (rfe | fr | co); same-access//' >"$tmp/torn.model"
! build/nap-litmus --model="$tmp/torn.model" --against="$tmp/few/expected.csv" "$tmp/few" >"$tmp/out" \
	2>"$tmp/err" && grep -q '^    only .*torn.model: ' "$tmp/out"
check "a model whose accesses are torn is told from it"
