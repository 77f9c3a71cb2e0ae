#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Mutants of the models: each lacks one edge of one axiom, or one axiom. The tests that have an
# expectation under the model (the gallery, tests/litmus/, verdicts.tests, mixed.tests, pairs.tests)
# notice each mutant: at least one of the tests has another result. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
lab=build/nap-litmus

# Each line is MODEL|TEXT|SED: SED drops one edge from TEXT, which is the model or a part that the
# model includes. Arm's model has an edge of a dependency twice: once for what a value was made
# from, and once for what only chose the value. A mutant drops both.
cat >"$tmp/mutants" <<'E'
sc|sc|s/acyclic po | com/acyclic po | rf | co/
sc|sc|s/acyclic po | com/acyclic po-loc | com/
tso|tso|s/\[R\]; po; \[M\] | //
tso|tso|s/ | \[W\]; po; \[W\]$//
tso|tso|s/\[W\]; fenced(fence); \[R\] | //
tso|tso|s/ | \[W\]; po; \[R & locked\]//
tso|tso|s/ | fr | co as tso/ | co as tso/
armv8|armv8|s/rfe | fre | coe/rfe | coe/
armv8|armv8|s/ | coe$//
armv8|armv8|s/let depends = address | /let depends = /
armv8|armv8|s/through?; data | control/control/;s/picks-data | picks-control/picks-control/
armv8|armv8|s/ | control; \[W\]$//;s/picks-control; \[W\] | //
armv8|armv8|s/\[M\]; fenced(sy); \[M\] | //
armv8|armv8|s/\[R \\ Noreturn\]; fenced(ld); \[M\] | //
armv8|armv8|s/ | \[W\]; fenced(st); \[W\]$//
armv8|armv8|s/| \[L\]; po; \[A\]/| 0/
armv8|armv8|s/\[A | Q\]; po; \[M\] | //
armv8|armv8|s/ | \[M\]; po; \[L\]$//
armv8|armv8|s/| \[range(\[A\]; amo; \[L\])\]; po; \[M\]//
rvwmo|rvwmo|s/\[R\]; fenced(pr & sr); \[R\] | //
rvwmo|rvwmo|s/| \[W\]; fenced(pw & sr); \[R\]/| 0/
rvwmo|rvwmo|s/ | \[W\]; fenced(pw & sw); \[W\]$//
rvwmo|rvwmo|s/\[aq\]; po; \[M\] | //
rvwmo|rvwmo|s/\[M\]; po; \[rl\] | //
rvwmo|rvwmo|s/ | \[rcsc\]; po; \[rcsc\]//
rvwmo|rvwmo|s/| \[R\]; po; \[R & Lock\]; po; \[M\]/| 0/
rvwmo|rvwmo|s/let locks = .*; \[W\] | /let locks = /
rvwmo|rvwmo|s/let depends = address | /let depends = /
rvwmo|rvwmo|s/| data-or-pick | (ctrl/| (ctrl/
rvwmo|rvwmo|s/ | (ctrl | pick-ctrl); \[store\]$//
rvwmo|rvwmo|s/(ctrl | pick-ctrl); \[store\]$/(ctrl | pick-ctrl); [W]/
rvwmo|rvwmo|s/po-loc; \[store\]/po-loc; [W]/
rvwmo|rvwmo|s/address; \[M\]; po; \[store\]/address; [M]; po; [W]/
rc11|rc11|s/^acyclic po | rf.*//
rc11|rc11|s/; (rf; rmw)\*$//
rc11|c|s/let hb = (po | sw)+/let hb = po+/
rc11|c|s/^irreflexive hb; eco?.*//
rc11|psc|s/ | psc-fence as/ as/
rc11|psc|s/^acyclic psc-base.*//
c20|c20|s/^acyclic addr | data | rf.*//
c20|c|s/let hb = (po | sw)+/let hb = po+/
lkmm|linux|s/^let mb = \[M\]; fenced(F & Full); \[M\]/let mb = 0/
lkmm|linux|s/ | po; \[Rel\]$//;s/let po-rel = .*/let po-rel = none/
lkmm|linux|s/let acq-po = .*/let acq-po = none/
lkmm|linux|s/let wmb = .*/let wmb = none/
lkmm|linux|s/let rmb = .*/let rmb = none/
lkmm|linux|s/carried; ctrl); \[W\]/none); [W]/
lkmm|linux|s/^let depends = address | carried; data/let depends = address/
lkmm|linux|s/^acyclic pb.*//
lkmm|linux|s/| \[M\]; po?; \[Rmw\]; fenced(F & AfterAtomic); \[M\]//
lkmm|linux|s/| \[M\]; fenced(F & BeforeAtomic); \[Rmw\]; po?; \[M\]//
lkmm|lkmm|s/(data; \[~SrcuUnlock\]; rfi)\*/id/
lkmm|lkmm|s/(data; \[~SrcuUnlock\]; rf)\*; data/data/
lkmm|lkmm|s/= unlock-lock; \[F & AfterUnlockLock\]; po$/= none/
lkmm|lkmm|s/^\t| po?; \[SrcuUnlock\]; fenced.*//
lkmm|rcu|s/^irreflexive rb.*//
lkmm|rcu|s/| grace-period; rcu-link; section-back | section-back; rcu-link; grace-period//
lkmm|rcu|s/| (srcu-\(grace-period; rcu-link; srcu-section-back\|section-back; rcu-link; srcu-grace-period\)) & loc//
lkmm|rcu|s/) & loc/)/
lkmm|rcu|/; rcu-link; rcu-order/d
lkmm|rcu|s/brackets(RcuLock, RcuUnlock)/none/
lkmm|linux|s/^let strong = mb | grace/let strong = grace/
lkmm61|lkmm61|s/brackets(SrcuLock, SrcuUnlock)/none/
lkmm61|lkmm61|s/^let handed-over = .*/let handed-over = none/
lkmm|lkmm|s/(rf; rmw)\*/id/
lkmm61|linux|s/^acyclic pb.*//
tso|coherent|s/^empty rmw.*//
armv8|coherent|s/^acyclic po-loc | com | rmw as coherence/acyclic po-loc | rf | co | rmw as coherence/
armv8|coherent|s/^empty rmw.*//
rvwmo|coherent|s/^empty rmw.*//
sc|sc|s/ | com; same-access as sc/ as sc/
tso|tso|s/ *| (rfe | fr | co); same-access//
armv8|armv8|s/ | (seen | hazard); same-access//
armv8|armv8|s/let observed = seen | hazard | (seen | hazard)/let observed = seen | seen/
armv8|armv8|s/ | lws; same-access//
rvwmo|rvwmo|s/ | at-once as model/ as model/
rvwmo|rvwmo|s/ | same-access)\*/)*/
E

mkdir "$tmp/verdicts" "$tmp/model"
awk -v directory="$tmp/verdicts" -f tools/cut.awk tests/lab/verdicts.tests tests/lab/mixed.tests \
	tests/lab/pairs.tests

# verdicts OF MODEL: prints the verdicts of MODEL, a line "TEST VERDICT" for each test that has an
# expectation under the model OF
verdicts()
{
	$lab --csv --files="$tmp/$1.tests" --model="$2" 2>"$tmp/err" |
		awk -F, '{ sub(/!.*/, "", $3); print $1, $3 }'
}

# text NAME: prints the text of a model; its include lines name the files of $tmp/model
text()
{
	$lab --show-model="$1" | sed "s,^include \"\(.*\)\",include \"$tmp/model/\1.model\","
}

echo "TAP version 13"
echo "1..$(wc -l <"$tmp/mutants")"
for model in sc tso armv8 rvwmo rc11 c20 lkmm lkmm61; do
	grep -lE "Expect:.*[ ,]$model (Always|Sometimes|Never)" build/gallery/*.litmus tests/litmus/*.litmus \
		"$tmp"/verdicts/*.litmus >"$tmp/$model.tests"
	verdicts $model $model >"$tmp/$model.right"
done
while IFS='|' read -r model part edit; do
	for name in common coherent c psc linux rcu races "$model"; do
		text "$name" >"$tmp/model/$name.model"
	done
	cp "$tmp/model/$part.model" "$tmp/before"
	sed "$edit" "$tmp/before" >"$tmp/model/$part.model"
	verdicts "$model" "$tmp/model/$model.model" >"$tmp/mutant"
	cmp -s "$tmp/before" "$tmp/model/$part.model" && echo "the edit changes nothing: $edit" >>"$tmp/err"
	diff "$tmp/$model.right" "$tmp/mutant" >"$tmp/out"
	[ $? -eq 1 ] && [ ! -s "$tmp/err" ] && [ "$(wc -l <"$tmp/mutant")" -eq "$(wc -l <"$tmp/$model.right")" ]
	check "$model, in $part: $(echo "$edit" | tr '#' '$')"
done <"$tmp/mutants"
