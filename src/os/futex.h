/* SPDX-License-Identifier: MIT */
/* Parking: raw private futexes. Every caller checks its word again after every return. */
#ifndef NAP_FUTEX_H
#define NAP_FUTEX_H

#include <stdint.h>

#define NS_PER_S 1000000000u

/*
 * Sleeps while *@word is @expected, at most until @deadline (CLOCK_MONOTONIC, ns; UINT64_MAX: for
 * ever). Returns 0 (woken, perhaps spuriously), -EAGAIN (*@word differed), -EINTR or -ETIMEDOUT.
 */
int nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline);

/*
 * Wakes at most @n threads that sleep on @word. Uses only the address, so the memory may have been
 * freed: at worst a futex that lies there now gets a spurious wake.
 */
void nap__futex_wake(uint32_t *word, uint32_t n);

#endif /* NAP_FUTEX_H */
