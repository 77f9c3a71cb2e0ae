#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests what nap-check makes of a search besides a verdict: every different fault, a table of
# outcomes, a file for code hosts; and that several processes make the same results. KTAP.

check=${NAP_MODEL:-build/model}/nap-check
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/model/programs.inc

# gives CODE TEXT COMMAND...: whether COMMAND exits with CODE, and prints TEXT, an extended
# regular expression
gives()
{
	code=$1 text=$2
	shift 2
	timeout 120 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	[ $? -eq "$code" ] && grep -Eq -- "$text" "$tmp/out" "$tmp/err"
}

echo "TAP version 13"
echo "1..29"

# ---- every fault

cat >"$tmp/faults.c" <<'END_OF_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x, flag;
static int a, b;

static void *writer(void *arg)
{
	a = 2;
	b = 1;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	atomic_store(&x, 1);
	return arg;
}

static void *reader(void *arg)
{
	assert(atomic_load(&x) != 1);
	return arg;
}

int main(void)
{
	pthread_t thread[2];
	void *memory = malloc(4);

	pthread_create(&thread[0], NULL, writer, NULL);
	pthread_create(&thread[1], NULL, reader, NULL);
	if (atomic_load_explicit(&flag, memory_order_relaxed))
		a = b;
	assert(atomic_load(&x) == 0);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	free(memory);
	free(memory);
	return 0;
}
END_OF_C

# faults_in FILE: prints the faults in the output FILE, each with its places, sorted by name
faults_in()
{
	awk '/^# (data race|assertion failed|freed twice|dead-lock|live-lock|use of)/ { line = $0 }
		/^#   (first:|second:|at) / { line = line " " $NF }
		/^# fault / { print line }' "$1" | LC_ALL=C sort
}

gives 1 '^not ok 1 main rc11: 0 executions, 0 blocked, [0-9]+ with a fault, .*: found: .*; and 4 others \(not expected\)$' \
	"$check" --keep="$tmp/faults" --all-faults --trace="$tmp" "$tmp/faults.c" && cp "$tmp/out" "$tmp/all" &&
	faults_in "$tmp/all" >"$tmp/out" && [ "$(wc -l <"$tmp/out")" -eq 5 ] && grep -q '^# fault 5 of 5' "$tmp/all" &&
	[ "$(grep -c '^# assertion failed' "$tmp/out")" -eq 2 ] && [ "$(grep -c '^# data race' "$tmp/out")" -eq 2 ] &&
	grep -q '^# freed twice' "$tmp/out"
check "--all-faults goes on behind assertions, races and what is freed twice, and shows each once"
faults_in "$tmp/all" >"$tmp/was"
gives 1 'executions bounded' "$tmp/faults/check" --turns=state --all-faults --preemptions=99 &&
	faults_in "$tmp/out" | diff "$tmp/was" - >"$tmp/err" && [ -s "$tmp/was" ]
check "all interleavings, without any reduction, have no other"
[ "$(ls "$tmp"/main.rc11*.trace | wc -l)" -eq 5 ] && faults_in "$tmp/all" >"$tmp/was" &&
	(for nth in '' .2 .3 .4 .5; do
		timeout 60 "$tmp/faults/check" --turns=state --all-faults --replay="$tmp/main.rc11$nth.trace"
		[ $? -eq 1 ] || exit 1
	done) >"$tmp/again" 2>&1 && faults_in "$tmp/again" | sort -u | diff "$tmp/was" - >"$tmp/out"
check "--trace saves each, and --replay runs it again"
gives 1 '^not ok 1 race rc11: .*, [0-9]+ with a fault, .*: found: data race: ' \
	"$check" --all-faults --quiet tests/model/user/faults.c && cp "$tmp/out" "$tmp/all" &&
	gives 1 '^not ok 1 race' "$check" --quiet tests/model/user/faults.c &&
	sed -n 's/^\(not \)*ok [0-9]* \([a-z_]*\) .*\(no fault\|found\|not found\|forbidden\|allowed\|undecided\).*/\1\2 \3/p' \
		"$tmp/out" >"$tmp/first" && [ -s "$tmp/first" ] &&
	sed -n 's/^\(not \)*ok [0-9]* \([a-z_]*\) .*\(no fault\|found\|not found\|forbidden\|allowed\|undecided\).*/\1\2 \3/p' \
		"$tmp/all" | diff "$tmp/first" - >"$tmp/err"
check "each scenario comes out as without the option"

cat >"$tmp/same.c" <<'END_OF_C'
#include <pthread.h>
#include <stdatomic.h>

static int n[4];
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void add(int i)
{
	n[i % 2]++;
}

static void *run(void *arg)
{
	add(0);
	add(1);
	pthread_mutex_lock(arg ? &a : &b);
	pthread_mutex_lock(arg ? &b : &a);
	pthread_mutex_unlock(arg ? &b : &a);
	pthread_mutex_unlock(arg ? &a : &b);
	return arg;
}

int main(void)
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, run, NULL);
	pthread_create(&thread[1], NULL, run, &a);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}
END_OF_C
gives 1 '^not ok .*found: data race: .*; and 1 other ' "$check" --all-faults "$tmp/same.c" &&
	faults_in "$tmp/out" >"$tmp/faults.list" && [ "$(grep -c '^# data race' "$tmp/faults.list")" -eq 1 ] &&
	[ "$(grep -c '^# dead-lock' "$tmp/faults.list")" -eq 1 ] &&
	grep -q '^# fault . of 2, in [0-9]* executions*, behind a data race' "$tmp/out"
check "a race of two variables and of two orders at one place is one; the dead-lock behind it is marked"
sed 's/n\[i % 2\]++/(void)i/' "$tmp/same.c" >"$tmp/lock.c"
gives 1 '^not ok .*: [1-9][0-9]* executions, .*, [1-9][0-9]* with a fault, .*: found: dead-lock: .* \(not expected\)$' \
	"$check" --all-faults "$tmp/lock.c" && ! grep -q '; and [0-9]* other' "$tmp/out" && grep -q '^# fault 1 of 1, in [0-9]* executions*$' "$tmp/out"
check "without the race it is not, and what has no fault is counted apart"

cat >"$tmp/first.c" <<'END_OF_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *run(void *arg)
{
	atomic_store(&x, 1);
	assert(atomic_load(&x) != 1);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	assert(atomic_load(&x) == 1);
	pthread_join(thread, NULL);
	return 0;
}
END_OF_C
gives 1 '^not ok .*found: assertion failed: .*; and 1 other ' "$check" --all-faults "$tmp/first.c"
check "a fault before all others does not hide what comes from the others' later writes"

# ---- outcomes

cat >"$tmp/sb.c" <<'END_OF_C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;
static int r[2];

static void *left(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	r[0] = atomic_load_explicit(&y, memory_order_relaxed);
	return arg;
}

static void *right(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	r[1] = atomic_load_explicit(&x, memory_order_relaxed);
	if (r[1])
		fputs("\"seen", stderr), putchar('!');
	return arg;
}

int main(void)
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, left, NULL);
	pthread_create(&thread[1], NULL, right, NULL);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	printf("r0=%d r1=%d\n", r[0], r[1]);
	return r[0] || r[1] ? 0 : 3;
}
END_OF_C
cat >"$tmp/by-hand" <<'END_OF_LIST'
#      executions  outcome
#   1           1  status 0; main prints "r0=0 r1=1\n"; T2 prints "\"seen!"
#   2           1  status 0; main prints "r0=1 r1=0\n"
#   3           1  status 0; main prints "r0=1 r1=1\n"; T2 prints "\"seen!"
#   4           1  status 3; main prints "r0=0 r1=0\n"
END_OF_LIST
gives 0 '^ok 1 main rc11: 4 executions, .*: no fault$' "$check" --keep="$tmp/sb" --outcomes "$tmp/sb.c" &&
	sed -n '/^#.*outcome/,/^#   4/p' "$tmp/out" | diff "$tmp/by-hand" - >"$tmp/err"
check "--outcomes: what is printed and returned, by how many executions"
gives 0 '^ok 1 main sc: 3 executions' "$tmp/sb/check" --turns=state --outcomes --model=sc &&
	sed -n '/^#.*outcome/,/^#   3/p' "$tmp/out" | diff - "$tmp/by-hand" >"$tmp/err"
[ "$(grep -c '^[<>]' "$tmp/err")" -eq 1 ] && grep -q '^> #   4 ' "$tmp/err"
check "under sc one of them is not there"
gives 0 'executions bounded' "$tmp/sb/check" --turns=state --outcomes --preemptions=99 &&
	sed -n 's/^#  *[1-9] *[0-9]*  //p' "$tmp/out" >"$tmp/bounded" &&
	sed -n 's/^#  *[1-9] *[0-9]*  //p' "$tmp/by-hand" | diff - "$tmp/bounded" >"$tmp/err" && [ -s "$tmp/bounded" ]
check "all interleavings have the same outcomes"
gives 0 "^#      saved in $tmp/main\.rc11\.outcome-4\.trace$" "$tmp/sb/check" --turns=state --outcomes --trace="$tmp" &&
	gives 0 '^#   1           1  status 3; main prints "r0=0 r1=0' "$tmp/sb/check" --turns=state --outcomes \
		--replay="$tmp/main.rc11.outcome-4.trace" --svg="$tmp/sb.svg" &&
	grep -q '^#  *[0-9]*  *load y: 0 relaxed <- start' "$tmp/out" &&
	grep -q '<title id="nap-title">main under rc11: no fault</title>' "$tmp/sb.svg" && ! grep -q 'the fault' "$tmp/sb.svg"
check "an execution of each is saved, and shown and drawn by --replay"
gives 1 '^#      executions  outcome \(until the search ended\)$' "$check" --outcomes "$tmp/lock.c" &&
	gives 1 '^#      executions  outcome$' "$check" --outcomes --all-faults "$tmp/lock.c"
check "where a fault ends the search the table says that it is not whole"
gives 2 "doesn't allow an argument" "$tmp/sb/check" --outcomes=2
check "--outcomes takes no number"

# ---- SARIF: sarif.py knows what the schema asks for

is_sarif()
{
	if python3 -c '' 2>/dev/null; then
		python3 -B tests/model/sarif.py "$@" >"$tmp/out" 2>&1
	else
		grep -q '"version": "2.1.0"' "$1"
	fi
}

sarif=$tmp/found.sarif
gives 1 '^not ok' "$tmp/faults/check" --turns=state --all-faults --quiet --sarif="$sarif" && is_sarif "$sarif" 5 0 &&
	grep -q "\"uri\": \"file://$tmp/faults\.c\" }, \"region\": { \"startLine\": 20" "$sarif" &&
	grep -q '"ruleId": "data-race"' "$sarif" && grep -q '"relatedLocations"' "$sarif" &&
	grep -q '"executionOrder": 1,.*starts T1' "$sarif"
check "--sarif has a result for each fault, by its lines, with the other place and the execution"
gives 1 '^not ok' "$check" --quiet --sarif="$sarif" tests/model/user/faults.c &&
	is_sarif "$sarif" "$(grep '^not ok' "$tmp/out" | grep -vc ': undecided: ')" "$(grep -c '^not ok .*undecided: ' "$tmp/out")" &&
	grep -q '"uri": "tests/model/user/faults\.c"' "$sarif"
check "of all scenarios one file: what is not expected, what is undecided, with paths below the current folder"
gives 0 '^ok' "$check" --sarif="$sarif" tools/check/example/lazy.cc && is_sarif "$sarif" 0 0
check "where nothing is wrong there is no result"
mkdir -p "$tmp/a \"b%" && cp tools/check/example/seqlock.c "$tmp/a \"b%/ö.c" &&
	gives 1 '^not ok' "$check" --quiet --sarif="$sarif" -DSEEDED_FAULT "$tmp/a \"b%/ö.c" && is_sarif "$sarif" 1 0 &&
	grep -q '/a%20%22b%25/%C3%B6\.c"' "$sarif"
check "a path with what a URI may not have is quoted"
is_sarif "$sarif" 1 0 && sed 's/"startLine"/"line"/' "$sarif" >"$tmp/wrong.sarif" && ! is_sarif "$tmp/wrong.sarif" 1 0
check "a file that is none of SARIF is found (with python3)"
gives 2 "No such file or directory: $tmp/nowhere/a.sarif" "$tmp/faults/check" --sarif="$tmp/nowhere/a.sarif"
check "where no file could be written nothing is searched"

# ---- several processes: parts.sh runs more

heavy >"$tmp/heavy.c"

# same PROGRAM OPTION...: whether three processes print what one prints, except the seconds
same()
{
	program=$1
	shift
	timeout 120 "$program" --turns=state "$@" >"$tmp/one" 2>"$tmp/err"
	status=$?
	timeout 120 "$program" --turns=state -j3 --grain=0 "$@" >"$tmp/three" 2>>"$tmp/err"
	[ $? -eq $status ] && sed 's/ [0-9.]* s: / s: /' "$tmp/one" >"$tmp/was" &&
		sed '/^# in one process/d; s/ [0-9.]* s: / s: /' "$tmp/three" | diff "$tmp/was" - >"$tmp/out" && [ -s "$tmp/was" ]
}

"$check" --keep="$tmp/heavy" --list "$tmp/heavy.c" >"$tmp/out" 2>&1 &&
	"$check" --keep="$tmp/seeded" -DSEEDED_FAULT --list "$tmp/heavy.c" >"$tmp/out" 2>&1 &&
	same "$tmp/heavy/check" --outcomes && grep -Eq '^ok 1 heavy rc11: 990 executions' "$tmp/three" &&
	[ "$(grep -c ' prints "' "$tmp/three")" -gt 20 ]
check "-j: executions and outcomes are those of one process"
same "$tmp/seeded/check" && grep -Eq '^not ok 1 heavy rc11: [0-9]{3,} executions, .*: found: ' "$tmp/three"
check "so are the first fault, its execution, and how many were before it"
same "$tmp/seeded/check" --all-faults && same "$tmp/faults/check" --all-faults &&
	same "$tmp/faults/check" && same "$check" tests/model/user/faults.c
check "so are all faults, of each scenario"
gives 3 '^not ok 1 heavy .*: undecided: the bound on executions$' "$tmp/heavy/check" --turns=state -j3 --grain=0 \
	--max-executions=500
check "a bound that one of them meets ends all"
gives 0 '^# in one process: executions are not divided that are sampled' "$tmp/heavy/check" --turns=state -j3 --random=9
check "what is not divided says so"
gives 2 'not a number: many' "$tmp/heavy/check" -jmany && gives 2 'not with more than one process: --sites' \
	"$tmp/heavy/check" -j2 --sites && gives 2 'more processes than 1024: 5000' "$tmp/heavy/check" -j 5000
check "a number that is none, or cannot be, and what cannot be added up is refused"

timeout 120 "$tmp/heavy/check" --turns=state --progress -j2 >"$tmp/out" 2>"$tmp/err" &&
	grep -q '^ok 1 heavy rc11: 990 executions' "$tmp/out" && ! grep -v '^# [0-9]* executions, [0-9]* blocked, [0-9]* s; about [0-9.]* %, [0-9]* s more$' "$tmp/err"
check "--progress prints nothing else"
# estimate PROGRAM: prints the worst factor, in percent, by which a printed share was wrong. A first
# run tells how many graphs there are. The second run prints a line after each fortieth of these;
# lines of the first tenth do not count.
estimate()
{
	timeout 120 "$1" --turns=state --quiet >"$tmp/whole" 2>&1 </dev/null
	all=$(sed -n 's/^ok 1 .*: \([0-9]*\) executions, \([0-9]*\) blocked.*/\1 \2/p' "$tmp/whole")
	all=$((${all% *} + ${all#* }))
	timeout 120 "$1" --turns=state --quiet --progress=$((all / 40 + 1)) >"$tmp/out" 2>"$tmp/err" </dev/null
	awk -v all=$all '{
			share = substr($0, index($0, "about ") + 6) / 100
			n = ($2 + $4) / all
			factor = share > n ? share / n : share > 0 ? n / share : 1000
			if (n >= 0.1 && factor > worst)
				worst = factor
			lines++
		}
		END { print lines < 20 ? 1000 : int(100 * worst) }' "$tmp/err"
}

sed 's/^THREAD(third.*/&\nTHREAD(fourth, b, a, c)/; s/{ last }/{ fourth }, &/' "$tmp/heavy.c" >"$tmp/long.c"
"$check" --keep="$tmp/four" --list "$tmp/long.c" >"$tmp/out" 2>&1 || exit 1
cat >"$tmp/shapes.h" <<'END_OF_C'
#include <nap/check.h>
#include <stdatomic.h>

#define LOAD(x) atomic_load_explicit(&x, memory_order_relaxed)
#define STORE(x, n) atomic_store_explicit(&x, n, memory_order_relaxed)
static atomic_int x, y, z, w;
END_OF_C
shape()
{
	mkdir -p "$tmp/$1"
	{ cat "$tmp/shapes.h" && cat; } >"$tmp/$1/$1.c"
	"$check" --keep="$tmp/$1" --list "$tmp/$1/$1.c" >"$tmp/out" 2>&1 || exit 1
	shapes="$shapes $1"
}
shapes=four
shape buffering <<'END_OF_C'
#define THREAD(name, a, b, c) static void name(void *arg) { STORE(a, 1); LOAD(b); LOAD(c); LOAD(b); }
THREAD(first, x, y, z) THREAD(second, y, z, x) THREAD(third, z, x, w) THREAD(fourth, w, x, y)
CHECK_SCENARIO(buffering, .threads = { { first }, { second }, { third }, { fourth } });
END_OF_C
shape readers <<'END_OF_C'
static void writer(void *arg) { for (int i = 1; i <= 4; i++) STORE(x, i); }
static void reader(void *arg) { LOAD(x); LOAD(x); LOAD(x); }
CHECK_SCENARIO(readers, .threads = { { writer }, { reader }, { reader }, { reader } });
END_OF_C
shape readers_first <<'END_OF_C'
static void writer(void *arg) { for (int i = 1; i <= 4; i++) STORE(x, i); }
static void reader(void *arg) { LOAD(x); LOAD(x); LOAD(x); }
CHECK_SCENARIO(readers, .threads = { { reader }, { reader }, { reader }, { writer } });
END_OF_C
shape rmw <<'END_OF_C'
static void adds(void *arg) { atomic_fetch_add(&x, 1); atomic_fetch_add(&x, 1); atomic_fetch_add(&y, 1); }
CHECK_SCENARIO(rmw, .threads = { { adds }, { adds }, { adds } });
END_OF_C
shape uneven <<'END_OF_C'
static void long_one(void *arg) { for (int i = 0; i < 8; i++) { STORE(x, i); LOAD(y); } }
static void reader(void *arg) { STORE(y, 1); LOAD(x); LOAD(x); }
static void writer(void *arg) { STORE(y, 2); }
CHECK_SCENARIO(uneven, .threads = { { long_one }, { reader }, { writer } });
END_OF_C
shape writers <<'END_OF_C'
static void writer(void *arg) { STORE(x, 1); STORE(x, 2); LOAD(x); }
CHECK_SCENARIO(writers, .threads = { { writer }, { writer }, { writer }, { writer } });
END_OF_C
wrong=
for shape in $shapes; do
	factor=$(estimate "$tmp/$shape/check")
	[ "$factor" -le 300 ] || wrong="$wrong $shape: $factor %"
done
echo "$wrong" >"$tmp/out"
[ -z "$wrong" ]
check "it is right within a factor of three from a tenth of the search on, of $shapes"

# ---- wrong use

gives 2 'not a number: often' "$tmp/faults/check" --progress=often
check "--progress takes a number of executions, if anything"
gives 2 "doesn't allow an argument" "$tmp/faults/check" --all-faults=2
check "--all-faults takes no number"
