/* SPDX-License-Identifier: MIT */
/*
 * What the sanitizers are told of fibers (src/async/fiber/tools.h). Stand-ins for the functions of
 * ThreadSanitizer and AddressSanitizer check each call as these tools would: a context is switched
 * to only while it exists, a switch that was begun is ended on the stack that was named, and a
 * stack gets back what it had when it was left.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/child.h>

#include "arch/atomic.h"
#include "harness.h"
#include "hold_worker.h"
#include "wrap.h"
#include "fiber_fixture.h"

#define TSAN_MOST	8128	/* threads and fibers that ThreadSanitizer can have */
#define TSAN_FIBERS	7000	/* a value of src/async/fiber/hosted/fiber_tools.c */

static uint32_t nr_wrong;

static void wrong(const char *what)
{
	if (!nap_fetch_add_relaxed(&nr_wrong, 1))
		fprintf(stderr, "# %s\n", what);
}

/* ---- ThreadSanitizer */

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned int flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned int flags);

static uint32_t contexts[TSAN_MOST];	/* 1: exists; 0: free */
static uint32_t nr_created, nr_destroyed;
static __thread uint32_t of_thread = 1;
static __thread uint32_t *current;

void *__tsan_get_current_fiber(void)
{
	return current ? current : &of_thread;
}

void *__tsan_create_fiber(unsigned int flags)
{
	(void)flags;
	for (uint32_t n = nap_fetch_add_relaxed(&nr_created, 1), i = 0; i < TSAN_MOST; i++) {
		uint32_t *context = &contexts[(n + i) % TSAN_MOST];

		if (!nap_xchg_relaxed(context, 1))
			return context;
	}
	wrong("too many fibers for ThreadSanitizer");
	return NULL;
}

void __tsan_destroy_fiber(void *fiber)
{
	if (fiber == current || !nap_xchg_relaxed((uint32_t *)fiber, 0))
		wrong("a context is destroyed that runs or does not exist");
	nap_fetch_add_relaxed(&nr_destroyed, 1);
}

void __tsan_switch_to_fiber(void *fiber, unsigned int flags)
{
	(void)flags;
	current = fiber;
	if (!nap_load_relaxed(current))
		wrong("a context is switched to that does not exist");
}

/* ---- AddressSanitizer: of each stack, whether it was left and will be gone on with */

void __asan_handle_no_return(void);
void __sanitizer_start_switch_fiber(void **fake, const void *low, size_t size);
void __sanitizer_finish_switch_fiber(void *fake, const void **low, size_t *size);

#define STACKS	16384

static struct {
	const void *low;
	uint32_t is_left;
} stacks[STACKS];
static uint32_t stacks_lock, nr_no_return;

struct stack {
	const char *low;
	size_t size;
};

static __thread struct stack on, to;
static __thread bool is_switching;

static uint32_t *is_left(const void *low)
{
	size_t i = (uintptr_t)low / 4096 % STACKS;
	uint32_t *left;

	while (nap_xchg_acquire(&stacks_lock, 1))
		nap_cpu_relax();
	while (stacks[i].low && stacks[i].low != low)
		i = (i + 1) % STACKS;
	stacks[i].low = low;
	left = &stacks[i].is_left;
	nap_store_release(&stacks_lock, 0);
	return left;
}

static struct stack thread_stack(void)
{
	struct stack stack;
	pthread_attr_t attr;
	void *low;

	if (pthread_getattr_np(pthread_self(), &attr) ||
	    pthread_attr_getstack(&attr, &low, &stack.size))
		abort();
	pthread_attr_destroy(&attr);
	stack.low = low;
	return stack;
}

void __asan_handle_no_return(void)
{
	nap_fetch_add_relaxed(&nr_no_return, 1);
}

void __sanitizer_start_switch_fiber(void **fake, const void *low, size_t size)
{
	if (is_switching)
		wrong("a switch is begun twice");
	if (!on.low)
		on = thread_stack();
	is_switching = true;
	to = (struct stack){ low, size };
	nap_store_relaxed(is_left(on.low), !!fake);
	if (fake)
		*fake = (void *)on.low;
}

void __sanitizer_finish_switch_fiber(void *fake, const void **low, size_t *size)
{
	const char *here = __builtin_frame_address(0);

	if (!is_switching)
		wrong("a switch is ended that was not begun");
	if (here < to.low || here >= to.low + to.size)
		wrong("another stack was named");
	if (fake != (nap_load_relaxed(is_left(to.low)) ? to.low : NULL))
		wrong("a stack does not get back what it had");
	is_switching = false;
	if (low)
		*low = on.low;
	if (size)
		*size = on.size;
	on = to;
}

/* ---- fibers that run */

static struct nap_mutex mutex = NAP_MUTEX_INIT;
static unsigned int turns;

static intptr_t takes_turns(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++) {
		if (nap_mutex_lock(&mutex))
			return -1;
		nap_yield();
		turns++;
		nap_mutex_unlock(&mutex);
	}
	return 0;
}

static intptr_t awaits_others(void *unused)
{
	struct nap_fiber *fibers[10];
	intptr_t failed = 0, result;

	(void)unused;
	for (int i = 0; i < 10; i++)
		if (nap_spawn(&pool, &fibers[i], takes_turns, NULL))
			abort();
	for (int i = 0; i < 10; i++)
		failed |= nap_await(fibers[i], &result) || result;
	return failed;
}

TEST(each_switch_is_told)
{
	struct nap_fiber *fibers[10];
	intptr_t failed;

	for (int i = 0; i < 10; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], awaits_others, NULL), 0);
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(nap_await(fibers[i], &failed), 0);
		EXPECT_EQ(failed, 0);
	}
	EXPECT_EQ(turns, 300);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_created, 110);
	EXPECT_EQ(nr_destroyed, 110);
	EXPECT_EQ(nr_no_return, 110);
	EXPECT_EQ(nr_wrong, 0);
}

/*
 * ---- how many fibers there are: a fiber that has ended, or has not begun after all, does not
 * count. With one more round than there may be fibers a spawn would be refused.
 */

enum { ROUNDS = TSAN_FIBERS + 1 };

static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);

static intptr_t returns(void *arg)
{
	return (intptr_t)arg;
}

static void begin(uint32_t most)
{
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) ||
	    nap_fibers_init(&pool, &(struct nap_fibers_config){ .stack_size = 32768,
								.most = most }))
		abort();
}

static void end(struct __test_metadata *_metadata)
{
	struct nap_fiber *fiber;

	ASSERT_EQ(nap_spawn(&pool, &fiber, returns, NULL), 0);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_created, nr_destroyed);
	EXPECT_EQ(nr_wrong, 0);
}

TEST(who_has_ended_does_not_count)
{
	begin(1);
	for (int i = 0; i < ROUNDS; i++) {
		struct nap_fiber *fiber;

		ASSERT_EQ(nap_spawn(&pool, &fiber, returns, NULL), 0);
		ASSERT_EQ(nap_await(fiber, NULL), 0);
	}
	end(_metadata);
}

TEST(who_finds_no_stack_does_not_count)
{
	struct nap_fiber *kept;

	begin(1);
	ASSERT_EQ(nap_spawn(&pool, &kept, returns, NULL), 0);
	for (int i = 0; i < ROUNDS; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, returns, NULL), -EAGAIN);
	/* ThreadSanitizer counts the fibers of all pools. */
	ASSERT_EQ(nap_spawn(&other, NULL, returns, NULL), 0);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	ASSERT_EQ(nap_await(kept, NULL), 0);
	end(_metadata);
}

TEST(who_is_refused_by_a_scope_does_not_count)
{
	struct nap_scope scope;

	begin(1);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	ASSERT_EQ(nap_scope_cancel(&scope), 0);
	for (int i = 0; i < ROUNDS; i++)
		ASSERT_EQ(nap_scope_spawn(&scope, returns, NULL), -ECANCELED);
	EXPECT_EQ(nap_scope_end(&scope), 0);
	end(_metadata);
}

/* As if a stop came between the first check and the schedule. */
static bool refuses;

WRAP(int, nap__schedule_as, (struct nap_pool *to_pool, struct nap_worker *worker, bool inside,
			     struct nap_task *head, struct nap_task *tail, size_t count))
{
	return refuses ? -ESHUTDOWN :
			 __real_nap__schedule_as(to_pool, worker, inside, head, tail, count);
}

TEST(who_is_refused_by_a_stop_does_not_count)
{
	begin(1);
	refuses = true;
	for (int i = 0; i < ROUNDS; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, returns, NULL), -ESHUTDOWN);
	refuses = false;
	end(_metadata);
}

/* As many as there may be, twice. In between one more is refused for each of them. */
TEST(who_is_one_too_many_does_not_count)
{
	begin(ROUNDS);
	for (int round = 0; round < 2; round++) {
		begin_waiting(NULL);
		for (int i = 0; i < TSAN_FIBERS; i++)
			ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
		for (int i = 0; i < TSAN_FIBERS; i++)
			ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), -EAGAIN);
		nap_group_done(&never);
		ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	}
	end(_metadata);
}

/* The only stack is that of a fiber that has failed; the next fiber has not. */
TEST(who_is_refused_by_a_stop_leaves_nothing)
{
	struct nap_fiber_stats before, now;
	struct nap_fiber *fiber;
	struct nap_scope scope;
	intptr_t result;

	begin(1);
	ASSERT_EQ(nap_spawn(&pool, &fiber, returns, (void *)-5), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -5);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	ASSERT_EQ(nap_fiber_get_stats(&pool, &before), 0);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	refuses = true;
	EXPECT_EQ(nap_spawn(&pool, &fiber, returns, NULL), -ESHUTDOWN);
	EXPECT_EQ(fiber, NULL);
	EXPECT_EQ(nap_scope_spawn(&scope, returns, NULL), -ESHUTDOWN);
	refuses = false;
	EXPECT_EQ(scope.members, NULL);
	EXPECT_EQ(nap_scope_end(&scope), 0);
	ASSERT_EQ(nap_fiber_get_stats(&pool, &now), 0);
	EXPECT_EQ(now.live, 0);
	EXPECT_EQ(now.spawned, before.spawned + 2);
	EXPECT_EQ(now.free, 1);
	end(_metadata);
}

static struct nap_fiber_start starts[ROUNDS];

/* Each start finds no stack, and begins when there is one. */
TEST(who_waits_for_a_stack_counts_once)
{
	struct nap_fiber *kept;

	begin(1);
	ASSERT_EQ(nap_spawn(&pool, &kept, returns, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(nap_fiber_start_init(&starts[i], &pool, returns, NULL), 0);
		ASSERT_EQ(nap_schedule(&pool, &starts[i].task), 0);
	}
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	ASSERT_EQ(nap_await(kept, NULL), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	end(_metadata);
}

/* ---- a start that has to try again, because there are too many fibers, and its pool stops */

static bool stops;

WRAP(int, nap__schedule_behind, (struct nap_pool *to_pool, struct nap_worker *worker,
				 struct nap_task *task))
{
	if (stops)
		nap_pool_shutdown(to_pool, NAP_STOP);
	return __real_nap__schedule_behind(to_pool, worker, task);
}

TEST(a_stop_hands_out_who_would_have_tried_again)
{
	struct nap_fiber_start one;
	struct nap_batch left;

	begin(TSAN_FIBERS);
	begin_waiting(NULL);
	for (int i = 0; i < TSAN_FIBERS; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
	ASSERT_EQ(nap_fiber_start_init(&one, &other, returns, NULL), 0);
	stops = true;
	ASSERT_EQ(nap_schedule(&other, &one.task), 0);
	while (nap_pool_quiesce(&other) != -ECANCELED)
		usleep(100);
	ASSERT_EQ(nap_pool_join(&other, &left), 0);
	EXPECT_EQ(left.count, 1);
	EXPECT_EQ(left.head, &one.task);
	nap_group_done(&never);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	end(_metadata);
}

static void keeps_busy(struct nap_task *task)
{
	(void)task;
	stay_busy();
}

/* The only worker is busy until the pool is stopped. */
TEST(who_has_not_begun_at_a_stop_does_not_count)
{
	struct nap_task blocker = NAP_TASK_INIT(keeps_busy);

	for (int i = 0; i < ROUNDS; i += ROUNDS / 2) {
		begin(ROUNDS / 2 + 1);
		hold_worker(&pool, &blocker);
		for (int n = 0; n <= ROUNDS / 2; n++)
			ASSERT_EQ(nap_spawn(&pool, NULL, returns, NULL), 0);
		ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
		let_worker_go();
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
	begin(1);
	end(_metadata);
}

/* The parent's fibers wait. Its child may have as many of its own, on the same stacks. */
static int spawn_in_child(void)
{
	memset(stacks, 0, sizeof(stacks));
	if (nap_pool_init_child(&pool) ||
	    nap_fibers_init(&pool, &(struct nap_fibers_config){ .stack_size = 32768,
								.most = ROUNDS }))
		return 1;
	begin_waiting(NULL);
	for (int i = 0; i <= ROUNDS / 2; i++)
		if (nap_spawn(&pool, NULL, waits, NULL))
			return 2;
	nap_group_done(&never);
	return nap_pool_join(&pool, NULL) || nr_wrong ? 3 : 0;
}

TEST(the_fibers_of_the_parent_do_not_count_in_the_child)
{
	int status = -1;
	pid_t child;

	begin(ROUNDS);
	begin_waiting(NULL);
	for (int i = 0; i <= ROUNDS / 2; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
	until_waiting(ROUNDS / 2);
	child = fork();
	if (child == 0)
		_exit(spawn_in_child());
	waitpid(child, &status, 0);
	EXPECT_EQ(status, 0);
	nap_group_done(&never);
	end(_metadata);
}

TEST_HARNESS_MAIN
