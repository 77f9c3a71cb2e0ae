/* SPDX-License-Identifier: MIT */
/* The memory of this process. */
#ifndef NAP_BENCH_MEMORY_H
#define NAP_BENCH_MEMORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pause in which every peer's workers fall asleep. */
#define IDLE_NS 100000000u

/* Returns the bytes of anonymous memory that has been written to: stacks and heaps, no code. */
uint64_t memory_anonymous(void);

#ifdef __cplusplus
}
#endif

#endif /* NAP_BENCH_MEMORY_H */
