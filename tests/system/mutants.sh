#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/mutants.sh on patches made up here: it can tell a mutant that is noticed from the others.

cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir" build/mutants-self-test' EXIT
nr=0

# patch NAME "LINE..." OLD NEW: change in src/gate.h the line that is OLD to NEW
patch()
{
	{
		printf 'Fault: none\nSource: none\nPuts back: nothing\n%s\n' "$2"
		printf '%s\n%s\n@@ -20,3 +20,3 @@\n' '--- a/src/gate.h' '+++ b/src/gate.h'
		# as many lines of context as patch asks for to find the place
		awk -v old="$3" -v new="$4" '{ if ($0 == old) { print " " before; print "-" $0; print "+" new; getline; print " " $0; exit } before = $0 }' src/gate.h
	} >"$dir/$1.patch"
}

# expect NAME STATUS PATTERN: run the patches of that name alone
expect()
{
	nr=$((nr + 1))
	MUTANT_SECONDS=3 tools/mutants.sh -d "$dir" -o build/mutants-self-test "$1" >"$dir/out" 2>&1
	got=$?
	if [ $got = "$2" ] && grep -q "$3" "$dir/out"; then
		echo "ok $nr $4"
	else
		sed 's/^/# /' "$dir/out"
		echo "# exit status $got, expected $2 and: $3"
		echo "not ok $nr $4"
	fi
}

test='Test: unit/gate'
one='#define GATE_ONE	2u'
patch killed "$test" "$one" '#define GATE_ONE	4u'
patch survives "$test" "$one" '#define GATE_ONE	2u	/* two */'
patch no-place "$test" "$one" '#define GATE_ONE	4u'
sed -i 's/^-.*/-no such line/' "$dir/no-place.patch"
patch no-build "$test" "$one" '#define GATE_ONE	gate of one'
patch hangs "$test" "$one" '#define GATE_ONE	0u'
patch may-hang "$test
Hangs: yes" "$one" '#define GATE_ONE	0u'
patch no-test 'Test: unit/gate no_such_test' "$one" '#define GATE_ONE	4u'
patch several 'Test: unit/gate
Check: echo 1..1; echo ok 1' "$one" '#define GATE_ONE	4u'
grep -v '^Source' "$dir/killed.patch" >"$dir/unnamed.patch"

echo 'TAP version 13'
echo '1..10'
expect '^killed' 0 'none: nothing: killed by unit/gate: .*Expected' 'a mutant that a test notices is killed'
expect '^survives' 1 '0 killed, 1 survived, 0 failed' 'a patch that changes nothing survives'
expect '^no-place' 1 'DOES NOT APPLY' 'a patch that does not apply is no kill'
expect '^no-build' 1 'DOES NOT BUILD' 'a patch that does not build is no kill'
expect '^hangs' 1 'SURVIVED: unit/gate hangs' 'a test that hangs unannounced is no kill'
expect '^may-hang' 0 'killed by unit/gate: .*no end' 'a test that hangs as announced is one'
expect '^no-test' 1 'fails without a mutant' 'a test that fails anyway is no kill'
expect '^several' 1 'SURVIVED echo' 'each of several tests has to notice'
expect '^unnamed' 2 'no Source' 'a patch without its header is refused'
expect '^nothing' 2 'no patch' 'no patch is no success'
