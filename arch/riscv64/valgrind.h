/* SPDX-License-Identifier: MIT */
/* There is no request here: Debian 12 has no valgrind for RISC-V with which to test one. */
#ifndef NAP_ARCH_VALGRIND_H
#define NAP_ARCH_VALGRIND_H

#include <stdint.h>

static inline uint64_t nap__valgrind(const uint64_t *request, uint64_t otherwise)
{
	(void)request;
	return otherwise;
}

#endif /* NAP_ARCH_VALGRIND_H */
