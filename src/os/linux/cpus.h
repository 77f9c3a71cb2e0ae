/* SPDX-License-Identifier: MIT */
#ifndef NAP_LINUX_CPUS_H
#define NAP_LINUX_CPUS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The kernel refuses a mask that is shorter than the machine might need. This one may be on the
 * stack, where it cannot fail, and no pool counts more.
 */
#define MAX_CPUS	16384
#define LONG_BITS	(8 * sizeof(unsigned long))

struct cpu_mask {
	unsigned long words[MAX_CPUS / LONG_BITS];
};

/* Which CPUs the thread @tid may run on, 0 for the calling one: bytes written, or -errno. */
long nap__os_affinity(long tid, struct cpu_mask *mask);

/* The CPU that comes in @mask after @n others; the mask has more than @n. */
size_t nap__os_nth_cpu(const unsigned long *mask, uint32_t n);

/* The CPUs of the main thread's affinity mask; 0 in a sandbox that forbids the question. */
uint32_t nap__os_affinity_cpus(void);

/* How many CPUs of @mask, @size bytes of it, are online as sysfs has it below @root. */
uint32_t nap__os_mask_cpus(const char *root, const unsigned long *mask, size_t size);

/*
 * The CPUs that the cgroup quotas of the main thread amount to, rounded up; UINT32_MAX when
 * there is no quota. @root is put before every absolute path: "" for the real system, a directory
 * with proc/ and the cgroup mounts in it for tests.
 */
uint32_t nap__os_quota_cpus(const char *root);

/* The CPUs that are online, as sysfs has it below @root; 0 when it does not say. */
uint32_t nap__os_online_cpus(const char *root);

/* The three above; each NULL in a program that is without it. */
extern const struct nap__cpu_files {
	uint32_t (*quota)(const char *root);
	uint32_t (*online)(const char *root);
	uint32_t (*mask)(const char *root, const unsigned long *mask, size_t size);
} nap__cpu_files;

#endif /* NAP_LINUX_CPUS_H */
