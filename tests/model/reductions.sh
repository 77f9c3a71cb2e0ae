#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the reductions of nap-check: how many executions they leave, and that verdicts, faults
# and outcomes stay the same. siblings.sh tests which threads are no siblings. KTAP.
#
#	tests/model/reductions.sh [-s SEED] [-n N]	N random scenarios of each kind (60)

check=${NAP_MODEL:-build/model}/nap-check
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/model/programs.inc
seed=1 n=60
while getopts s:n: option; do
	case $option in
	s) seed=$OPTARG ;;
	n) n=$OPTARG ;;
	*) echo "usage: $0 [-s SEED] [-n N]" >&2; exit 2 ;;
	esac
done

echo "TAP version 13"
echo "1..17"
echo "# seed $seed, $n scenarios of each kind"

# ---- threads that run the same function

cat >"$tmp/same.c" <<'END_OF_C'
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>

static atomic_int counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spinlock;
static pthread_barrier_t barrier;
static mtx_t mtx;
static int n;

static void *run_counter(void *arg) { atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed); return arg; }
static void *run_mutex(void *arg) { pthread_mutex_lock(&mutex); n++; pthread_mutex_unlock(&mutex); return arg; }
static void *run_spinlock(void *arg) { pthread_spin_lock(&spinlock); n++; pthread_spin_unlock(&spinlock); return arg; }
static void *run_mtx(void *arg) { mtx_lock(&mtx); n++; mtx_unlock(&mtx); return arg; }
static void *run_barrier(void *arg) { pthread_barrier_wait(&barrier); return arg; }

int main(int argc, char **argv)
{
	int threads = argv[2][0] - '0';
	void *(*run)(void *arg) = argv[1][0] == 'c' ? run_counter : argv[1][0] == 'm' ? run_mutex :
				  argv[1][0] == 's' ? run_spinlock : argv[1][0] == 't' ? run_mtx : run_barrier;
	pthread_t thread[8];

	pthread_spin_init(&spinlock, 0);
	pthread_barrier_init(&barrier, NULL, threads);
	mtx_init(&mtx, mtx_plain);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return n + counter != (argv[1][0] == 'b' ? 0 : threads);
}
END_OF_C
"$check" --keep="$tmp/same" -w --list "$tmp/same.c" >/dev/null 2>&1
same=$tmp/same/check

# come_to WHAT "COUNTS" OPTION...: whether 2, 3... threads have these numbers of executions, and
# none is blocked
come_to()
{
	what=$1 counts=$2 threads=2
	shift 2
	for count in $counts; do
		gives 0 "^ok 1 main rc11: $count executions, 0 blocked, .*: no fault\$" \
			"$same" --turns=state --symmetry "$@" -- $what $threads || return
		threads=$((threads + 1))
	done
}

come_to mutex "2 6 24 120 720 5040" --without=symmetry
check "seven threads with one lock: 7! executions, none blocked"
come_to mutex "1 1 1 1 1 1"
check "with symmetry one"
come_to spinlock "2 6 24" --without=symmetry && come_to spinlock "1 1 1" &&
	come_to tmtx "2 6 24" --without=symmetry && come_to tmtx "1 1 1"
check "so do spin locks and those of <threads.h>"
gives 0 ': 24 executions, [1-9][0-9]* blocked' "$same" --turns=state --symmetry --without=locks -- mutex 4 &&
	gives 0 ': 24 executions, [1-9][0-9]* blocked' "$same" --turns=state --symmetry --without=all -- mutex 4
check "--without=locks: as many executions, and others that are blocked"
come_to counter "2 6 24 120" --without=symmetry && come_to counter "1 1 1 1 1 1" &&
	come_to barrier "2 6 24 120" --without=symmetry && come_to barrier "1 1 1 1 1 1"
check "a counter and a barrier: N! executions, and one"
gives 0 ': 24 executions' "$same" --turns=state --symmetry --outcomes -- counter 4
check "--outcomes counts all"
gives 0 'sc: 1 executions, 0 blocked' "$same" --turns=state --symmetry --model=sc -- mutex 4 &&
	gives 0 'tso: 1 executions, 0 blocked' "$same" --turns=state --symmetry --model=tso -- mutex 4 &&
	gives 0 'tso: 24 executions, 0 blocked' "$same" --turns=state --symmetry --without=symmetry --model=tso -- mutex 4
check "under the other models, too"

cat >"$tmp/std.cc" <<'END_OF_C'
#include <mutex>
#include <thread>

static std::mutex mutex;
static int n;
static void add() { std::lock_guard<std::mutex> lock(mutex); n++; }

int main()
{
	std::thread one(add), two(add), three(add);

	one.join();
	two.join();
	three.join();
	return n != 3;
}
END_OF_C
gives 0 ': 6 executions, 0 blocked, .*: no fault' "$check" "$tmp/std.cc"
check "std::mutex, of three threads: 6 executions, none blocked"

# N threads that increment a number each by a loop of compare-exchanges
cat >"$tmp/retry.c" <<'END_OF_C'
#include <pthread.h>
#include <stdlib.h>

static int sum;
static struct node { struct node *next; } *top, nodes[8];

static void *add(void *arg)
{
	int old = __atomic_load_n(&sum, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(&sum, &old, old + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return arg;
}

static void *push(void *node)
{
	struct node *new = node, *old = __atomic_load_n(&top, __ATOMIC_RELAXED);

	do
		new->next = old;
	while (!__atomic_compare_exchange_n(&top, &old, new, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	return new;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[2]);
	pthread_t thread[8];

	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, argv[1][0] == 'a' ? add : push, &nodes[i]);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return sum != (argv[1][0] == 'a' ? n : 0);
}
END_OF_C
"$check" --keep="$tmp/retry" -w --list "$tmp/retry.c" >/dev/null 2>&1

# tried WHAT "COUNTS" OPTION...: whether 2, 3... threads have these numbers of executions
tried()
{
	what=$1 counts=$2 threads=2
	shift 2
	for count in $counts; do
		gives 0 "^ok 1 main rc11: $count executions, .*: no fault\$" \
			"$tmp/retry/check" --turns=state "$@" -- $what $threads || return
		threads=$((threads + 1))
	done
}

tried add "2 6 24" && tried push "2 6 24"
check "loops of compare-exchanges, of two to four threads: N! executions"
tried add "4 48 1536" --without=retries && tried push "4 48 1536" --without=all
check "--without=retries: 64 times as many for four"

# ---- random programs

# random KIND OPTION...: builds random scenarios of the kind, and runs them with and without reductions
random()
{
	kind=$1
	shift
	awk -v seed="$seed" -v n="$n" -v kind="$kind" -f tests/model/reductions.awk >"$tmp/$kind.c" &&
		"$check" --keep="$tmp/$kind" -w --list "$tmp/$kind.c" >"$tmp/out" 2>"$tmp/err" || return
	for without in none all; do
		[ $without = none ] || set -- "$@" --without=all
		timeout 1000 "$tmp/$kind/check" --turns=state --symmetry --all-faults "$@" >"$tmp/$kind.$without" 2>"$tmp/err"
		[ $? -eq 1 ] || return
	done
}

# counts FILE: prints for each scenario how many executions it has, with and without a fault
# together, and how many are blocked
counts()
{
	sed -nE 's/^(not )?ok [0-9]+ (\S+) (\S+): ([0-9]+) executions, ([0-9]+) blocked, (([0-9]+) with a fault, )?.*/\2 \3 \4 \7 blocked \5/p' "$1" |
		awk '{ print $1, $2, $3 + ($4 == "blocked" ? 0 : $4), $NF }'
}

# faults FILE: prints each scenario's faults, each with its places. All dead-locks of a scenario are
# one line, because only the place at which the starter waits distinguishes them.
faults()
{
	awk '/^# (data race|use of|dead-lock|live-lock|freed|T[0-9])|^# [^ ]*: / { line = $0; gsub(/T[0-9]+/, "T", line) }
		line ~ /dead-lock/ { line = "dead-lock" }
		/^#   (first:|second:|at) / && line != "dead-lock" { line = line " " $NF }
		/^# fault / { print nr + 0, line }
		/^(not )?ok / { print nr++, $0 ~ /^not/ }' "$1" | LC_ALL=C sort -u
}

# executions FILE: prints the number of executions of each scenario, and its outcomes, without the
# blocked ones
executions()
{
	sed -nE '/ prints "/p; s/^((not )?ok .*) executions, [0-9]+ blocked(, [0-9]+ with a fault)?.*/\1\3/p' "$1"
}

random locks --outcomes && executions "$tmp/locks.all" >"$tmp/was" && faults "$tmp/locks.all" >>"$tmp/was" &&
	{ executions "$tmp/locks.none"; faults "$tmp/locks.none"; } | diff "$tmp/was" - >"$tmp/out" &&
	[ "$(grep -c ' prints "' "$tmp/was")" -gt "$n" ] && [ "$(grep -c ' dead-lock' "$tmp/was")" -gt $((n / 10)) ]
check "locks: each scenario has the same executions, outcomes and faults"
counts "$tmp/locks.none" >"$tmp/now" && counts "$tmp/locks.all" | paste "$tmp/now" - |
	awk '{ blocked += $4; were += $8; more += $4 > $8 } END { print more + 0, "have more blocked;", blocked, "in all, without the reduction", were
		exit more || !(2 * blocked < were) }' >"$tmp/out"
check "none has more that are blocked, and all together less than half"

random siblings && faults "$tmp/siblings.all" >"$tmp/was" && faults "$tmp/siblings.none" | diff "$tmp/was" - >"$tmp/out" &&
	[ "$(wc -l <"$tmp/was")" -gt $((3 * n)) ]
check "siblings: each scenario has the same faults, and so the same results"
counts "$tmp/siblings.none" >"$tmp/now" && counts "$tmp/siblings.all" | paste "$tmp/now" - |
	awk '{ more += $3 > $7; fewer += $3 < $7 } END { print more + 0, "have more executions,", fewer + 0, "fewer"
		exit more || !(2 * fewer > NR) }' >"$tmp/out"
check "none has more executions, and most have fewer"

# as executions, but outcomes without how many executions have them
outcomes()
{
	sed -nE 's/^# +[0-9]+ +[0-9]+  (.* prints ".*)/\1/p; s/^((not )?ok [0-9]+ \S+ \S+) .*/\1/p' "$1"
}

# races FILE: as faults, but the two accesses of a race in one order, whichever comes second
races()
{
	faults "$1" | sed 's/write by T and read by T/read by T and write by T/' |
		awk '$(NF - 1) > $NF { last = $NF; $NF = $(NF - 1); $(NF - 1) = last } { print }' | LC_ALL=C sort -u
}

random retries --outcomes && outcomes "$tmp/retries.all" >"$tmp/was" && races "$tmp/retries.all" >>"$tmp/was" &&
	{ outcomes "$tmp/retries.none"; races "$tmp/retries.none"; } | diff "$tmp/was" - >"$tmp/out" &&
	[ "$(grep -c ' prints "' "$tmp/was")" -gt "$n" ] && [ "$(grep -c ' data race' "$tmp/was")" -gt $((n / 10)) ]
check "retries: each scenario has the same outcomes and faults"
counts "$tmp/retries.none" >"$tmp/now" && counts "$tmp/retries.all" | paste "$tmp/now" - |
	awk '{ more += $3 + $4 > $7 + $8; fewer += $3 < $7 } END { print more + 0, "have more executions,", fewer + 0, "fewer"
		exit more || !(10 * fewer > NR) }' >"$tmp/out"
check "none has more executions, with the blocked ones, and a tenth has fewer"

# ---- wrong use

gives 2 'neither locks nor symmetry nor retries nor all: loc' "$same" --without=loc &&
	gives 2 'neither locks nor symmetry nor retries nor all: locks,' "$same" --without=locks,
check "a reduction that is none is refused"
