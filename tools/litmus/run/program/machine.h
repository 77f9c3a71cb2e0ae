/* SPDX-License-Identifier: MIT */
/* What a machine's instructions do best: its clock, its cache, a pause. */
#ifndef LAB_MACHINE_H
#define LAB_MACHINE_H

#include <stdint.h>
#include <time.h>

enum { TOUCH_READ = 1, TOUCH_WRITE, TOUCH_FLUSH };

static inline double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

/* Returns a clock that all CPUs have in common. */
static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t at;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(at));
	return at;
#elif defined(__riscv)
	uint64_t at;

	__asm__ volatile("rdtime %0" : "=r"(at));
	return at;
#else
	return (uint64_t)(now() * 1e9);
#endif
}

static inline void pause_cpu(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

/* Drops a line from all caches, where a program may. */
static inline void flush(const char *at)
{
#if defined(__x86_64__)
	__builtin_ia32_clflush(at);
#elif defined(__aarch64__)
	__asm__ volatile("dc civac, %0" :: "r"(at) : "memory");
#else
	(void)at;
#endif
}

static inline void touch(const char *at, unsigned how)
{
	if (how == TOUCH_READ)
		__builtin_prefetch(at, 0);
	else if (how == TOUCH_WRITE)
		__builtin_prefetch(at, 1);
	else
		flush(at);
}

static inline void be_late(unsigned steps)
{
	while (steps--)
		__asm__ volatile("");
}

#endif /* LAB_MACHINE_H */
