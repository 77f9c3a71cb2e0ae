/* SPDX-License-Identifier: MIT */
/*
 * The kernel refuses to start workers because a limit is reached: of address space, of a user's
 * processes, of a control group's tasks. When the limit is lifted, the workers are started.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "worker/worker.h"
#include "fault/footprint.h"
#include "fault/load.h"
#include "fault/report.h"
#include "watchdog.h"

#define WORKERS 6
#define ROUNDS	32

static struct nap_pool pool;
static unsigned long injected;

/* Functions that set a limit on the number of threads (or stacks), and that lift it. */
struct limit {
	void (*set)(uint32_t more);
	void (*lift)(void);
	size_t stack_size;
};

/*
 * Loads a pool that may start @more workers. If the limit counts threads, each producer that ends
 * leaves room for one worker more.
 */
static void run_limited(struct __test_metadata *_metadata, const struct limit *limit, uint32_t more,
			enum load_end how)
{
	struct nap_config config = { .max_workers = WORKERS, .stack_size = limit->stack_size };

	nap_pool_init(&pool, &config);
	load_prepare(&pool, ROUNDS, how);
	load.spawns_fail = true;
	limit->set(more);
	load_finish();
	limit->lift();
	load_expect_refused(_metadata, EAGAIN, &injected);
}

/*
 * Checks that the pool gets the workers that the limit allows, and all other workers when the limit
 * is lifted.
 */
static void run_lifted(struct __test_metadata *_metadata, const struct limit *limit, uint32_t more)
{
	struct nap_config config = { .max_workers = WORKERS, .stack_size = limit->stack_size };
	struct nap_pool_stats stats;

	nap_pool_init(&pool, &config);
	load_prepare(&pool, ROUNDS, LOAD_QUIESCE);
	load.spawns_fail = true;
	limit->set(more);
	/* For a short time the kernel still counts threads of the last pool that were joined. */
	do {
		EXPECT_EQ(nap_pool_prewarm(&pool, WORKERS), -EAGAIN);
		nap_pool_get_stats(&pool, &stats);
		EXPECT_LE(stats.spawned, more);
	} while (stats.spawned < more);
	limit->lift();
	EXPECT_EQ(nap_pool_prewarm(&pool, WORKERS), 0);
	EXPECT_EQ(await_workers(WORKERS), WORKERS);
	load_finish();
	load_expect_refused(_metadata, EAGAIN, &injected);
}

static void run_all(struct __test_metadata *_metadata, const struct limit *limit, uint32_t most,
		    unsigned long rounds)
{
	watchdog(&pool, 0);
	for (unsigned long i = 0; i < rounds; i++)
		for (uint32_t more = 0; more <= most; more += 2) {
			for (int how = 0; how < LOAD_NR_ENDS; how++)
				run_limited(_metadata, limit, more, (enum load_end)how);
			run_lifted(_metadata, limit, more);
		}
}

static bool set_soft(int resource, rlim_t soft)
{
	struct rlimit limit;

	getrlimit(resource, &limit);
	limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
	return setrlimit(resource, &limit) == 0;
}

/* ---- address space; not with AddressSanitizer, which needs terabytes ---- */

#ifndef NAP_TEST_LSAN

/* A stack larger than all those that the libc keeps; and room for the tasks. */
#define STACK	((size_t)64 << 20)
#define ROOM	((size_t)24 << 20)

static void leave_room(size_t room)
{
	if (!set_soft(RLIMIT_AS, (rlim_t)mapped_kib() * 1024 + room))
		abort();
}

static void limit_memory(uint32_t more)
{
	leave_room(ROOM + more * (STACK + 65536));
}

static void lift_memory(void)
{
	set_soft(RLIMIT_AS, RLIM_INFINITY);
}

TEST(no_memory_for_stacks)
{
	const struct limit limit = { limit_memory, lift_memory, STACK };
	struct footprint before;

	footprint_prepare();
	run_all(_metadata, &limit, 4, 1);
	before = footprint();
	run_all(_metadata, &limit, 4, nap_test_count(2));
	footprint_expect(before);
	load_report("RLIMIT_AS: no stacks", injected);
}

/* A pool may be configured for more workers than there is memory for records. */
TEST(no_memory_for_records)
{
	struct nap_config config = { .max_workers = NAP_MAX_WORKERS, .stack_size = LOAD_STACK };
	unsigned long rounds = nap_test_count(2);
	struct footprint before = { 0, 0 };

	footprint_prepare();
	watchdog(&pool, 0);
	for (unsigned long i = 0; i <= rounds; i++) {
		for (int how = 0; how < LOAD_NR_ENDS; how++) {
			nap_pool_init(&pool, &config);
			load_prepare(&pool, ROUNDS, (enum load_end)how);
			load.spawns_fail = true;
			leave_room(NAP_MAX_WORKERS * sizeof(struct nap_worker) / 2);
			load_finish();
			lift_memory();
			EXPECT_EQ(load_expect_refused(_metadata, ENOMEM, &injected).workers.run, 0);
		}
		if (i == 0)
			before = footprint();
	}
	footprint_expect(before);
	load_report("RLIMIT_AS: no records", injected);
}

#endif

/* ---- processes of a user ---- */

/* How many threads the process has before the load: the limit counts them, too. */
static uint32_t own_threads;

static void limit_processes(uint32_t more)
{
	if (!set_soft(RLIMIT_NPROC, own_threads + LOAD_PRODUCERS + more))
		abort();
}

static void lift_processes(void)
{
	set_soft(RLIMIT_NPROC, RLIM_INFINITY);
}

/*
 * The limit does not apply to root. Root can become a user without other processes, and then gets
 * as many threads as the limit says. Any other user may have other processes, and may get no
 * thread.
 */
TEST(no_more_processes_for_the_user)
{
	const struct limit limit = { limit_processes, lift_processes, LOAD_STACK };
	uid_t nobody_else = 0x4e000000u + (uid_t)getpid();
	bool root = geteuid() == 0;

	if (root && setresuid(nobody_else, nobody_else, nobody_else))
		SKIP(return, "root's user namespace has no other user, and root is not limited");
	/*
	 * When a process changes its user, the kernel hides the process in /proc, and forgets its
	 * PR_SET_PDEATHSIG.
	 */
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	own_threads = (uint32_t)count_threads();
	run_all(_metadata, &limit, root ? 4 : 0, nap_test_count(2));
	load_report("RLIMIT_NPROC", injected);
}

/* ---- tasks in a control group ---- */

static char group[256], group_parent[200];

static bool write_to(const char *dir, const char *name, unsigned long value)
{
	char path[300], text[32];
	int fd, length = snprintf(text, sizeof(text), "%lu", value);
	bool written;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY);
	written = fd >= 0 && write(fd, text, (size_t)length) == length;
	if (fd >= 0)
		close(fd);
	return written;
}

/*
 * Finds a directory of this process's control group, of version 1 or 2, that can limit tasks, at
 * the usual mount point.
 */
static bool find_parent(void)
{
	char line[160];
	FILE *file = fopen("/proc/self/cgroup", "r");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *path = strstr(line, ":pids:");
		bool first = path;

		line[strcspn(line, "\n")] = 0;
		if (!first && strncmp(line, "0::", 3))
			continue;
		snprintf(group_parent, sizeof(group_parent), "/sys/fs/cgroup%s%s",
			 first ? "/pids" : "", first ? path + 6 : line + 3);
		snprintf(group, sizeof(group), "%s/nap-test-%d", group_parent, getpid());
		found = mkdir(group, 0755) == 0;
		if (found && !write_to(group, "pids.max", 1000)) {
			rmdir(group);
			found = false;
		}
	}
	if (file)
		fclose(file);
	return found;
}

static void limit_tasks(uint32_t more)
{
	if (!write_to(group, "pids.max", own_threads + LOAD_PRODUCERS + more))
		abort();
}

static void lift_tasks(void)
{
	write_to(group, "pids.max", 1000);
}

TEST(no_more_tasks_for_the_control_group)
{
	const struct limit limit = { limit_tasks, lift_tasks, LOAD_STACK };

	if (!find_parent())
		SKIP(return, "no control group that limits tasks can be made here");
	own_threads = (uint32_t)count_threads();
	if (write_to(group, "cgroup.procs", (unsigned long)getpid())) {
		run_all(_metadata, &limit, 4, nap_test_count(2));
		EXPECT_TRUE(write_to(group_parent, "cgroup.procs", (unsigned long)getpid()));
		load_report("pids.max of a control group", injected);
	} else {
		rmdir(group);
		SKIP(return, "this process may not enter a control group of its own");
	}
	EXPECT_EQ(rmdir(group), 0);
}

TEST_HARNESS_MAIN
