/* SPDX-License-Identifier: MIT */
/*
 * Atomic accesses that compilers leave to a library, because of their size, or because the type
 * alone does not say that the object is aligned. Accesses of more than 8 bytes, or across a
 * multiple of 8 bytes, are not modelled. In a thread they are refused, with their size; outside of
 * threads they are done.
 */
#include <stdio.h>
#include <string.h>

#include "program/caller.h"
#include "program/ops.h"
#include "program/orders.h"
#include "program/shadow.h"

static void alone(size_t size)
{
	static char why[96];

	if (self == MAX_THREADS)
		return;
	snprintf(why, sizeof(why),
		 "an atomic access of %zu bytes, not of a word: 1, 2, 4 or 8, aligned", size);
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

/* Whether the access is one of the machine's: of a whole word, at a multiple of its size. */
static bool is_word(const void *p, size_t size)
{
	return size <= 8 && !(size & (size - 1)) && !((uintptr_t)p & (size - 1));
}

/* Reads a value of the program's, which is not in a register. */
static uint64_t read_value(const void *p, size_t size, uintptr_t pc)
{
	uint64_t value = 0;

	plain_range((uintptr_t)p, size, false, pc);
	memcpy(&value, p, size);
	return value;
}

static void write_value(void *p, uint64_t value, size_t size, uintptr_t pc)
{
	plain_range((uintptr_t)p, size, true, pc);
	memcpy(p, &value, size);
}

void nap_atomic_load(size_t size, const void *p, void *out, int order) __asm__("__atomic_load");
void nap_atomic_load(size_t size, const void *p, void *out, int order)
{
	if (is_word(p, size)) {
		uint64_t value = op_load(p, (unsigned)size, parts(order), OP_PC);

		write_value(out, value, size, RETURN_PC);
		leave_checker();
		return;
	}
	alone(size);
	memcpy(out, p, size);
}

void nap_atomic_store(size_t size, void *p, const void *value, int order) __asm__("__atomic_store");
void nap_atomic_store(size_t size, void *p, const void *value, int order)
{
	if (is_word(p, size)) {
		op_store(p, (unsigned)size, read_value(value, size, RETURN_PC), parts(order),
			 OP_PC);
		leave_checker();
		return;
	}
	alone(size);
	memcpy(p, value, size);
}

void nap_atomic_exchange(size_t size, void *p, const void *value, void *out, int order)
	__asm__("__atomic_exchange");
void nap_atomic_exchange(size_t size, void *p, const void *value, void *out, int order)
{
	if (is_word(p, size)) {
		uint64_t old = op_rmw(p, (unsigned)size, RMW_XCHG,
				      read_value(value, size, RETURN_PC), 0, parts(order), 0,
				      OP_PC);

		write_value(out, old, size, RETURN_PC);
		leave_checker();
		return;
	}
	alone(size);
	memcpy(out, p, size);
	memcpy(p, value, size);
}

bool nap_atomic_compare_exchange(size_t size, void *p, void *expected, const void *desired,
				 int order, int fail) __asm__("__atomic_compare_exchange");
bool nap_atomic_compare_exchange(size_t size, void *p, void *expected, const void *desired,
				 int order, int fail)
{
	uint64_t old, wanted;

	if (!is_word(p, size))
		return exchange_if(p, expected, desired, size);
	wanted = read_value(expected, size, RETURN_PC);
	old = op_rmw(p, (unsigned)size, RMW_CAS, read_value(desired, size, RETURN_PC), wanted,
		     parts(order), parts(fail), OP_PC);
	if (old != wanted)
		write_value(expected, old, size, RETURN_PC);
	leave_checker();
	return old == wanted;
}

bool nap_atomic_is_lock_free(size_t size, const void *p) __asm__("__atomic_is_lock_free");
bool nap_atomic_is_lock_free(size_t size, const void *p)
{
	return is_word(p, size);
}

/*
 * GCC's += on an atomic float raises the floating-point exceptions of the result. A program that
 * asks for such exceptions is refused.
 */
void __atomic_feraiseexcept(int exceptions);
void __atomic_feraiseexcept(int exceptions)
{
	(void)exceptions;
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
