/* SPDX-License-Identifier: MIT */
#ifndef NAP_LINUX_CPUS_H
#define NAP_LINUX_CPUS_H

#include <stdint.h>

/* The CPUs of the affinity mask; 0 in a sandbox that forbids the question. */
uint32_t nap__os_affinity_cpus(void);

/*
 * The CPUs that the cgroup quotas of the calling thread amount to, rounded up; UINT32_MAX when
 * there is no quota. @root is put before every absolute path: "" for the real system, a directory
 * with proc/ and the cgroup mounts in it for tests.
 */
uint32_t nap__os_quota_cpus(const char *root);

/* The CPUs that are online, as sysfs has it below @root; 0 when it does not say. */
uint32_t nap__os_online_cpus(const char *root);

#endif /* NAP_LINUX_CPUS_H */
