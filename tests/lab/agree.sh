#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A model has two forms in tools/check/model/: the model checker's, in C, and nap-litmus's, as
# relations. Checks that the two forms agree on random programs in C11: nap-check must find an
# execution that the question asks for, if and only if nap-litmus does not say Never. KTAP.
#
#	agree.sh [N [SEED]]	of N (100) programs

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
nr_programs=${1:-100} seed=${2:-1}

echo "TAP version 13"
echo "1..5"
mkdir "$tmp/tests"
build/litmus/tests/brute rc11 "$seed" "$nr_programs" "$tmp/tests" >"$tmp/out" 2>"$tmp/err"
grep -L '^exists' "$tmp"/tests/*.litmus | xargs -r rm
cat "$tmp"/tests/*.litmus | awk -f tests/model/litmus.awk >"$tmp/litmus_shapes.inc"
cp tests/model/litmus.c "$tmp"
build/model/nap-check --quiet --keep="$tmp/kept" "$tmp/litmus.c" >"$tmp/said" 2>"$tmp/err"
for model in c11 c20; do
	"$tmp/kept/check" --turns=state --quiet --model=$model >>"$tmp/said" 2>>"$tmp/err"
done
# Gives nap-litmus's rc11 the release sequences of C20, as the checker's rc11 has them.
sed 's/po-loc?; //' tools/check/model/rc11.model >"$tmp/rc11.model"
cp tools/check/model/sc.model tools/check/model/c11.model "$tmp"
cp tools/check/model/iso20.model "$tmp/c20.model"
nr_found=0 nr_compared=0
for model in sc rc11 c11 c20; do
	sed -n "s/^\(not \)\{0,1\}ok [0-9]* \(rc11-[-0-9]*\) $model: .* \(allowed\|forbidden\).*/\2 \3/p" \
		"$tmp/said" | sort >"$tmp/checked"
	build/nap-litmus --csv --model="$tmp/$model.model" "$tmp/tests" 2>>"$tmp/err" |
		sed 's,^[^,]*/\([^/]*\)\.litmus\,[^,]*\,\([A-Za-z]*\).*,\1 \2,
			s/Never/forbidden/; s/Sometimes\|Always/allowed/' | sort >"$tmp/judged"
	nr_compared=$((nr_compared + $(wc -l <"$tmp/judged")))
	nr_found=$((nr_found + $(grep -c allowed "$tmp/judged")))
	diff "$tmp/checked" "$tmp/judged" >"$tmp/out" && [ -s "$tmp/judged" ]
	check "$model: nap-check and nap-litmus agree on random programs of C11"
done
: >"$tmp/out"
[ $nr_found -gt 2 ] && [ $nr_compared -gt $((nr_found + 2)) ]
check "of $nr_compared, $nr_found have what the question asks for"
