/* SPDX-License-Identifier: MIT */
#ifndef NAP_LINUX_CPUS_H
#define NAP_LINUX_CPUS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The size of a mask, in CPUs. The kernel refuses a mask that is too short for the machine. A mask
 * of this size fits on the stack, so no allocation can fail. No pool counts more CPUs.
 */
#define MAX_CPUS	16384
#define LONG_BITS	(8 * sizeof(unsigned long))

struct cpu_mask {
	unsigned long words[MAX_CPUS / LONG_BITS];
};

/*
 * Reads which CPUs thread @tid (0: the caller) may use. Returns how many bytes were written, or a
 * negative errno.
 */
long nap__os_affinity(long tid, struct cpu_mask *mask);

/* Returns CPU number @n, counted from 0, of the CPUs in @mask, which has more than @n. */
size_t nap__os_nth_cpu(const unsigned long *mask, uint32_t n);

/*
 * Counts the CPUs of the main thread's affinity mask; 0 in a sandbox that forbids the system call.
 */
uint32_t nap__os_affinity_cpus(void);

/* Counts the CPUs of @mask (@size bytes) that are online in the sysfs below @root. */
uint32_t nap__os_mask_cpus(const char *root, const unsigned long *mask, size_t size);

/*
 * Returns how many CPUs the cgroup quotas of the main thread allow, rounded up; UINT32_MAX: no
 * quota. @root is put before every absolute path: "" for the real system, for tests a directory
 * with proc/ and the cgroup mounts in it.
 */
uint32_t nap__os_quota_cpus(const char *root);

/* Counts the CPUs that are online in the sysfs below @root; 0: unknown. */
uint32_t nap__os_online_cpus(const char *root);

/* The functions above that read files. NULL: the function is not linked. */
extern const struct nap__cpu_files {
	uint32_t (*quota)(const char *root);
	uint32_t (*online)(const char *root);
	uint32_t (*mask)(const char *root, const unsigned long *mask, size_t size);
} nap__cpu_files;

#endif /* NAP_LINUX_CPUS_H */
