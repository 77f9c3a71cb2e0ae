/* SPDX-License-Identifier: MIT */
/*
 * What the library maps it unmaps, once: each use of a pool that takes memory from the system, also
 * if a second thread takes the same memory first.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/child.h>
#include <nap/parallel.h>
#include <nap/new.h>
#include <nap/trace.h>

#include "arch/atomic.h"
#include "child_threads.h"
#include "harness.h"
#include "wrap.h"

static size_t mapped, unmapped;
static __thread size_t mapped_here;
/* What another thread does while the next mapping is made. */
static void (*meanwhile)(void);

static void *run_meanwhile(void *fn)
{
	(*(void (**)(void))fn)();
	return NULL;
}

static void let_others_be_first(void)
{
	void (*fn)(void) = nap_xchg_relaxed(&meanwhile, NULL);
	pthread_t thread;

	if (!fn)
		return;
	if (pthread_create(&thread, NULL, run_meanwhile, &fn) || pthread_join(thread, NULL))
		abort();
}

static void *count(void *mem, size_t size)
{
	if (mem) {
		nap_fetch_add_relaxed(&mapped, size);
		mapped_here += size;
	}
	return mem;
}

WRAP(void *, nap__os_map, (size_t size))
{
	let_others_be_first();
	return count(__real_nap__os_map(size), size);
}

/* Calls nap__os_map(), which is counted only where this call is redirected, too. */
WRAP(void *, nap__map_large, (size_t size))
{
	size_t before = mapped_here;
	void *mem = __real_nap__map_large(size);

	return mapped_here == before ? count(mem, size) : mem;
}

WRAP(void, nap__os_unmap, (void *mem, size_t size))
{
	nap_fetch_add_relaxed(&unmapped, size);
	__real_nap__os_unmap(mem, size);
}

static struct nap_pool pool;

static void check(int err)
{
	if (err)
		abort();
}

static void begin(struct nap_config config)
{
	config.max_workers = 2;
	check(nap_pool_init(&pool, &config));
}

/* ---- uses */

static void warm(void)
{
	check(nap_pool_prewarm(&pool, 1));
}

/* Starts one more worker than warm(). */
static void warm_more(void)
{
	check(nap_pool_prewarm(&pool, 2));
}

static void use_workers(void)
{
	begin((struct nap_config){ 0 });
	warm();
}

static void use_measured(void)
{
	begin((struct nap_config){ .measure = NAP_MEASURE });
	warm();
}

static void trace_it(void)
{
	int err = nap_trace_begin(&pool, NULL);

	check(err != -EALREADY ? err : 0);
}

static void use_traced(void)
{
	int to = open("/dev/null", O_WRONLY | O_CLOEXEC);

	begin((struct nap_config){ 0 });
	trace_it();
	check(nap_trace_write(&pool, to));
	close(to);
}

static void use_new(void)
{
	struct nap_pool *mine;

	check(nap_pool_new(&mine, NULL) || nap_pool_prewarm(mine, 1) || nap_pool_join(mine, NULL) ||
	      nap_pool_free(mine));
	check(!nap_pool_new(&mine, &(struct nap_config){ .max_workers = UINT32_MAX }));
	begin((struct nap_config){ 0 });
}

static intptr_t nothing(void *unused)
{
	(void)unused;
	return 0;
}

static void spawn_one(void)
{
	check(nap_spawn(&pool, NULL, nothing, NULL));
}

static void use_fibers(void)
{
	begin((struct nap_config){ 0 });
	spawn_one();
}

static int epoll_err;

WRAP(int, nap__os_epoll_open, (void))
{
	return epoll_err ? epoll_err : __real_nap__os_epoll_open();
}

static int ready[2];
static uint32_t nr_polled, waits_for_others;

/* If another fiber is to be first, its wait is over before this one maps its memory. */
static intptr_t wait_for_file(void *unused)
{
	(void)unused;
	if (nap_io_wait(ready[1], NAP_IO_WRITE, NAP_FOREVER) != NAP_IO_WRITE)
		abort();
	nap_fetch_add_release(&nr_polled, 1);
	return 0;
}

static void await_polled(void)
{
	check(nap_spawn(&pool, NULL, wait_for_file, NULL));
	while (!nap_load_acquire(&nr_polled))
		usleep(100);
}

/* The fiber's memory is mapped by now, that for files is not. */
static intptr_t be_second(void *unused)
{
	nap_store_relaxed(&meanwhile, await_polled);
	return wait_for_file(unused);
}

static void use_files(void)
{
	struct nap_fiber *fiber;

	check(pipe(ready));
	nr_polled = 0;
	begin((struct nap_config){ 0 });
	check(nap_spawn(&pool, &fiber, waits_for_others ? be_second : wait_for_file, NULL));
	check(nap_await(fiber, NULL));
	close(ready[0]);
	close(ready[1]);
}

static uint32_t keys[1 << 16];

static void fill(void)
{
	for (uint32_t i = 0; i < 1 << 16; i++)
		keys[i] = i * 2654435761u;
}

static int compare(const void *left, const void *right, void *unused)
{
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	(void)unused;
	return (l > r) - (l < r);
}

static void use_sorts(void)
{
	begin((struct nap_config){ 0 });
	fill();
	check(nap_sort_keys(&pool, keys, 1 << 16, 4, NAP_KEY_U32, 0));
	fill();
	check(nap_sort(&pool, keys, 1 << 16, 4, compare, NULL));
	fill();
	check(nap_sort_stable(&pool, keys, 1 << 16, 4, compare, NULL));
}

struct wide {
	uint64_t words[NAP_REDUCE_SIZE / 8 / 4];
};

static int add(size_t first, size_t end, void *value, void *unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(struct wide) / 8; i++)
		((struct wide *)value)->words[i] += end - first;
	return 0;
}

static void merge(void *value, const void *right, void *unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(struct wide) / 8; i++)
		((struct wide *)value)->words[i] += ((const struct wide *)right)->words[i];
}

static void use_scan(void)
{
	static const struct nap_reduction sum = { sizeof(struct wide), add, merge, NULL };
	static const struct nap_loop by_one = { .grain = 1 };
	struct wide value = { { 0 } };

	begin((struct nap_config){ 0 });
	check(nap_scan(&pool, &by_one, 0, 1000, &sum, add, &value, NULL));
	check(value.words[0] != 1000);
}

/* What the parent has mapped for its pool is unmapped in the child, too. */
static void use_in_child(void)
{
	int status = -1;
	pid_t child;

	use_fibers();
	child = fork();
	if (child == 0) {
		in_child = true;
		check(nap_pool_init_child(&pool));
		check(mapped != unmapped);
		spawn_one();
		check(nap_pool_join(&pool, NULL));
		_exit(mapped != unmapped);
	}
	waitpid(child, &status, 0);
	check(status);
}

TEST(what_is_mapped_is_unmapped)
{
	static const struct { const char *name; void (*use)(void); } uses[] = {
		{ "workers", use_workers }, { "a measured pool", use_measured },
		{ "a trace", use_traced },
		{ "a pool in memory of its own", use_new }, { "fibers", use_fibers },
		{ "files", use_files }, { "sorts", use_sorts },
		{ "a scan of large values", use_scan },
		{ "a child", use_in_child },
	};
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		size_t before = mapped;

		uses[i].use();
		EXPECT_GT(mapped, before);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
		EXPECT_EQ(mapped, unmapped) {
			TH_LOG("%s", uses[i].name);
		}
	}
}

TEST(what_another_thread_has_mapped_first_is_unmapped_once)
{
	static const struct { const char *name; void (*use)(void), (*other)(void); } uses[] = {
		{ "workers", use_workers, warm_more }, { "a measured pool", use_measured, warm },
		{ "a trace", use_traced, trace_it }, { "fibers", use_fibers, spawn_one },
	};
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		meanwhile = uses[i].other;
		uses[i].use();
		EXPECT_TRUE(meanwhile == NULL);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
		EXPECT_EQ(mapped, unmapped) {
			TH_LOG("%s", uses[i].name);
		}
	}
}

static intptr_t fail_to_wait(void *unused)
{
	(void)unused;
	return nap_io_wait(ready[0], NAP_IO_READ, NAP_FOREVER);
}

TEST(what_fails_has_unmapped_it)
{
	struct nap_fiber *fiber;
	intptr_t err = 0;

	check(pipe(ready));
	begin((struct nap_config){ 0 });
	epoll_err = -EMFILE;
	ASSERT_EQ(nap_spawn(&pool, &fiber, fail_to_wait, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &err), 0);
	EXPECT_EQ(err, -EMFILE);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(mapped, unmapped);
}

TEST(another_fiber_has_been_first)
{
	waits_for_others = true;
	use_files();
	EXPECT_TRUE(meanwhile == NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(mapped, unmapped);
}

TEST_HARNESS_MAIN
