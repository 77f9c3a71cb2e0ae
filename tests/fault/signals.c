/* SPDX-License-Identifier: MIT */
/*
 * Storms of signals, sent to the process and to each of its threads, workers included. Their
 * handler is installed without SA_RESTART: a thread that waits outside is interrupted again and
 * again, a worker never is.
 */
#include <dirent.h>
#include <sys/syscall.h>

#include "os/futex.h"
#include "os/os.h"
#include "fault/load.h"
#include "fault/report.h"
#include "watchdog.h"
#include "wrap.h"

static struct nap_pool pool;

/*
 * How often the handler ran. @handled_on_worker includes threads that have a worker's name, but are
 * not yet or no longer workers.
 */
static unsigned long handled[2], handled_on_worker;

static void on_signal(int signal)
{
	char name[16];

	nap_fetch_add_relaxed(&handled[signal == SIGUSR2], 1);
	prctl(PR_GET_NAME, name);
	if (nap_worker_index(nap_worker_self()) < nap_load_relaxed(&pool.limit) ||
	    strncmp(name, "nap/", 4) == 0)
		nap_fetch_add_relaxed(&handled_on_worker, 1);
}

/* How many waits were interrupted. */
static unsigned long interrupted;

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	int err = __real_nap__futex_wait(word, expected, deadline);

	if (err == -EINTR)
		nap_fetch_add_relaxed(&interrupted, 1);
	return err;
}

/* ---- the storm ---- */

static uint32_t storm_over;
static unsigned long sent;
static pthread_t storm_thread;

static void signal_every_thread(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int tid = atoi(entry->d_name);

		/* The thread may already have ended. */
		if (tid && syscall(SYS_tgkill, getpid(), tid, SIGUSR2) == 0)
			sent++;
	}
	if (dir)
		closedir(dir);
}

static void *storm(void *arg)
{
	(void)arg;
	while (!nap_load_acquire(&storm_over)) {
		if (kill(getpid(), SIGUSR1) == 0)
			sent++;
		signal_every_thread();
		usleep(10);
	}
	return NULL;
}

/* Begins the storm. Its own thread blocks the signals. */
static void begin_storm(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t all, old;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&storm_thread, NULL, storm, NULL))
		abort();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Ends the storm; returns how often the handler ran. */
static unsigned long end_storm(void)
{
	flag_set(&storm_over);
	pthread_join(storm_thread, NULL);
	return nap_load_relaxed(&handled[0]) + nap_load_relaxed(&handled[1]);
}

static bool has_struck(void)
{
	return nap_load_relaxed(&handled[0]) && nap_load_relaxed(&handled[1]) &&
	       nap_load_relaxed(&interrupted);
}

TEST(only_those_outside_are_interrupted)
{
	unsigned long rounds = nap_test_count(20), injected;

	watchdog(&pool, 0);
	begin_storm();
	for (unsigned long i = 0; i < rounds || !has_struck(); i++)
		load_with_every_end(_metadata, &pool, i);
	injected = end_storm();
	EXPECT_EQ(handled_on_worker, 0);
	TH_LOG("%lu signals sent, %lu handled, %lu waits interrupted", sent, injected, interrupted);
	load_report("signal storm, under load", injected);
}

/* ---- every wait outside a pool, each for long enough to be interrupted many times ---- */

#define LONG_NS	5000000u

static uint32_t go_on;
static int joined[2];

static void stay(struct nap_task *task)
{
	flag_wait(&go_on);
	count_run(task);
}

static void *wait_for_group(void *arg)
{
	LOAD_WANT(nap_group_wait(arg) == 0);
	return NULL;
}

static void *join_too(void *arg)
{
	*(int *)arg = nap_pool_join(&pool, NULL);
	return NULL;
}

static void wait_in_vain(struct nap_group *group)
{
	uint64_t begin = nap__os_now();

	LOAD_WANT(nap_group_wait_for(group, LONG_NS) == -ETIMEDOUT);
	LOAD_WANT(nap__os_now() - begin >= LONG_NS);
	begin = nap__os_now();
	LOAD_WANT(nap_pool_quiesce_for(&pool, LONG_NS) == -ETIMEDOUT);
	LOAD_WANT(nap__os_now() - begin >= LONG_NS);
}

/* Returns when waits have been interrupted @n times more. */
static void await_interruptions(unsigned long n)
{
	unsigned long from = nap_load_relaxed(&interrupted);

	while (nap_load_relaxed(&interrupted) - from < n)
		usleep(100);
}

TEST(every_wait_outlasts_it)
{
	unsigned long rounds = nap_test_count(30);

	watchdog(&pool, 0);
	begin_storm();
	for (unsigned long i = 0; i < rounds; i++) {
		struct nap_group group = NAP_GROUP_INIT(&pool);
		struct nap_task task = NAP_TASK_INIT(stay);
		pthread_t waiter, joiners[2];

		go_on = 0;
		nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 });
		nap_group_add(&group, 1);
		nap_schedule(&pool, &task);
		wait_in_vain(&group);
		pthread_create(&waiter, NULL, wait_for_group, &group);
		await_interruptions(10);
		nap_group_done(&group);
		pthread_join(waiter, NULL);
		/*
		 * One joiner waits until the pool is quiet; the second joiner waits for the first.
		 */
		for (int j = 0; j < 2; j++)
			pthread_create(&joiners[j], NULL, join_too, &joined[j]);
		await_interruptions(10);
		flag_set(&go_on);
		for (int j = 0; j < 2; j++)
			pthread_join(joiners[j], NULL);
		ASSERT_EQ(joined[0] + joined[1], -EALREADY);
	}
	fault_report("signal storm, every kind of wait", end_storm(), rounds, nr_run);
	EXPECT_EQ(handled_on_worker, 0);
	EXPECT_EQ(load.odd, 0);
}

TEST_HARNESS_MAIN
