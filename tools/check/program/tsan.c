/* SPDX-License-Identifier: MIT */
/*
 * The functions that compilers call for -fsanitize=thread, in place of ThreadSanitizer's own
 * runtime. Every access of the program arrives here, with its address, size and order.
 */
#include <string.h>

#include "program/caller.h"
#include "program/heap.h"
#include "program/ops.h"
#include "program/orders.h"
#include "program/shadow.h"
#include "program/turns.h"
#include "program/waiters.h"

#pragma GCC visibility push(default)

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
	(void)pc;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define PLAIN(size)									\
void __tsan_read##size(void *p);							\
void __tsan_read##size(void *p) { plain_access(p, size, false, RETURN_PC); }			\
void __tsan_write##size(void *p);							\
void __tsan_write##size(void *p) { plain_access(p, size, true, RETURN_PC); }			\
void __tsan_unaligned_read##size(void *p);						\
void __tsan_unaligned_read##size(void *p) { plain_access(p, size, false, RETURN_PC); }		\
void __tsan_unaligned_write##size(void *p);						\
void __tsan_unaligned_write##size(void *p) { plain_access(p, size, true, RETURN_PC); }		\
void __tsan_volatile_read##size(void *p);						\
void __tsan_volatile_read##size(void *p) { plain_access(p, size, false, RETURN_PC); }		\
void __tsan_volatile_write##size(void *p);						\
void __tsan_volatile_write##size(void *p) { plain_access(p, size, true, RETURN_PC); }		\
void __tsan_read_write##size(void *p);							\
void __tsan_read_write##size(void *p) { plain_access(p, size, true, RETURN_PC); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *p, size_t size);
void __tsan_read_range(void *p, size_t size)
{
	plain_range((uintptr_t)p, size, false, PC);
}

void __tsan_write_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size)
{
	plain_range((uintptr_t)p, size, true, PC);
}

/* Writes a pointer to a table of virtual functions. To write the same pointer again is no write. */
void __tsan_vptr_update(void **p, void *value);
void __tsan_vptr_update(void **p, void *value)
{
	bool is_first = memory_in_arena((uintptr_t)p) && !heap_is_written((uintptr_t)p);

	plain_access(p, sizeof(*p), is_first || *p != value, RETURN_PC);
}

void __tsan_vptr_read(void **p);
void __tsan_vptr_read(void **p)
{
	plain_access(p, sizeof(*p), false, RETURN_PC);
}

/* The linker wraps memcpy() and its like, so that the program's calls come here. */
void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__wrap_memcpy(void *to, const void *from, size_t size)
{
	plain_copy(to, from, size, PC);
	return memcpy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size)
{
	plain_copy(to, from, size, PC);
	return memmove(to, from, size);
}

void *__wrap_memset(void *to, int byte, size_t size);
void *__wrap_memset(void *to, int byte, size_t size)
{
	plain_range((uintptr_t)to, size, true, PC);
	return memset(to, byte, size);
}

/* gcc's -fsanitize=thread calls these where it does not expand them in line */
void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memcpy(void *to, const void *from, size_t size)
{
	return __wrap_memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size)
{
	return __wrap_memmove(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size);
void *__tsan_memset(void *to, int byte, size_t size)
{
	return __wrap_memset(to, byte, size);
}

#define RMW(bits, name, rmw)								\
uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *p, uint##bits##_t v, int order); \
uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *p, uint##bits##_t v, int order) \
{											\
	uint64_t old;									\
											\
	if (is_waiters_count(p))							\
		return 1;								\
	old = op_rmw(p, bits / 8, rmw, v, 0, parts(order), 0, OP_PC);			\
	leave_checker();								\
	return (uint##bits##_t)old;							\
}

/* The expected value is memory of the program, which is read, and written after a failure. */
#define CAS(bits, name, may_fail)								\
int __tsan_atomic##bits##_compare_exchange_##name(uint##bits##_t *p, uint##bits##_t *expected, \
						  uint##bits##_t v, int order, int fail); \
int __tsan_atomic##bits##_compare_exchange_##name(uint##bits##_t *p, uint##bits##_t *expected, \
						  uint##bits##_t v, int order, int fail) \
{											\
	uint##bits##_t wanted;								\
	uint64_t old;									\
	int stored = 0;									\
											\
	plain_access(expected, bits / 8, false, RETURN_PC);				\
	wanted = *expected;								\
	if (!may_fail || !op_weak_fails(p, bits / 8, parts(fail), &old, OP_PC)) {		\
		old = op_rmw(p, bits / 8, RMW_CAS, v, wanted, parts(order), parts(fail), OP_PC); \
		stored = (uint##bits##_t)old == wanted;					\
	}										\
	leave_checker();								\
	if (!stored) {									\
		plain_access(expected, bits / 8, true, RETURN_PC);			\
		*expected = (uint##bits##_t)old;					\
	}										\
	return stored;									\
}

#define ATOMICS(bits)									\
uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *p, int order);		\
uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *p, int order)		\
{											\
	uint64_t value;									\
											\
	if (is_waiters_count(p))							\
		return 1;								\
	value = op_load(p, bits / 8, parts(order), OP_PC);				\
	leave_checker();								\
	return (uint##bits##_t)value;							\
}											\
void __tsan_atomic##bits##_store(uint##bits##_t *p, uint##bits##_t v, int order);	\
void __tsan_atomic##bits##_store(uint##bits##_t *p, uint##bits##_t v, int order)	\
{											\
	op_store(p, bits / 8, v, parts(order), OP_PC);					\
	leave_checker();								\
}											\
RMW(bits, exchange, RMW_XCHG)								\
RMW(bits, fetch_add, RMW_ADD)								\
RMW(bits, fetch_sub, RMW_SUB)								\
RMW(bits, fetch_and, RMW_AND)								\
RMW(bits, fetch_or, RMW_OR)								\
RMW(bits, fetch_xor, RMW_XOR)								\
RMW(bits, fetch_nand, RMW_NAND)								\
CAS(bits, strong, 0)									\
CAS(bits, weak, 1)										\
uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t v, int order, int fail);	\
uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t v, int order, int fail)		\
{											\
	uint64_t old = op_rmw(p, bits / 8, RMW_CAS, v, expected, parts(order),		\
			      parts(fail), OP_PC);					\
											\
	leave_checker();								\
	return (uint##bits##_t)old;							\
}
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	if (parts(order))
		op_fence(parts(order), 0, OP_PC);
	leave_checker();
}

/* A yield of a loop that spins; and the light side of membarrier. */
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
	if (parts(order) != O_SEQ_CST)
		return;
	light_fence(OP_PC);
	op_yield(OP_PC);
	leave_checker();
}

int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
	op_yield(OP_PC);
	leave_checker();
	return 0;
}

void check_yield(void)
{
	op_yield(OP_PC);
	leave_checker();
}

unsigned check_self(void)
{
	return self;
}

unsigned check_choose(unsigned n)
{
	return op_choose(n, 0, OP_PC);
}
