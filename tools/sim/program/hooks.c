/* SPDX-License-Identifier: MIT */
/*
 * The functions that compilers call for -fsanitize=thread, and the one that gcc calls for each
 * basic block. Every access of the program arrives here, as it does in the model checker
 * (tools/check/program/tsan.c).
 */
#include <string.h>

#include "kernel/threads.h"
#include "program/access.h"

#define PC	((uintptr_t)__builtin_return_address(0))

void __tsan_init(void);
void __tsan_init(void)
{
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	if (current)
		pay(CAUSE_CODE, machine.block);
}

#define PLAIN(size)									\
void __tsan_read##size(void *p);							\
void __tsan_read##size(void *p) { access_load((uintptr_t)p, PC); }			\
void __tsan_write##size(void *p);							\
void __tsan_write##size(void *p) { access_store((uintptr_t)p, PC); }			\
void __tsan_unaligned_read##size(void *p);						\
void __tsan_unaligned_read##size(void *p) { access_load((uintptr_t)p, PC); }		\
void __tsan_unaligned_write##size(void *p);						\
void __tsan_unaligned_write##size(void *p) { access_store((uintptr_t)p, PC); }		\
void __tsan_volatile_read##size(void *p);						\
void __tsan_volatile_read##size(void *p) { access_load((uintptr_t)p, PC); }		\
void __tsan_volatile_write##size(void *p);						\
void __tsan_volatile_write##size(void *p) { access_store((uintptr_t)p, PC); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *p, size_t size);
void __tsan_read_range(void *p, size_t size)
{
	access_range((uintptr_t)p, size, false, PC);
}

void __tsan_write_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size)
{
	access_range((uintptr_t)p, size, true, PC);
}

/* sim.mk turns the program's calls of memcpy() and its like into calls of these functions. */
#define COPY(name)									\
void *sim_##name(void *to, const void *from, size_t size);				\
void *sim_##name(void *to, const void *from, size_t size)				\
{											\
	access_range((uintptr_t)from, size, false, PC);					\
	access_range((uintptr_t)to, size, true, PC);					\
	return name(to, from, size);							\
}
COPY(memcpy)
COPY(memmove)

void *sim_memset(void *to, int byte, size_t size);
void *sim_memset(void *to, int byte, size_t size)
{
	access_range((uintptr_t)to, size, true, PC);
	return memset(to, byte, size);
}

/*
 * The atomic operations. The access waits for the thread's turn before it pays: from the turn on
 * until the operation is done no other thread runs.
 */
#define RMW(bits, name, op)								\
uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *p, uint##bits##_t v, int order); \
uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *p, uint##bits##_t v, int order) \
{											\
	uint##bits##_t old;								\
											\
	(void)order;									\
	access_locked((uintptr_t)p, PC);						\
	old = *p;									\
	*p = (uint##bits##_t)(op);							\
	return old;									\
}

#define CAS(bits, name)									\
int __tsan_atomic##bits##_compare_exchange_##name(uint##bits##_t *p, uint##bits##_t *expected, \
						  uint##bits##_t v, int order, int fail); \
int __tsan_atomic##bits##_compare_exchange_##name(uint##bits##_t *p, uint##bits##_t *expected, \
						  uint##bits##_t v, int order, int fail) \
{											\
	(void)order;									\
	(void)fail;									\
	access_locked((uintptr_t)p, PC);						\
	if (*p == *expected) {								\
		*p = v;									\
		return 1;								\
	}										\
	*expected = *p;									\
	return 0;									\
}

/* A sequentially consistent store is an exchange, as compilers for x86 make it. */
#define ATOMICS(bits)									\
uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *p, int order);		\
uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *p, int order)		\
{											\
	(void)order;									\
	access_load((uintptr_t)p, PC);							\
	return *p;									\
}											\
void __tsan_atomic##bits##_store(uint##bits##_t *p, uint##bits##_t v, int order);	\
void __tsan_atomic##bits##_store(uint##bits##_t *p, uint##bits##_t v, int order)	\
{											\
	if (order == __ATOMIC_SEQ_CST)							\
		access_locked((uintptr_t)p, PC);					\
	else										\
		access_store((uintptr_t)p, PC);						\
	*p = v;										\
}											\
RMW(bits, exchange, v)									\
RMW(bits, fetch_add, old + v)								\
RMW(bits, fetch_sub, old - v)								\
RMW(bits, fetch_and, old & v)								\
RMW(bits, fetch_or, old | v)								\
RMW(bits, fetch_xor, old ^ v)								\
CAS(bits, strong)									\
CAS(bits, weak)										\
uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t v, int order, int fail);	\
uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t v, int order, int fail)		\
{											\
	uint##bits##_t old;								\
											\
	(void)order;									\
	(void)fail;									\
	access_locked((uintptr_t)p, PC);						\
	old = *p;									\
	if (old == expected)								\
		*p = v;									\
	return old;									\
}
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	if (order == __ATOMIC_SEQ_CST)
		access_fence();
}

/* A fence for the compiler alone costs nothing. */
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}
