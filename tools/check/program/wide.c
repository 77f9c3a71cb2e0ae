/* SPDX-License-Identifier: MIT */
/*
 * Atomic accesses of more than 8 bytes, which compilers leave to a library, are not modelled, and
 * are refused with their size. Outside of threads they are done.
 */
#include <stdio.h>
#include <string.h>

#include "program/ops.h"

static void alone(size_t size)
{
	static char why[64];

	if (self == MAX_THREADS)
		return;
	snprintf(why, sizeof(why), "an atomic access of %zu bytes", size);
	give_up(why);
}

static bool exchange_if(void *p, void *expected, const void *desired, size_t size)
{
	alone(size);
	if (memcmp(p, expected, size)) {
		memcpy(expected, p, size);
		return false;
	}
	memcpy(p, desired, size);
	return true;
}

#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

/* ---- of any size, by address: as GCC's libatomic has them */

void nap_atomic_load(size_t size, const void *p, void *out, int order) __asm__("__atomic_load");
void nap_atomic_load(size_t size, const void *p, void *out, int order)
{
	(void)order;
	alone(size);
	memcpy(out, p, size);
}

void nap_atomic_store(size_t size, void *p, const void *value, int order) __asm__("__atomic_store");
void nap_atomic_store(size_t size, void *p, const void *value, int order)
{
	(void)order;
	alone(size);
	memcpy(p, value, size);
}

void nap_atomic_exchange(size_t size, void *p, const void *value, void *out, int order)
	__asm__("__atomic_exchange");
void nap_atomic_exchange(size_t size, void *p, const void *value, void *out, int order)
{
	(void)order;
	alone(size);
	memcpy(out, p, size);
	memcpy(p, value, size);
}

bool nap_atomic_compare_exchange(size_t size, void *p, void *expected, const void *desired, int order,
				 int fail) __asm__("__atomic_compare_exchange");
bool nap_atomic_compare_exchange(size_t size, void *p, void *expected, const void *desired, int order,
				 int fail)
{
	(void)order;
	(void)fail;
	return exchange_if(p, expected, desired, size);
}

/* ---- of 16 bytes: with -fsanitize=thread, and as the library has them */

typedef unsigned __int128 wide;

#define WIDE(load, store, exchange, strong, weak)					\
wide load(const wide *p, int order);							\
wide load(const wide *p, int order) { (void)order; alone(16); return *p; }		\
void store(wide *p, wide v, int order);							\
void store(wide *p, wide v, int order) { (void)order; alone(16); *p = v; }		\
wide exchange(wide *p, wide v, int order);						\
wide exchange(wide *p, wide v, int order)						\
{											\
	wide old = *p;									\
											\
	(void)order;									\
	alone(16);									\
	*p = v;										\
	return old;									\
}											\
int strong(wide *p, wide *expected, wide v, int order, int fail);			\
int strong(wide *p, wide *expected, wide v, int order, int fail)			\
{											\
	(void)order;									\
	(void)fail;									\
	return exchange_if(p, expected, &v, sizeof(v));					\
}											\
int weak(wide *p, wide *expected, wide v, int order, int fail);				\
int weak(wide *p, wide *expected, wide v, int order, int fail)				\
{											\
	return strong(p, expected, v, order, fail);					\
}
WIDE(__tsan_atomic128_load, __tsan_atomic128_store, __tsan_atomic128_exchange,
     __tsan_atomic128_compare_exchange_strong, __tsan_atomic128_compare_exchange_weak)
