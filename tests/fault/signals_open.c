/* SPDX-License-Identifier: MIT */
/*
 * Signals that workers do not block. A fault in a task calls the program's handler. Storms of these
 * signals, sent to every thread, workers included, do no harm, even with handlers without
 * SA_RESTART.
 */
#include <dirent.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fault/load.h"
#include "fault/report.h"
#include "watchdog.h"

static struct nap_pool pool;

static const int open_signals[] = { SIGPROF, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS };
#if defined(NAP_TEST_TSAN) || defined(NAP_TEST_EMULATED)
#define NR_SIGNALS 1	/* threads that begin cannot take other signals */
#else
#define NR_SIGNALS ((int)(sizeof(open_signals) / sizeof(*open_signals)))
#endif

/* For each signal: how often the handler ran on a worker. */
static unsigned long handled[65];

static void on_signal(int signal)
{
	if (nap_worker_self())
		nap_fetch_add_relaxed(&handled[signal], 1);
}

static uint32_t storm_over;
static unsigned long sent;
static pthread_t storm_thread;

static void signal_every_thread(int signal)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int tid = atoi(entry->d_name);

		/* The thread may already have ended. The storm's own thread gets no signal. */
		if (tid && tid != syscall(SYS_gettid) &&
		    syscall(SYS_tgkill, getpid(), tid, signal) == 0)
			sent++;
	}
	if (dir)
		closedir(dir);
}

static void *storm(void *arg)
{
	(void)arg;
	for (unsigned i = 0; !nap_load_acquire(&storm_over); i++) {
		signal_every_thread(open_signals[i % NR_SIGNALS]);
		usleep(10);
	}
	return NULL;
}

static void begin_storm(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	for (int i = 0; i < NR_SIGNALS; i++)
		sigaction(open_signals[i], &action, NULL);
	if (pthread_create(&storm_thread, NULL, storm, NULL))
		abort();
}

/* Ends the storm; returns how often a handler ran on a worker. */
static unsigned long end_storm(void)
{
	unsigned long n = 0;

	flag_set(&storm_over);
	pthread_join(storm_thread, NULL);
	for (int i = 0; i < NR_SIGNALS; i++)
		n += handled[open_signals[i]];
	return n;
}

static bool has_struck(void)
{
	for (int i = 0; i < NR_SIGNALS; i++)
		if (!nap_load_relaxed(&handled[open_signals[i]]))
			return false;
	return true;
}

TEST(workers_are_interrupted_and_go_on)
{
	unsigned long rounds = nap_test_count(20), injected;

	watchdog(&pool, 0);
	begin_storm();
	for (unsigned long i = 0; i < rounds || !has_struck(); i++)
		load_with_every_end(_metadata, &pool, i);
	injected = end_storm();
	TH_LOG("%lu signals sent, %lu handled on workers", sent, injected);
	load_report("signal storm on workers, under load", injected);
}

/* ---- a fault in a task, in a process of its own */

static void report_and_exit(int signal)
{
	_exit(signal + (nap_worker_self() ? 100 : 0));
}

static volatile char *no_access;

static void write_nowhere(struct nap_task *task)
{
	(void)task;
	*no_access = 1;
}

static void fault_in_a_task(void)
{
	struct nap_task task = NAP_TASK_INIT(write_nowhere);
	struct sigaction action = { .sa_handler = report_and_exit };

	no_access = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, &task);
	nap_pool_quiesce(&pool);
}

TEST(a_crash_handler_runs_for_a_fault_in_a_task)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		fault_in_a_task();
		_exit(0);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 100 + SIGSEGV);
}

/* ---- a program that a task starts can be ended by SIGTERM */

static pid_t started;

static void start_program(struct nap_task *task)
{
	(void)task;
	started = fork();
	if (started == 0) {
		nap_signals_unblock();
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(1);
	}
}

TEST(a_program_that_a_task_starts_can_be_ended)
{
	struct nap_task task = NAP_TASK_INIT(start_program);
	int status = 0;

	if (access("/bin/sleep", X_OK))
		SKIP(return, "there is no /bin/sleep");
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(kill(started, SIGTERM), 0);
	ASSERT_EQ(waitpid(started, &status, 0), started);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST_HARNESS_MAIN
