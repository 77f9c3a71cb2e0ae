#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests shapes (tests/shapes/) that tell the models of C apart: the verdicts of rc11, c11 and c20 on
# most of these shapes differ. nap-check must judge them as the table says, and so must nap-litmus,
# which has the same models as relations. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_MODEL:-build/model}

# The rows, in order: the order of SC operations in C11 that C20 gave up, because Power and ARM do
# not keep it; what C11's fences do not order; release sequences; what C20's text forbids and RC11
# allows.
cat >"$tmp/table" <<'E'
Z6.U		allowed forbidden allowed
IRIW-acq-sc	allowed forbidden allowed
RWC+acq-sc	allowed forbidden allowed
IRIW+scfs	forbidden allowed forbidden
RWC+syncs	forbidden allowed forbidden
W+RWC		forbidden allowed forbidden
peterZ		forbidden allowed forbidden
Z6+acq		forbidden allowed forbidden
SB+scfs		forbidden forbidden forbidden
SB+scf+po	allowed allowed allowed
2+2W+scfs	forbidden forbidden forbidden
2+2W+scf+po	allowed allowed allowed
MP+rels+acq	allowed forbidden allowed
MP+rels+acqf	allowed forbidden allowed
MPU+rels+acq	allowed forbidden allowed
relseq+2	allowed forbidden allowed
relseq+store	allowed forbidden allowed
relseq+other	allowed forbidden allowed
MPU+rel+acq	forbidden forbidden forbidden
IRIW+loads-sc	allowed allowed forbidden
SB+rfis		allowed allowed forbidden
WWmerge		allowed forbidden forbidden
E
nr_rows=$(grep -c . "$tmp/table")
set -- $(cut -f 1 "$tmp/table")

echo "TAP version 13"
echo "1..$((nr_rows + 5))"
awk -f tests/model/litmus.awk tests/shapes/*.shapes >"$tmp/litmus_shapes.inc"
cp tests/model/litmus.c "$tmp"
"$build/nap-check" --keep="$tmp/kept" "$tmp/litmus.c" --list >"$tmp/out" 2>"$tmp/err"

# said MODEL: prints nap-check's verdicts as lines "SHAPE VERDICT"
said()
{
	"$tmp/kept/check" --turns=state --quiet --model="$1" $shapes 2>"$tmp/err" |
		sed -n "s/^\(not \)\{0,1\}ok [0-9]* \([^ ]*\) $1: .* \(allowed\|forbidden\).*/\2 \3/p" | sort
}
shapes=$*
for model in rc11 c11 c20; do
	said $model >"$tmp/$model"
done
while read -r shape rc11 c11 c20; do
	{ echo "$shape $rc11" && echo "$shape $c11" && echo "$shape $c20"; } >"$tmp/expected"
	for model in rc11 c11 c20; do
		awk -v shape="$shape" '$1 == shape' "$tmp/$model"
	done >"$tmp/actual"
	diff "$tmp/expected" "$tmp/actual" >"$tmp/out"
	check "$shape is $rc11 by rc11, $c11 by c11, $c20 by c20"
done <"$tmp/table"

# nap-litmus's verdicts. Release sequences of rc11.model have later stores of the same thread; those
# of nap-check's rc11 have not, so sed takes these stores out.
mkdir "$tmp/tests" "$tmp/model"
build/litmus/tests/brute --shapes rc11 "$tmp/tests" tests/shapes/*.shapes >"$tmp/out" 2>"$tmp/err"
for shape in $shapes; do
	echo "$tmp/tests/$shape.litmus"
done >"$tmp/files"
cp tools/check/model/*.model "$tmp/model"
sed -i 's/po-loc?; //' "$tmp/model/rc11.model"
for pair in rc11:rc11 c11:c11 c20:iso20; do
	model=${pair%:*}
	build/nap-litmus --csv --files="$tmp/files" --model="$tmp/model/${pair#*:}.model" 2>"$tmp/err" |
		sed 's,^[^,]*/\([^/]*\)\.litmus\,[^,]*\,\([A-Za-z]*\).*,\1 \2,
			s/Never/forbidden/; s/Sometimes\|Always/allowed/' | sort >"$tmp/judged"
	diff "$tmp/$model" "$tmp/judged" >"$tmp/out" && [ "$(grep -c . "$tmp/judged")" -eq "$nr_rows" ]
	check "$model: nap-litmus says the same of these $nr_rows programs, by ${pair#*:}.model"
done

# What a thread did before it started another thread comes before what the other thread does, also
# in the order of SC operations.
cat >"$tmp/started.c" <<'E'
#include <stdatomic.h>
#include <threads.h>
static atomic_int x, y;
static int seen_x, seen_y;
static int started(void *unused) { (void)unused; seen_y = y; return 0; }
static int other(void *unused) { (void)unused; y = 1; seen_x = x; return 0; }
int main(void)
{
	thrd_t a, b;

	thrd_create(&a, other, 0);
	x = 1;
	thrd_create(&b, started, 0);
	thrd_join(a, 0);
	thrd_join(b, 0);
	return !seen_x && !seen_y;
}
E
"$build/nap-check" --keep="$tmp/started" "$tmp/started.c" >"$tmp/out" 2>"$tmp/err" &&
	for model in rc11 c11 c20; do
		"$tmp/started/check" --turns=state --model=$model >>"$tmp/out" 2>>"$tmp/err" || break
	done && [ "$(grep -c ': no fault$' "$tmp/out")" -eq 4 ]
check "a store by seq_cst comes before what a thread does that is started after it"

# Whether two accesses are a race depends on the model's own release sequences.
cat >"$tmp/again.c" <<'E'
#include <stdatomic.h>
#include <nap/check.h>
static atomic_int flag;
static int data;
static void writer(void *unused)
{
	(void)unused;
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
	atomic_store_explicit(&flag, 2, memory_order_relaxed);
}
static void reader(void *unused)
{
	(void)unused;
	if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
		CHECK(data == 1);
}
CHECK_SCENARIO(again, .finds = "data race", .finds_in = CHECK_RC11 | CHECK_C20,
	.models = CHECK_RC11 | CHECK_C11 | CHECK_C20, .threads = { { writer }, { reader } });
E
"$build/nap-check" "$tmp/again.c" >"$tmp/out" 2>"$tmp/err" && [ "$(grep -c '^ok' "$tmp/out")" -eq 3 ]
check "a store after a release publishes by c11, and is a race by rc11 and c20"
