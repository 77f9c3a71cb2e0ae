/* SPDX-License-Identifier: MIT */
/*
 * An idle pool of 8 workers costs nothing, whatever its idle protocol: CPU time and voluntary
 * context switches of every thread over two seconds, read from /proc without a tracer. The
 * control is a thread that does wake up.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pool_fixture.h"
#include "under.h"

#define WORKERS	8
#define THREADS	16

struct usage {
	char tid[16], name[32];
	unsigned long long cpu_ns, switches;
	bool known;
};

/* Reads the number after @key in @path; false if there is none. */
static bool number_after(const char *path, const char *key, unsigned long long *number)
{
	FILE *file = fopen(path, "r");
	bool found = false;
	char line[256];

	*number = 0;
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			found = sscanf(line + strlen(key), "%llu", number) == 1;
	if (file)
		fclose(file);
	return found;
}

/* Reads the usage of every thread except the caller; returns how many. */
static int read_usage(struct usage *usage)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	char path[300];
	FILE *file;
	int n = 0;

	while (dir && (entry = readdir(dir)) && n < THREADS) {
		struct usage *u = &usage[n];

		if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
			continue;
		snprintf(u->tid, sizeof(u->tid), "%.15s", entry->d_name);
		/* The first number is the time on a CPU in ns, finer than the ticks of stat. */
		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", u->tid);
		u->known = number_after(path, "", &u->cpu_ns);
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", u->tid);
		u->known &= number_after(path, "voluntary_ctxt_switches:", &u->switches);
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", u->tid);
		file = fopen(path, "r");
		if (!file || !fgets(u->name, sizeof(u->name), file))
			u->name[0] = 0;
		u->name[strcspn(u->name, "\n")] = 0;
		if (file)
			fclose(file);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

static void *wake_up_now_and_then(void *arg)
{
	for (int i = 0; i < 30; i++) {
		usleep(100000);
		(*(volatile unsigned long *)arg)++;
	}
	return NULL;
}

/*
 * Returns how many threads have done anything in two seconds; -1 when their number changed, or
 * when the kernel does not count (such a kernel says 0 for every thread).
 */
static int active_threads(const char *prefix, int *nr)
{
	struct usage before[THREADS], after[THREADS];
	unsigned long long cpu_ns = 0, switches = 0;
	bool known = true;
	int n, active = 0;

	*nr = 0;
	n = read_usage(before);
	sleep(2);
	if (read_usage(after) != n)
		return -1;
	for (int i = 0; i < n; i++) {
		if (strncmp(before[i].name, prefix, strlen(prefix)))
			continue;
		(*nr)++;
		known &= before[i].known && after[i].known;
		cpu_ns += after[i].cpu_ns;
		switches += after[i].switches;
		if (strcmp(before[i].tid, after[i].tid) == 0 &&
		    before[i].cpu_ns == after[i].cpu_ns &&
		    before[i].switches == after[i].switches)
			continue;
		active++;
		fprintf(stderr, "# %s: %llu -> %llu ns, %llu -> %llu switches\n", before[i].name,
		       before[i].cpu_ns, after[i].cpu_ns, before[i].switches, after[i].switches);
	}
	if (!known || !cpu_ns || !switches) {
		fprintf(stderr, "# %s: not all can be read in /proc\n", prefix);
		return -1;
	}
	return active;
}

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
}

/* The workers of a JEC pool yield for a while first, and then sleep like all others. */
TEST_F(under, an_idle_pool_uses_no_cpu_and_never_wakes)
{
	struct nap_config config = { .max_workers = WORKERS, .name = "idle", .idle = self->idle };
	struct nap_batch batch = new_batch(10000, count_and_free);
	static struct nap_pool pool;
	int nr;

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, WORKERS), 0);
	nap_schedule_batch(&pool, &batch);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 10000);
	usleep(100000);
	EXPECT_EQ(active_threads("idle/", &nr), 0);
	EXPECT_EQ(nr, WORKERS);
	TH_LOG("%d workers, nothing changed over 2 s", nr);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(the_measurement_sees_a_thread_that_wakes)
{
	unsigned long n = 0;
	pthread_t thread;
	int nr;

	pthread_create(&thread, NULL, wake_up_now_and_then, &n);
	pthread_setname_np(thread, "waker");
	usleep(50000);
	EXPECT_EQ(active_threads("waker", &nr), 1);
	EXPECT_EQ(nr, 1);
	pthread_join(thread, NULL);
}

static struct nap_pool declared = NAP_POOL_INIT(.max_workers = 4);

TEST(a_program_that_only_declares_a_pool_has_one_thread)
{
	struct usage usage[THREADS];

	EXPECT_EQ(declared.limit, 0);
	EXPECT_EQ(read_usage(usage), 0);
}

TEST_HARNESS_MAIN
