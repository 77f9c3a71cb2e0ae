/* SPDX-License-Identifier: MIT */
/*
 * A kernel that starts no thread: a seccomp filter refuses clone and clone3, as a sandbox or a
 * limit would. It refuses only calls that make threads; forks, and what LeakSanitizer calls, pass.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "fault/load.h"
#include "fault/report.h"
#include "watchdog.h"

#define WORKERS 4
#define ROUNDS	32

static struct nap_pool pool;
static unsigned long injected;

/*
 * Installs a filter for the calling thread and the threads that it will start; with
 * SECCOMP_FILTER_FLAG_TSYNC for all threads. @clone3, @clone: SECCOMP_RET_... Returns what
 * seccomp() returns.
 */
static long install_filter(uint32_t clone3, uint32_t clone, unsigned long flags)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 2),
		BPF_STMT(BPF_RET | BPF_K, clone3),
		BPF_STMT(BPF_RET | BPF_K, clone),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

#define FAIL_WITH(err) (SECCOMP_RET_ERRNO | (err))

/*
 * How the filter answers clone3 and clone. A filter cannot be removed, so the test's own thread
 * gets none. In each run a new thread starts the producers, and then installs the filter on itself.
 */
static uint32_t answers[2];

static void filter_self(void)
{
	if (install_filter(answers[0], answers[1], 0))
		abort();
}

static void *conduct(void *how)
{
	load_prepare(&pool, ROUNDS, (enum load_end)(uintptr_t)how);
	load.spawns_fail = true;
	load.enter = filter_self;
	filter_self();
	load_finish();
	return NULL;
}

static void run_filtered(struct __test_metadata *_metadata, enum load_end how)
{
	struct nap_pool_stats stats;
	pthread_t thread;

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = WORKERS });
	ASSERT_EQ(pthread_create(&thread, NULL, conduct, (void *)(uintptr_t)how), 0);
	pthread_join(thread, NULL);
	stats = load_expect_refused(_metadata, EAGAIN, &injected);
	EXPECT_EQ(stats.workers.run, 0);
}

FIXTURE(kernel) {};
FIXTURE_VARIANT(kernel) { const char *fault; uint32_t clone3, clone; };
FIXTURE_VARIANT_ADD(kernel, refuses_clone3) {
	.fault = "seccomp: EAGAIN from clone3, all", .clone3 = FAIL_WITH(EAGAIN),
	.clone = FAIL_WITH(EAGAIN) };
FIXTURE_VARIANT_ADD(kernel, has_no_clone3_and_refuses_clone) {
	.fault = "seccomp: EAGAIN from clone, all", .clone3 = FAIL_WITH(ENOSYS),
	.clone = FAIL_WITH(EAGAIN) };
FIXTURE_SETUP(kernel) {}
FIXTURE_TEARDOWN(kernel) {}

TEST_F(kernel, every_start_fails)
{
	unsigned long rounds = nap_test_count(4);

	watchdog(&pool, 0);
	answers[0] = variant->clone3;
	answers[1] = variant->clone;
	for (unsigned long i = 0; i < rounds; i++)
		for (int how = 0; how < LOAD_NR_ENDS; how++)
			run_filtered(_metadata, (enum load_end)how);
	load_report(variant->fault, injected);
}

/*
 * Two of three producers have the filter, and try to start workers before the third one begins.
 * Workers that the third producer starts can start other workers.
 */
static uint32_t entered, tried;

static void filter_two_of_three(void)
{
	int err;

	if (nap_fetch_add_relaxed(&entered, 1) == 0) {
		while (nap_load_relaxed(&tried) < LOAD_PRODUCERS - 1)
			sched_yield();
		return;
	}
	filter_self();
	err = nap_pool_prewarm(&pool, WORKERS);
	LOAD_WANT(err == -EAGAIN || (err == -ESHUTDOWN && load_is_ended()));
	nap_fetch_add_relaxed(&tried, 1);
}

TEST(starts_fail_on_some_threads)
{
	unsigned long rounds = nap_test_count(4);

	watchdog(&pool, 0);
	answers[0] = answers[1] = FAIL_WITH(EAGAIN);
	for (unsigned long i = 0; i < rounds; i++)
		for (int how = 0; how < LOAD_NR_ENDS; how++) {
			nap_pool_init(&pool, &(struct nap_config){ .max_workers = WORKERS });
			load_prepare(&pool, ROUNDS, (enum load_end)how);
			load.spawns_fail = true;
			load.enter = filter_two_of_three;
			entered = tried = 0;
			load_finish();
			load_expect_refused(_metadata, EAGAIN, &injected);
		}
	load_report("seccomp: EAGAIN on some threads", injected);
}

/* ---- a filter that asks a supervisor, which refuses the k-th call ---- */

static struct {
	int fd;
	uint32_t number, from, to;	/* refuses the calls @from .. @to, counted from 1 */
	unsigned long refused;
	uint32_t over;
} judge;

static void judge_one(void)
{
	struct seccomp_notif call = { 0 };
	struct seccomp_notif_resp answer = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	uint32_t number;

	if (ioctl(judge.fd, SECCOMP_IOCTL_NOTIF_RECV, &call))
		return;
	number = nap_fetch_add_relaxed(&judge.number, 1) + 1;
	answer.id = call.id;
	if (number >= nap_load_relaxed(&judge.from) && number <= nap_load_relaxed(&judge.to)) {
		nap_fetch_add_relaxed(&judge.refused, 1);
		answer.flags = 0;
		answer.error = -EAGAIN;
	}
	if (ioctl(judge.fd, SECCOMP_IOCTL_NOTIF_SEND, &answer))
		abort();
}

static void *judge_all(void *arg)
{
	struct pollfd wanted;

	flag_wait(arg);
	wanted = (struct pollfd){ .fd = judge.fd, .events = POLLIN };
	while (!nap_load_acquire(&judge.over))
		if (poll(&wanted, 1, 10) > 0)
			judge_one();
	return NULL;
}

static void let_judge_refuse(uint32_t from, uint32_t to)
{
	nap_store_relaxed(&judge.number, 0);
	nap_store_relaxed(&judge.from, from);
	nap_store_relaxed(&judge.to, to);
}

static void run_judged(struct __test_metadata *_metadata, uint32_t from, uint32_t to,
		       enum load_end how)
{
	unsigned long before = nap_load_relaxed(&judge.refused);
	struct nap_pool_stats stats;

	let_judge_refuse(0, 0);
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = WORKERS });
	load_prepare(&pool, ROUNDS, how);
	load.spawns_fail = true;
	let_judge_refuse(from, to);
	load_finish();
	stats = load_expect_refused(_metadata, EAGAIN, &injected);
	EXPECT_EQ(stats.spawn_failures, nap_load_relaxed(&judge.refused) - before);
}

TEST(the_kth_start_fails)
{
	unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC |
			      SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
	uint32_t ready = 0;
	pthread_t thread;

	watchdog(&pool, 0);
	ASSERT_EQ(pthread_create(&thread, NULL, judge_all, &ready), 0);
	judge.fd = (int)install_filter(SECCOMP_RET_USER_NOTIF, SECCOMP_RET_USER_NOTIF, flags);
	if (judge.fd < 0 && errno == EINVAL)
		SKIP(return, "this kernel's seccomp has no listeners beside TSYNC");
	ASSERT_GE(judge.fd, 0);
	flag_set(&ready);
	for (uint32_t k = 1; k <= WORKERS; k++)
		for (int how = 0; how < LOAD_NR_ENDS; how++) {
			run_judged(_metadata, k, k, (enum load_end)how);
			/*
			 * k = 1 is left out: the supervisor would refuse every start, and the
			 * filters above do the same.
			 */
			if (k > 1)
				run_judged(_metadata, k, UINT32_MAX, (enum load_end)how);
		}
	flag_set(&judge.over);
	pthread_join(thread, NULL);
	load_report("seccomp: EAGAIN for the k-th clone", injected);
}

TEST_HARNESS_MAIN
