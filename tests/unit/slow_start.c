/* SPDX-License-Identifier: MIT */
/*
 * The limit is lowered while a worker is being started, so the new worker is one too many before
 * its starter has published it. The worker sleeps until then, because the starter may need the
 * worker's CPU, and may have a lower priority.
 */
#include "worker/worker.h"

#include "os/os.h"
#include "limit_fixture.h"
#include "wrap.h"

/*
 * The thread that starts the second worker lowers the limit, and waits until this worker has slept.
 */
static uint32_t nr_started, slept;

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	bool slow = nap_fetch_add_relaxed(&nr_started, 1) == 1;
	int err;

	if (slow && nap_pool_set_limit(&pool, 1) != 1)
		abort();
	err = __real_nap__os_thread_start(worker, stack_size);
	if (slow)
		flag_wait(&slept);
	return err;
}

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	struct nap_worker *worker = nap_worker_self();

	if (nap_worker_index(worker) == 1 && deadline != UINT64_MAX &&
	    nap_load_relaxed(&worker->record) == RECORD_CLAIMED)
		flag_set(&slept);
	return __real_nap__futex_wait(word, expected, deadline);
}

/* The pool has no worker_start, in which a worker might also sleep. */
TEST_F(under, who_is_too_many_sleeps_until_its_starter_has_come)
{
	const struct nap_config config = { .max_workers = 2, .idle = self->idle,
					   .worker_stop = count_stop };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	watchdog(&pool, 0);
	schedule_n(1, stay);
	await_inside(1);
	EXPECT_EQ(nap_pool_prewarm(&pool, 2), 0);
	await_spawned(1);
	flag_set(&may_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(stops, 2);
}

TEST_HARNESS_MAIN
