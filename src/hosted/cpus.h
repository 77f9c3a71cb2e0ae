/* SPDX-License-Identifier: MIT */
#ifndef NAP_HOSTED_CPUS_H
#define NAP_HOSTED_CPUS_H

#include <stdint.h>

/*
 * The CPUs that the cgroup quotas of the calling thread amount to, rounded up; UINT32_MAX when
 * there is no quota. @root is put before every absolute path: "" for the real system, a directory
 * with proc/ and the cgroup mounts in it for tests.
 */
uint32_t nap__os_quota_cpus(const char *root);

#endif /* NAP_HOSTED_CPUS_H */
