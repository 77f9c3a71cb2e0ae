#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/litmus/corpus.sh on a small collection: in which places of a test it finds the
# expected verdict, and how it reports differences. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
corpus=$tmp/corpus
mkdir "$corpus"

# make_test NAME QUESTION COMMENT: adds a test to the collection
make_test()
{
	printf 'C %s\n(* %s *)\n{ }\nP0(int *x) { WRITE_ONCE(*x, 1); }\nP1(int *x) { int r0 = READ_ONCE(*x); }\nexists (%s)\n' \
		"$1" "$3" "$2" >"$corpus/$1.litmus"
}

# run: judges the collection. says STATUS TEXT: whether that run exited with STATUS and printed TEXT
run()
{
	sh tools/litmus/corpus.sh build/nap-litmus "$corpus" >"$tmp/out" 2>"$tmp/err"
	status=$?
}
says()
{
	[ $status -eq "$1" ] && grep -qF -- "$2" "$tmp/out"
}

echo "TAP version 13"
echo "1..7"
make_test result '1:r0=1' 'Result: Sometimes'
make_test expected '1:r0=2' ''
printf 'Test expected\nStates 1\nNo\nObservation expected Never 0 2\n' >"$corpus/expected.litmus.expected"
make_test kind '1:r0=1' ''
echo 'kind Allowed' >"$corpus/some-kinds.txt"
make_test logged '1:r0=2' ''
printf 'Test logged\nObservation logged Never 0 2\n' >"$corpus/herd.log"
make_test none '1:r0=1' ''
sed 's/WRITE_ONCE(.x, 1)/call_rcu(x, x)/' "$corpus/none.litmus" >"$corpus/rcu.litmus"
run
says 0 '6 tests, 5 judged, 1 refused; 4 judged with a verdict of their own: 4 agree, 0 differ, 0 of these known'
check "a verdict in a comment, in an output of herd7, in a list, in a log"
says 0 'a callback of RCU is not modelled'
check "what is refused, and why"
sed -i 's/Allowed/Forbidden/' "$corpus/some-kinds.txt"
run
says 1 'kind.litmus: Sometimes, its own verdict is Never' && says 1 '3 agree, 1 differ, 0 of these known'
check "a difference by name, and exit status 1"
mkdir "$tmp/tools"
cp tools/litmus/corpus.sh "$tmp/tools"
echo 'kind a reason' >"$tmp/tools/corpus.known"
sh "$tmp/tools/corpus.sh" build/nap-litmus "$corpus" >"$tmp/out" 2>"$tmp/err"
status=$?
says 0 'kind.litmus: Sometimes, its own verdict is Never (known: a reason)' && says 0 '1 differ, 1 of these known'
check "a difference that is known, with its reason"
sed -i 's/Forbidden/Allowed/' "$corpus/some-kinds.txt"
make_test race 'x=1' 'Result: Never DATARACE'
sed -i 's/READ_ONCE(\*x)/*x/' "$corpus/race.litmus"
run
says 0 '5 agree, 0 differ'
check "a verdict on a race is the race"
sed -i 's/= \*x/= READ_ONCE(*x)/' "$corpus/race.litmus"
run
says 1 'race.litmus: Always, its own verdict is Race'
check "a race that is not flagged"
sh tools/litmus/corpus.sh build/nap-litmus >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q '^usage: ' "$tmp/err"
check "no directory: the usage"
