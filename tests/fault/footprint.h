/* SPDX-License-Identifier: MIT */
/*
 * The footprint of a process: its threads and its mapped memory, to be compared before and after a
 * test. The memory counts only in a native build. Emulators and sanitizers map as they please;
 * AddressSanitizer checks for leaks itself.
 */
#ifndef NAP_TESTS_FAULT_FOOTPRINT_H
#define NAP_TESTS_FAULT_FOOTPRINT_H

#ifndef NAP_TEST_BARE
#include <dirent.h>
#include <malloc.h>
#endif
#include <stdio.h>
#include <unistd.h>

#include "harness.h"

struct footprint {
	long threads;
	long kib;
};

/* A libc may keep this much more or less of heap and stacks each time. */
#define FOOTPRINT_SLACK_KIB 1024

#ifdef NAP_TEST_BARE
static inline long count_threads(void)
{
	return bare_count_workers() + bare_count_pthreads();
}

static inline long mapped_kib(void)
{
#ifdef NAP_TEST_EMULATED
	return 0;
#else
	return bare_mapped_kib();
#endif
}

/* Nothing to prepare without a libc: heap and stacks are mappings, and no stack is kept. */
static inline void footprint_prepare(void)
{
}

static inline void footprint_trim(void)
{
}
#else
#define FLAG_EXITING 4u	/* linux/sched.h */

/*
 * Whether the thread lives and is not exiting. The kernel lists a joined thread for a short time.
 */
static inline bool thread_lives(const char *tid)
{
	unsigned int flags = FLAG_EXITING;
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %u", &flags) != 1)
		flags = FLAG_EXITING;
	fclose(file);
	return !(flags & FLAG_EXITING);
}

static inline long count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	long n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.' && thread_lives(entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

static inline long mapped_kib(void)
{
#if defined(NAP_TEST_TSAN) || defined(NAP_TEST_LSAN) || defined(NAP_TEST_EMULATED)
	return 0;
#else
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!file || fscanf(file, "%ld", &pages) != 1)
		abort();
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
#endif
}

/*
 * Makes glibc use one heap, whose size then does not depend on the number of threads. To be called
 * before any thread is created. musl has one heap only, and keeps little free memory.
 */
static inline void footprint_prepare(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
#endif
}

static inline void footprint_trim(void)
{
#ifdef M_ARENA_MAX
	malloc_trim(0);
#endif
}
#endif

/*
 * Waits until the threads have come down to @threads, for @ms milliseconds at most. Returns the
 * number then. The kernel lists a joined thread for a short time; under an emulator a joined thread
 * may still run.
 */
static inline long threads_come_down_to(long threads, int ms)
{
	long now = count_threads();

	for (; ms && now > threads; ms--) {
		usleep(1000);
		now = count_threads();
	}
	return now;
}

/*
 * Returns the footprint. To be called when the test has already had its highest number of threads,
 * because the libc keeps their stacks.
 */
static inline struct footprint footprint(void)
{
	footprint_trim();
#ifdef NAP_TEST_EMULATED
	/* every process here has at least two threads, because an emulator has one of its own */
	return (struct footprint){ threads_come_down_to(2, 200), mapped_kib() };
#else
	return (struct footprint){ count_threads(), mapped_kib() };
#endif
}

/* Returns the footprint when there are no more threads than in @before, or after 2 s. */
static inline struct footprint footprint_after(struct footprint before)
{
	threads_come_down_to(before.threads, 2000);
	return footprint();
}

#define footprint_expect(before)								\
	do {											\
		struct footprint footprint_now = footprint_after(before);			\
												\
		EXPECT_EQ(footprint_now.threads, (before).threads);				\
		EXPECT_LE(footprint_now.kib, (before).kib + FOOTPRINT_SLACK_KIB);		\
	} while (0)

#endif /* NAP_TESTS_FAULT_FOOTPRINT_H */
