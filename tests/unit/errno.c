/* SPDX-License-Identifier: MIT */
/*
 * No public call changes errno, whether it succeeds or fails. Linked with --wrap: libc functions
 * that might set errno always set it here. tests/system/errno.sh finds functions that the library
 * calls and that are not wrapped.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "pool_fixture.h"
#include "wrap.h"

#define KEPT	4711
#define SPOILT	4712

/* How often a wrapped function has set errno on this thread during a call. */
static __thread unsigned long spoilt;

#define SPOIL() (spoilt++, errno = SPOILT)

/* SPOILS(type of the result, name, parameters, arguments, what a refused call returns, or 0) */
#define SPOILS(type, name, parameters, arguments, refusal)	\
WRAP(type, name, parameters)					\
{								\
	type result = (refusal);				\
								\
	if (!result)						\
		result = __real_##name arguments;		\
	SPOIL();						\
	return result;						\
}

static int attr_err, create_err, getattr_err;
static void *no_memory;

SPOILS(int, clock_gettime, (clockid_t id, struct timespec *now), (id, now), 0)
SPOILS(unsigned long, getauxval, (unsigned long type), (type), 0)
SPOILS(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t off),
       (at, n, prot, flags, fd, off), no_memory)
SPOILS(int, munmap, (void *mem, size_t n), (mem, n), 0)
SPOILS(int, pthread_atfork, (void (*a)(void), void (*b)(void), void (*c)(void)), (a, b, c), 0)
SPOILS(int, pthread_attr_destroy, (pthread_attr_t *attr), (attr), 0)
SPOILS(int, pthread_attr_getstack, (const pthread_attr_t *attr, void **mem, size_t *n),
       (attr, mem, n), 0)
SPOILS(int, pthread_attr_getstacksize, (const pthread_attr_t *attr, size_t *n), (attr, n), 0)
SPOILS(int, pthread_attr_init, (pthread_attr_t *attr), (attr), attr_err)
SPOILS(int, pthread_attr_setguardsize, (pthread_attr_t *attr, size_t n), (attr, n), 0)
SPOILS(int, pthread_attr_setstacksize, (pthread_attr_t *attr, size_t n), (attr, n), 0)
SPOILS(int, pthread_create, (pthread_t *thread, const pthread_attr_t *attr,
			     void *(*run)(void *), void *arg), (thread, attr, run, arg), create_err)
SPOILS(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t *attr), (thread, attr),
       getattr_err)
SPOILS(int, pthread_join, (pthread_t thread, void **value), (thread, value), 0)
SPOILS(int, pthread_key_create, (pthread_key_t *key, void (*end)(void *)), (key, end), 0)
SPOILS(int, pthread_key_delete, (pthread_key_t key), (key), 0)
SPOILS(int, pthread_setaffinity_np, (pthread_t thread, size_t size, const cpu_set_t *cpus),
       (thread, size, cpus), 0)
SPOILS(int, pthread_setcancelstate, (int state, int *old), (state, old), 0)
SPOILS(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value), 0)
SPOILS(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old), 0)
SPOILS(int, sigaction, (int n, const struct sigaction *new, struct sigaction *old),
       (n, new, old), 0)
SPOILS(int, sigaltstack, (const stack_t *new, stack_t *old), (new, old), 0)
SPOILS(int, sigaddset, (sigset_t *set, int n), (set, n), 0)
SPOILS(int, sigemptyset, (sigset_t *set), (set), 0)
SPOILS(int, sigfillset, (sigset_t *set), (set), 0)
SPOILS(int, pthread_timedjoin_np, (pthread_t thread, void **value, const struct timespec *until),
       (thread, value, until), 0)
#ifdef __GLIBC__	/* musl does not have the function */
SPOILS(int, pthread_clockjoin_np, (pthread_t thread, void **value, clockid_t id,
				   const struct timespec *until), (thread, value, id, until), 0)
#endif
SPOILS(long, sysconf, (int name), (name), 0)

static const char *changed;	/* the last call that changed errno */

/* Makes a call, checks that errno is as before, and returns the call's result. For any thread. */
#define KEEPS(call) __extension__ ({			\
	errno = KEPT;					\
	__typeof__(call) keeps__result = (call);	\
	if (errno != KEPT)				\
		changed = #call;			\
	keeps__result;					\
})
#define KEEPS_VOID(call) KEEPS(((call), 0))

static struct nap_pool pool;

static void set_up(struct nap_config config)
{
	attr_err = create_err = getattr_err = 0;
	no_memory = NULL;
	if (KEEPS(nap_pool_init(&pool, &config)))
		abort();
}

static void on_worker(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
}

TEST(a_pool_that_can_start_workers)
{
	struct nap_task task = NAP_TASK_INIT(count_run), more = NAP_TASK_INIT(count_run);
	struct nap_pool_stats stats;
	struct nap_worker_stats one;
	struct nap_batch batch = NAP_BATCH_INIT, left;

	set_up((struct nap_config){ .max_workers = 3, .stack_size = 1 << 20, .guard_size = 1 });
	EXPECT_EQ(KEEPS(nap_fibers_report_overflow()), 0);
	EXPECT_EQ(KEEPS(nap_io_again(0, NAP_IO_READ, 0)), -KEPT);
	EXPECT_EQ(KEEPS(nap_schedule(&pool, &task)), 0);
	EXPECT_GE(spoilt, 1);
	nap_batch_push(&batch, &more);
	EXPECT_EQ(KEEPS(nap_schedule_batch(&pool, &batch)), 0);
	EXPECT_EQ(KEEPS(nap_pool_prewarm(&pool, 3)), 0);
	EXPECT_EQ(KEEPS(nap_pool_quiesce(&pool)), 0);
	EXPECT_EQ(KEEPS(nap_call(&pool, on_worker, NULL)), 0);
	EXPECT_EQ(KEEPS(nap_pool_help(&pool, 1)), 0);
	EXPECT_EQ(KEEPS(nap_pool_get_stats(&pool, &stats)), 0);
	EXPECT_EQ(KEEPS(nap_worker_get_stats(&pool, 0, &one)), 0);
	EXPECT_EQ(KEEPS(nap_worker_get_stats(&pool, 9, &one)), -ENOENT);
	EXPECT_GE(KEEPS(nap_cpu_count()), 1);
	KEEPS_VOID(nap_signals_unblock());
	EXPECT_EQ(KEEPS(nap_worker_self()), NULL);
	spoilt = 0;
	EXPECT_EQ(KEEPS(nap_pool_shutdown(&pool, NAP_DRAIN)), 0);
	EXPECT_EQ(KEEPS(nap_pool_shutdown(&pool, NAP_DRAIN)), -EALREADY);
	EXPECT_EQ(KEEPS(nap_pool_prewarm(&pool, 3)), -ESHUTDOWN);
	EXPECT_EQ(KEEPS(nap_schedule(&pool, &task)), -ESHUTDOWN);
	EXPECT_EQ(KEEPS(nap_call(&pool, on_worker, NULL)), -ESHUTDOWN);
	EXPECT_EQ(KEEPS(nap_pool_join(&pool, &left)), 0);
	EXPECT_GE(spoilt, 1);
	EXPECT_EQ(KEEPS(nap_pool_join(&pool, NULL)), -EALREADY);
	EXPECT_EQ(KEEPS(nap_pool_get_stats(&pool, &stats)), 0);
	EXPECT_EQ(stats.workers.run, 2);
	EXPECT_EQ(changed, NULL) {
		TH_LOG("it was changed by %s", changed);
	}
}

static uint32_t go_on;

static void hold(struct nap_task *task)
{
	(void)task;
	while (!nap_load_acquire(&go_on))
		usleep(100);
}

TEST(waits_that_time_out)
{
	struct nap_group group = NAP_GROUP_INIT(&pool), alone = NAP_GROUP_INIT(NULL);
	struct nap_task task = NAP_TASK_INIT(hold);

	set_up((struct nap_config){ .max_workers = 1 });
	nap_group_add(&group, 1);
	nap_group_add(&alone, 1);
	EXPECT_EQ(KEEPS(nap_schedule(&pool, &task)), 0);
	spoilt = 0;
	EXPECT_EQ(KEEPS(nap_group_wait_for(&group, 1000)), -ETIMEDOUT);
	EXPECT_EQ(KEEPS(nap_group_wait_for(&alone, 1000)), -ETIMEDOUT);
	EXPECT_EQ(KEEPS(nap_pool_quiesce_for(&pool, 1000)), -ETIMEDOUT);
	EXPECT_GE(spoilt, 3);
	EXPECT_EQ(KEEPS(nap_group_done(&alone)), 0);
	EXPECT_EQ(KEEPS(nap_group_done(&group)), 0);
	EXPECT_EQ(KEEPS(nap_group_wait(&group)), 0);
	nap_store_release(&go_on, 1);
	EXPECT_EQ(KEEPS(nap_pool_join(&pool, NULL)), 0);
	EXPECT_EQ(changed, NULL) {
		TH_LOG("it was changed by %s", changed);
	}
}

static void no_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
}

/* Makes every call that a task may make, on a worker. */
static void call_everything(struct nap_task *task)
{
	static struct nap_task next = NAP_TASK_INIT(count_run);
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct nap_frame *top = nap_top(nap_worker_self());

	(void)task;
	spoilt = 0;
	KEEPS(nap_schedule(&pool, &next));
	KEEPS_VOID(nap_fork(nap_worker_self(), top, no_job));
	KEEPS(nap_pool_help(&pool, 1));
	KEEPS(nap_join(nap_worker_self(), top));
	nap_group_add(&group, 1);
	KEEPS(nap_group_wait_for(&group, 1000));
	KEEPS(nap_pool_join(&pool, NULL));
	KEEPS(nap_pool_quiesce(&pool));
	KEEPS(nap_call(&pool, on_worker, NULL));
	nap_fetch_add_relaxed(&nr_run, spoilt ? 1 : 1000);
}

TEST(on_a_worker)
{
	struct nap_task task = NAP_TASK_INIT(call_everything);

	set_up((struct nap_config){ .max_workers = 2 });
	EXPECT_EQ(KEEPS(nap_schedule(&pool, &task)), 0);
	EXPECT_EQ(KEEPS(nap_pool_join(&pool, NULL)), 0);
	EXPECT_EQ(nr_run, 2);
	EXPECT_EQ(changed, NULL) {
		TH_LOG("it was changed by %s", changed);
	}
}

static void start_fails(struct __test_metadata *_metadata, int err)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_pool_stats stats;

	spoilt = nr_run = 0;
	EXPECT_EQ(KEEPS(nap_schedule(&pool, &task)), 0);
	EXPECT_GE(spoilt, 1);
	EXPECT_EQ(KEEPS(nap_pool_prewarm(&pool, 1)), -err);
	EXPECT_EQ(KEEPS(nap_pool_help(&pool, 0)), 1);
	EXPECT_EQ(KEEPS(nap_schedule(&pool, &task)), 0);
	EXPECT_EQ(KEEPS(nap_pool_quiesce(&pool)), 0);
	EXPECT_EQ(KEEPS(nap_pool_get_stats(&pool, &stats)), 0);
	EXPECT_EQ(stats.spawn_last_errno, err);
	EXPECT_EQ(KEEPS(nap_pool_join(&pool, NULL)), 0);
	EXPECT_EQ(nr_run, 2);
	EXPECT_EQ(changed, NULL) {
		TH_LOG("it was changed by %s", changed);
	}
}

TEST(threads_that_cannot_be_created)
{
	set_up((struct nap_config){ .max_workers = 2 });
	create_err = EAGAIN;
	start_fails(_metadata, EAGAIN);
}

TEST(attributes_that_cannot_be_had)
{
	set_up((struct nap_config){ .max_workers = 2, .stack_size = 1 << 20 });
	attr_err = ENOMEM;
	start_fails(_metadata, ENOMEM);
}

TEST(no_memory_for_records_nor_a_word_on_the_stack)
{
	set_up((struct nap_config){ .max_workers = 2 });
	getattr_err = ENOMEM;
	no_memory = MAP_FAILED;
	start_fails(_metadata, ENOMEM);
}

TEST(arguments_that_are_refused)
{
	struct nap_config wrong = { .max_workers = NAP_MAX_WORKERS + 1 };

	EXPECT_EQ(KEEPS(nap_pool_init(&pool, &wrong)), -EINVAL);
	EXPECT_EQ(KEEPS(nap_pool_prewarm(NULL, 1)), -EINVAL);
	EXPECT_EQ(KEEPS(nap_pool_join(NULL, NULL)), -EINVAL);
	EXPECT_EQ(KEEPS(nap_call(&pool, NULL, NULL)), -EINVAL);
	EXPECT_EQ(KEEPS(nap_pool_shutdown(&pool, (enum nap_shutdown)7)), -EINVAL);
	EXPECT_EQ(changed, NULL) {
		TH_LOG("it was changed by %s", changed);
	}
}

static int again_after(int err, int fd)
{
	errno = err;
	return nap_io_again(fd, NAP_IO_READ, 0);
}

TEST(a_failed_call_on_a_file_is_repeated_or_not_by_errno)
{
	int ends[2];

	ASSERT_EQ(pipe(ends), 0);
	EXPECT_EQ(again_after(EINTR, ends[0]), 0);
	EXPECT_EQ(again_after(EAGAIN, ends[0]), -ETIMEDOUT);
	EXPECT_EQ(again_after(EPIPE, ends[0]), -EPIPE);
	EXPECT_EQ(again_after(0, ends[0]), -EINVAL);
	ASSERT_EQ(write(ends[1], "", 1), 1);
	EXPECT_EQ(again_after(EAGAIN, ends[0]), 0);
	EXPECT_EQ(again_after(EAGAIN, -1), -EBADF);
	close(ends[0]);
	close(ends[1]);
}

TEST_HARNESS_MAIN
