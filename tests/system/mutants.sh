#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/mutants.sh on tables made up here: a mutant is killed only if its test notices. KTAP.

cd "$(dirname "$0")/../.." || exit 1
. tests/system/check.inc
built=build/mutants-self-test
trap 'rm -rf "$tmp" "$built"' EXIT
line='	return cpus ? cpus : 1;'

# mutant NAME HEADER NEW: adds a mutant that replaces $line in src/os/linux/cpus.c by NEW
mutant()
{
	printf 'Mutant: %s\nFault: none\nSource: none\nPuts back: nothing\n%s\nIn: cpus.c nap__os_cpu_count\n-%s\n+%s\n' \
		"$1" "$2" "$line" "$3" >"$tmp/$1.mutants"
}

# run REGEX [TABLES]: runs the mutants whose names match, with as little waiting as possible
run()
{
	MUTANT_SECONDS=2 tools/mutants.sh -d "${2:-$tmp}" -o "$built" "$1" >"$tmp/out" 2>"$tmp/err"
}

# says TEXT: whether the output of the run has the line
says()
{
	grep -Fq -e "$1" "$tmp/out"
}

test='Test: unit/cpus the_count_is_never_zero
Make: CFLAGS=-O0'
printf '%s\n' 1..1 'ok 1' >"$tmp/fine"
fine="Check: cat $tmp/fine"
wrong='	return cpus;'
mutant a-killed "$test" "$wrong"
mutant b-survives "$test" "$line	/* never 0 */"
mutant c-no-place "$test" "$wrong"
sed -i 's/^-	.*/-	no such line/' "$tmp/c-no-place.mutants"
mutant d-no-build "$test" '	return as_many_as_there_are;'
mutant e-hangs "$test" '	for (;;);'
mutant f-may-hang "$test
Hangs: yes" '	for (;;);'
mutant g-half "$test
$fine" "$wrong"
mutant not-noticed "$fine" "$wrong"
mutant not-applied "$fine" "$wrong"
sed -i 's/^-	.*/-	no such line/' "$tmp/not-applied.mutants"
mutant not-tested 'Test: unit/cpus no_such_test' "$wrong"
mkdir "$tmp/not-named" "$tmp/no-test"
mutant not-named/not-named "$fine" "$wrong"
sed -i /^Source/d "$tmp/not-named/not-named.mutants"
mutant no-test/no-test 'Make: CFLAGS=-O0' "$wrong"

echo 'TAP version 13'
echo '1..19'

run '^[a-g]-'
[ $? -eq 1 ] && says '2 killed, 3 survived, 2 failed to build or apply'
check 'the totals, and the exit status'
says 'a none: nothing: killed by unit/cpus the_count_is_never_zero: tests/unit/cpus.c:'
check 'a mutant that a test notices is killed, by a test with a message'
says 'b none: nothing: SURVIVED unit/cpus the_count_is_never_zero'
check 'a mutant that changes nothing survives'
says 'c none: nothing: DOES NOT APPLY'
check 'a mutant that does not apply is no kill'
says 'd none: nothing: DOES NOT BUILD for unit/cpus the_count_is_never_zero'
check 'a mutant that does not build is no kill'
says 'e none: nothing: SURVIVED: unit/cpus the_count_is_never_zero hangs'
check 'a test that hangs unannounced is no kill'
grep -q '^f none: nothing: killed by unit/cpus the_count_is_never_zero: no end in [0-9]* s$' "$tmp/out"
check 'one that hangs as announced is, and the line says so'
says 'g none: nothing: SURVIVED cat'
check 'each of several tests has to notice'
[ -e $built/b-survives/src/os/linux/cpus.c ] && ! [ -e $built/a-killed ]
check 'what was not killed is kept'

run '^a-'
[ $? -eq 0 ] && says '1 killed, 0 survived, 0 failed to build or apply'
check 'all killed: success'
run '^not-noticed'
[ $? -eq 1 ] && says '0 killed, 1 survived, 0 failed'
check 'one survivor alone is a failure'
run '^not-applied'
[ $? -eq 1 ] && says '0 killed, 0 survived, 1 failed'
check 'one that does not apply is, too'
run '^not-tested'
[ $? -eq 1 ] && says 'fails without a mutant: Test: unit/cpus no_such_test' &&
	says '0 killed, 0 survived, 1 failed'
check 'a test that fails anyway has shown nothing'
run '^(a-|not-tested)'
[ $? -eq 1 ] && says 'none: nothing: FAILS WITHOUT THE MUTANT, TOO: Test: unit/cpus no_such_test' &&
	says '1 killed, 0 survived, 1 failed'
check 'and the other mutants are tried all the same'
sed -i 's/killed by/killed before by/' $built/a-killed.line
run '^a-'
[ $? -eq 0 ] && says 'killed before by' && says '1 killed, 0 survived, 0 failed'
check 'what was killed is not tried again'
echo '# other tables' >>"$tmp/a-killed.mutants"
run '^a-'
[ $? -eq 0 ] && ! says 'killed before by' && says '1 killed, 0 survived, 0 failed'
check 'except when a file is another one'
run . "$tmp/not-named"
[ $? -eq 2 ] && grep -q 'not-named: no Fault, Source or Puts back' "$tmp/err"
check 'a mutant that does not say whose fault it was is refused'
run . "$tmp/no-test"
[ $? -eq 2 ] && grep -q 'no-test: no Test, Model or Check' "$tmp/err"
check 'nor one without a test'
run '^nothing'
[ $? -eq 2 ]
check 'no mutant is no success'
