#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/mutate_random.sh on a source made up here, in a copy of the tree: each verdict is
# right, and is based on what ran. KTAP.

cd "$(dirname "$0")/../.." || exit 1
. tests/system/check.inc
tool=tools/mutate_random.sh
mkdir -p "$tmp/tree/build" build/kselftest
cp -a Makefile arch include src tests tools Documentation "$tmp/tree/"
[ ! -e build/kselftest/kselftest.h ] || cp -a build/kselftest "$tmp/tree/build/"
cd "$tmp/tree" || exit 1
# No file needs src/parallel, and its files take long to compile.
rm -r src/parallel
unset MAKEFLAGS MFLAGS MAKELEVEL
export MUTANT_SECONDS=2

cat >src/sync/extra.h <<'END'
int extra_min(int a, int b);
int extra_count(int n);
int *extra_next(int *p);
int extra_quiet(int n);
void extra_publish(int *slot, unsigned *word);
int extra_nobody(int n);
END
cat >src/sync/extra.c <<'END'
#include "sync/extra.h"
#include "arch/atomic.h"

int extra_noise;

/* The lesser. */
int extra_min(int a, int b)
{
	if (a < b)
		return a;
	return b;
}

int extra_count(int n)
{
	int i = 0;

	while (nap_load_relaxed((unsigned *)&n) > 0) {
		i++;
		n--;
	}
	return i;
}

int *extra_next(int *p)
{
	return p - 3;
}

int extra_quiet(int n)
{
	extra_noise = n;
	return n;
}

void extra_publish(int *slot, unsigned *word)
{
	*slot = 1;
	if (*slot != 1)
		nap_store_relaxed(word, 2);
	else
		nap_store_release(word, 1);
}

int extra_nobody(int n)
{
	return -n;
}
END
cat >tests/unit/extra.c <<'END'
#include "sync/extra.h"
#include "harness.h"

TEST(all)
{
	int numbers[5] = { 0 }, slot = 0;
	unsigned word = 0;

	EXPECT_EQ(extra_min(1, 2), 1);
	EXPECT_EQ(extra_min(2, 1), 1);
	EXPECT_EQ(extra_count(3), 3);
	EXPECT_TRUE(extra_next(numbers + 3) == numbers);
	EXPECT_EQ(extra_quiet(4), 4);
	extra_publish(&slot, &word);
}

TEST_HARNESS_MAIN
END
cat >tests/model/extra.c <<'END'
#include <nap/check.h>

#include "arch/atomic.h"
#include "sync/extra.h"

static int slot;
static unsigned word;

static void publish(void *unused)
{
	(void)unused;
	extra_publish(&slot, &word);
}

static void finally(void)
{
	CHECK(word == 1);
}

CHECK_SCENARIO(extra, .about = "the word is set", .threads = { { publish, .name = "it" } }, .finally = finally);
END

# run ARGUMENT...: runs the script; sets $exited
run()
{
	MUTANT_PROGRAMS='native:unit/extra model:extra' $tool ONLY='^src/sync/extra\.c$' "$@" >"$tmp/out" 2>"$tmp/err"
	exited=$?
}

# says REGEX: whether a line of the output matches
says()
{
	grep -Eq -e "$1" "$tmp/out"
}

# explain STATEMENT NAME: adds a reason in a comment after the statement
explain()
{
	sed -i "s|^\(	*$1\)\$|\1	/* Not noticed in tests when $2: nobody reads what it writes. */|" src/sync/extra.c
}

echo 'TAP version 13'
echo '1..22'

run N=abc
[ $exited -eq 2 ] && grep -q 'N=abc is not a number of changes' "$tmp/err"
check 'a number that is none is refused'
run N=0
[ $exited -eq 2 ] && grep -q 'N=0 is not a number of changes' "$tmp/err"
check 'so is none'
run SEED=
[ $exited -eq 2 ] && grep -q 'SEED= is not a seed' "$tmp/err"
check 'so is an empty seed'
run 'ONLY=('
[ $exited -eq 2 ] && grep -q 'ONLY=( is not a regular expression' "$tmp/err"
check 'so is what is no regular expression'
run M=1
[ $exited -eq 2 ] && grep -q 'what is M=1' "$tmp/err"
check 'so is an unknown word'

run N=4 SEED=1
says '^4/4 ' && says '^4 changes: '
check 'four are tried when four are asked for'
awk -F '\t' '{ print $1, $2, $3, $5, $8 }' build/mutate-random/list >"$tmp/first"
run N=4 SEED=1
says '; 0 to be tried$' && says '^4 changes: ' && ! says '^1/'
check 'none again when the same are asked for'
run N=999 SEED=1
all=$(wc -l <build/mutate-random/list)
says "; $((all - 4)) to be tried\$" && head -n 4 build/mutate-random/list |
	awk -F '\t' '{ print $1, $2, $3, $5, $8 }' | cmp -s - "$tmp/first"
check 'a larger number adds to them'
says ' extra_min\(\) if \(a < b\), negated: killed by native unit/extra: tests/unit/extra.c:'
check 'what a test notices is killed, by a test with a message'
says ' extra_min\(\) if \(a < b\), <= for <: the same object code$'
check 'what is the same code is equivalent'
says ' extra_count\(\) while .*, >= for >: hangs native unit/extra: no end'
check 'what hangs is killed'
says ' extra_next\(\) return p - 3;, operands of - swapped: does not build for '
check 'what cannot be built is no kill'
says " extra_publish\(\) if \(\*slot != 1\), negated: killed by the model's extra: "
check 'what only the model notices is killed by the model'
says ' extra_quiet\(\), dropped: SURVIVED the 1 programs' && says '^-	extra_noise = n;$' &&
	says '^\+	\{ \}$'
check 'what nobody notices survives, with its diff'
says ' extra_nobody\(\), 0 returned: SURVIVED, for no program executes it$'
check 'so does what nobody executes'
[ $exited -eq 1 ] && says "^$all changes: [0-9]+ killed natively, [1-9][0-9]* by the model, 1 did not build, [1-9][0-9]* equivalent .*, 0 survived with a reason, 2 survived\$"
check 'the totals, and the exit status'

explain 'return -n;' '0 returned'
explain 'extra_noise = n;' 'dropped'
run N=999 SEED=2
[ $exited -eq 0 ] && says '; 0 to be tried$' && says ', 2 survived with a reason, 0 survived$' &&
	says '^explained: .* extra_noise = n;, dropped: nobody reads what it writes\.$'
check 'reasons are taken, without trying again'
explain 'n--;' 'dropped'
run N=999 SEED=2
[ $exited -eq 1 ] && says '^a reason, but killed: .* n--;, dropped: '
check 'a reason for what is noticed is wrong'
explain 'i++;' 'negated'
run N=999 SEED=2
[ $exited -eq 2 ] && grep -q 'src/sync/extra.c:[0-9]*: there is no such change here' "$tmp/err"
check 'a reason for a change that there is not is refused'

sed -i 's|	/\* Not noticed.*||' src/sync/extra.c
echo >>tests/unit/extra.c
run N=999 SEED=2
says '^# the tests have changed' && says '; 2 to be tried$'
check 'other tests: what survived is tried again'
sed -i 's|extra_noise = n;|extra_noise = n + 1;|' src/sync/extra.c
run N=1 SEED=2
says '^# the tree has changed: [0-9]* verdicts are put aside' && says '; 1 to be tried$'
check 'another source: all is'
for file in /proc/[0-9]*/cmdline; do
	words=$(tr '\0' ' ' 2>/dev/null <"$file")
	case $words in *"$tmp"*) echo "$words" ;; esac
done 2>/dev/null >"$tmp/left"
! [ -s "$tmp/left" ] && ! [ -e build/mutate-random/running ]
check 'nothing is left behind'
