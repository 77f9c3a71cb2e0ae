#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Threads that can be told apart are no siblings for --symmetry (tools/check/program/siblings.c). KTAP.

check=${NAP_MODEL:-build/model}/nap-check
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/model/programs.inc
echo "TAP version 13"
echo "1..12"

# The assertion fails only where a thread with a higher number comes first.

cat >"$tmp/apart.c" <<'END_OF_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned __VERIFIER_tid(void);
static atomic_int n, flag;
static int plain, numbers[2] = { 0, 1 };
static pthread_t thread[2];
static pthread_t first;
static long first_id;
static unsigned first_number;
static int *_Atomic known;
static char what;

static void *run(void *arg)
{
	int local, come = atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);

	if (what == 's' && !come)
		first = pthread_self();
	if (what == 'i' && !come)
		first_id = syscall(SYS_gettid);
	if (what == 't' && !come)
		first_number = __VERIFIER_tid();
	if (what == 'a')
		assert(come || *(int *)arg == 0);
	if (what == 'b')
		assert(!come || atomic_load_explicit(&flag, memory_order_relaxed));
	if (what == 'w' && come)
		return (void *)(long)plain;
	if (what == 'j' && !come)
		atomic_store(&flag, 1);
	if (what == 'h' && come)
		return (void *)(thread[0] == 0);
	if (what == 'p' && !come)
		atomic_store(&known, &local);
	if (what == 'p' && come && atomic_load(&known))
		assert(atomic_load(&known) < &local);
	return (void *)(long)come;
}

int main(int argc, char **argv)
{
	void *value = NULL;
	char is;	/* read without an access of memory */

	is = what = argv[1][0];
	pthread_create(&thread[0], NULL, run, is == 'a' ? &numbers[0] : NULL);
	if (is == 'b')
		atomic_store_explicit(&flag, 1, memory_order_relaxed);
	if (is == 'w')
		plain = 1;
	pthread_create(&thread[1], NULL, run, is == 'a' ? &numbers[1] : NULL);
	pthread_join(thread[0], is == 'v' ? &value : NULL);
	if (is == 'v')
		assert(value == 0);
	if (is == 'j')
		assert(atomic_load(&flag));
	pthread_join(thread[1], NULL);
	if (is == 's')
		assert(first == thread[0]);
	if (is == 'i')
		assert(first_id == (long)thread[0]);
	if (is == 't')
		assert(first_number + 1 == thread[0]);
	return 0;
}
END_OF_C
"$check" --keep="$tmp/apart" -w --list "$tmp/apart.c" >/dev/null 2>&1
apart=$tmp/apart/check

# apart CASE NAME: tests that the fault is found both without the reductions and with them
apart()
{
	gives 1 '^not ok 1 main rc11: .*: found: (assertion failed|data race)' "$apart" --turns=state --symmetry --without=all -- $1 &&
		gives 1 '^not ok 1 main rc11: .*: found: (assertion failed|data race)' "$apart" --turns=state --symmetry -- $1
	check "$2"
}

gives 0 ': 1 executions, 0 blocked, .*: no fault' "$apart" --turns=state --symmetry -- -
check "two threads that are the same: 1 execution"
apart s "a thread asks which it is"
apart i "by a system call, too"
apart t "by the function of other checkers, too"
apart a "the arguments differ"
apart b "the starter stores something between the two"
apart w "the starter writes plainly between the two"
apart j "the starter does something between the two joins"
apart v "what a thread returns is used"
apart h "a thread reads a handle"
gives 1 'found: assertion failed' "$apart" --turns=state --symmetry --without=all -- p &&
	gives 1 'found: assertion failed' "$apart" --turns=state --symmetry -- p
check "a thread makes known the address of a variable on its stack"

# An elimination array: the slot is a hash of the address of the thread's stack.
cat >"$tmp/hash.c" <<'END_OF_C'
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int n, slots[64];
static void *run(void *arg)
{
	pthread_mutex_lock(&mutex);
	slots[((uintptr_t)__builtin_frame_address(0) * 0x9E3779B97F4A7C15u) >> 58] = ++n;
	pthread_mutex_unlock(&mutex);
	return arg;
}
int main(void)
{
	pthread_t threads[2];
	int first = 0;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 64 && !first; i++)
		first = slots[i];
	assert(first == EXPECTED);
}
END_OF_C
gives 1 'found: assertion failed' "$check" -DEXPECTED=1 "$tmp/hash.c" &&
	gives 1 'found: assertion failed' "$check" -DEXPECTED=2 "$tmp/hash.c"
check "without --symmetry threads are told apart by a hash of an address"
