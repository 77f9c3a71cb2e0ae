/* SPDX-License-Identifier: MIT */
/*
 * The functions that read files to count CPUs.
 *
 * NAP_ON_DEMAND (the bare library): the linker takes these functions into a program only when
 * something else names them, as NAP_BARE_COUNT_CPUS of nap/bare.h does. The names in the table
 * below are weak, and for a weak name the linker takes nothing in (src/idle/protocols.c). The table
 * has a file of its own, because the compiler must not see the contents where the table is used.
 */
#include "os/linux/cpus.h"

#ifdef NAP_ON_DEMAND
#pragma weak nap__os_quota_cpus
#pragma weak nap__os_online_cpus
#pragma weak nap__os_mask_cpus
#endif

const struct nap__cpu_files nap__cpu_files = {
	.quota = nap__os_quota_cpus,
	.online = nap__os_online_cpus,
	.mask = nap__os_mask_cpus,
};
