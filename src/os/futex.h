/* SPDX-License-Identifier: MIT */
/* Parking: raw private futexes. Every caller re-checks its word after every return. */
#ifndef NAP_FUTEX_H
#define NAP_FUTEX_H

#include <stdint.h>

#define NS_PER_S 1000000000u

/*
 * Sleep while *@word is @expected, at most until @deadline (CLOCK_MONOTONIC, ns; UINT64_MAX: for
 * ever). Returns 0 (woken, maybe for nothing), -EAGAIN (it was not), -EINTR or -ETIMEDOUT.
 */
int nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline);

/*
 * Wake at most @n threads that sleep on @word. Uses the address only: the memory may be gone, then
 * at worst a stranger's futex sees a wake it did not need.
 */
void nap__futex_wake(uint32_t *word, uint32_t n);

#endif /* NAP_FUTEX_H */
