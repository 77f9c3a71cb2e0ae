/* SPDX-License-Identifier: MIT */
/*
 * Waits on futexes that return for no reason (interrupted, not even asleep, woken for nothing), and
 * wakes that come late. When a futex wait returns, its caller has to check. No wake is lost here.
 */
#include <sys/syscall.h>

#include "os/futex.h"
#include "os/os.h"
#include "fault/load.h"
#include "fault/report.h"
#include "watchdog.h"
#include "wrap.h"

#define ROUNDS	64

static struct nap_pool pool;

/* The faults, each in percent of all waits or all wakes. */
struct plan {
	uint32_t eintr, eagain, zero;	/* return this value at once */
	uint32_t cut;			/* sleep a little, then return -EINTR */
	uint32_t late;			/* delay the wake */
	bool storm;			/* a thread wakes all waiters again and again */
};
static struct plan plan;
static uint32_t calls;
static unsigned long injected;

static uint32_t percent(void)
{
	return (nap_fetch_add_relaxed(&calls, 1) * 2654435761u >> 16) % 100;
}

/*
 * The addresses on which threads sleep. The storm uses only the addresses, because the words may be
 * freed.
 */
#define SLEEPERS 64
static uint32_t *sleepers[SLEEPERS];

int __real_nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline);

static int note_sleeper(uint32_t *word)
{
	for (int i = 0; i < SLEEPERS; i++)
		if (!nap_load_relaxed(&sleepers[i]) &&
		    !nap_cmpxchg_relaxed(&sleepers[i], NULL, word))
			return i;
	abort();
}

static int sleep_noted(uint32_t *word, uint32_t expected, uint64_t deadline)
{
	int slot = note_sleeper(word);
	int err = __real_nap__futex_wait(word, expected, deadline);

	nap_store_relaxed(&sleepers[slot], NULL);
	return err;
}

static int sleep_a_little(uint32_t *word, uint32_t expected, uint64_t deadline)
{
	uint64_t soon = nap__os_now() + 20000;
	int err;

	if (deadline <= soon)
		return sleep_noted(word, expected, deadline);
	err = sleep_noted(word, expected, soon);
	if (err != -ETIMEDOUT)
		return err;
	nap_fetch_add_relaxed(&injected, 1);
	return -EINTR;
}

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	uint32_t chance = percent();
	int err;

	if (chance < plan.eintr)
		err = -EINTR;
	else if ((chance -= plan.eintr) < plan.eagain)
		err = -EAGAIN;
	else if ((chance -= plan.eagain) < plan.zero)
		err = 0;
	else if ((chance -= plan.zero) < plan.cut)
		return sleep_a_little(word, expected, deadline);
	else
		return sleep_noted(word, expected, deadline);
	/* A timeout that has come is always reported. */
	if (deadline != UINT64_MAX && nap__os_now() >= deadline)
		return -ETIMEDOUT;
	nap_fetch_add_relaxed(&injected, 1);
	sched_yield();
	return err;
}

WRAP(void, nap__futex_wake, (uint32_t *word, uint32_t n))
{
	if (percent() < plan.late) {
		nap_fetch_add_relaxed(&injected, 1);
		usleep(percent() * 2);
	}
	__real_nap__futex_wake(word, n);
}

/* ---- the storm ---- */

static uint32_t storm_over;

static void *storm(void *arg)
{
	(void)arg;
	while (!nap_load_relaxed(&storm_over)) {
		for (int i = 0; i < SLEEPERS; i++) {
			uint32_t *word = nap_load_relaxed(&sleepers[i]);
			long woken = word ? syscall(SYS_futex, word, 129, INT32_MAX) : 0;

			if (woken > 0)
				nap_fetch_add_relaxed(&injected, (unsigned long)woken);
		}
		sched_yield();
	}
	return NULL;
}

static void run_load(struct __test_metadata *_metadata, uint32_t workers, enum load_end how)
{
	struct nap_config config = { .max_workers = workers };
	pthread_t thread;

	storm_over = 0;
	if (plan.storm)
		pthread_create(&thread, NULL, storm, NULL);
	nap_pool_init(&pool, &config);
	load_prepare(&pool, nap_test_slow() ? ROUNDS / 4 : ROUNDS, how);
	load_finish();
	load_expect();
	nap_store_relaxed(&storm_over, 1);
	if (plan.storm)
		pthread_join(thread, NULL);
}

/* Runs loads on pools of every size, with every way of ending. */
static void run_all(struct __test_metadata *_metadata, struct plan with)
{
	static const uint32_t workers[] = { 1, 2, 8 };
	unsigned long rounds = nap_test_count(6);

	plan = with;
	for (unsigned long i = 0; i < rounds; i++)
		for (int w = 0; w < 3; w++)
			for (int how = 0; how < LOAD_NR_ENDS; how++)
				run_load(_metadata, workers[w], (enum load_end)how);
}

FIXTURE(futex) {};
FIXTURE_VARIANT(futex) { const char *fault; struct plan plan; };
FIXTURE_VARIANT_ADD(futex, eintr) {
	.fault = "futex wait: EINTR", .plan = { .eintr = 50 } };
FIXTURE_VARIANT_ADD(futex, eagain) {
	.fault = "futex wait: EAGAIN", .plan = { .eagain = 50 } };
FIXTURE_VARIANT_ADD(futex, zero) {
	.fault = "futex wait: 0 for nothing", .plan = { .zero = 50 } };
FIXTURE_VARIANT_ADD(futex, cut) {
	.fault = "futex wait: EINTR in the middle", .plan = { .cut = 90 } };
FIXTURE_VARIANT_ADD(futex, never) {
	.fault = "futex wait: never sleeps", .plan = { .eintr = 33, .eagain = 33, .zero = 34 } };
FIXTURE_VARIANT_ADD(futex, late) {
	.fault = "futex wake: late", .plan = { .late = 70 } };
FIXTURE_VARIANT_ADD(futex, storm) {
	.fault = "futex wake: everybody, all the time", .plan = { .storm = true } };
FIXTURE_VARIANT_ADD(futex, all) {
	.fault = "futex: all of these",
	.plan = { .eintr = 15, .eagain = 15, .zero = 15, .cut = 30, .late = 30, .storm = true } };
FIXTURE_SETUP(futex) {}
FIXTURE_TEARDOWN(futex) {}

TEST_F(futex, nothing_depends_on_it)
{
	watchdog(&pool, 0);
	run_all(_metadata, variant->plan);
	load_report(variant->fault, injected);
}

/* How many timed waits ended early. The faults make futex waits return before their time. */
static uint32_t early;

static void wait_in_vain(struct nap_group *group, uint64_t ns)
{
	uint64_t begin = nap__os_now();

	LOAD_WANT(nap_group_wait_for(group, ns) == -ETIMEDOUT);
	if (nap__os_now() - begin < ns)
		nap_fetch_add_relaxed(&early, 1);
}

struct vain {
	struct nap_task task;
	struct nap_group *group, *asked;
};

static void wait_in_vain_inside(struct nap_task *task)
{
	struct vain *vain = nap_container_of(task, struct vain, task);

	for (uint64_t us = 1; us < 3000; us *= 2)
		wait_in_vain(vain->group, us * 1000);
	/* Stays until the test's quiesce has timed out, however late. */
	LOAD_WANT(nap_group_wait(vain->asked) == 0);
	nap_fetch_add_relaxed(&nr_run, 1);
}

TEST(a_timed_wait_is_not_over_before_its_time)
{
	struct nap_group group = NAP_GROUP_INIT(&pool), asked = NAP_GROUP_INIT(&pool);
	struct vain inside_of[2] = { { NAP_TASK_INIT(wait_in_vain_inside), &group, &asked },
				     { NAP_TASK_INIT(wait_in_vain_inside), &group, &asked } };
	uint64_t begin;

	plan = (struct plan){ .eintr = 20, .eagain = 20, .zero = 20, .cut = 40 };
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 }), 0);
	watchdog(&pool, 0);
	nap_group_add(&group, 1);
	nap_group_add(&asked, 1);
	for (int i = 0; i < 2; i++)
		nap_schedule(&pool, &inside_of[i].task);
	begin = nap__os_now();
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 500000), -ETIMEDOUT);
	EXPECT_GE(nap__os_now() - begin, 500000);
	nap_group_done(&asked);
	for (uint64_t us = 1; us < 3000; us *= 2)
		wait_in_vain(&group, us * 1000);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	nap_group_done(&group);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(load.odd, 0);
	EXPECT_EQ(early, 0);
	fault_report("futex wait: early, under timed waits", injected, 2, nr_run);
}

TEST_HARNESS_MAIN
