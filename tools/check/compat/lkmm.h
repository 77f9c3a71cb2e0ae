/* SPDX-License-Identifier: MIT */
/*
 * For programs in the kernel's words, as nap-check --compat=genmc or dat3m reads them. Each word
 * stands for the weakest operation of C11 that has the word's order. So the verdict is about the
 * program in C11, under RC11, and not under the kernel's model. RC11 orders more: a load, and a
 * later store of the same thread. It also orders less: dependencies order nothing. tools/litmus/
 * has the kernel's model.
 *
 * RCU is refused: its functions are not there.
 */
#ifndef NAP_COMPAT_LKMM_H
#define NAP_COMPAT_LKMM_H

#include <pthread.h>
#include <stdint.h>

/* ---- once, fences, acquire and release */

#define READ_ONCE(x)			__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)		__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#define barrier()			__asm__ volatile("" : : : "memory")
#define smp_mb()			__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()			__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()			__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb__before_atomic()		smp_mb()
#define smp_mb__after_atomic()		smp_mb()
#define smp_mb__after_spinlock()	smp_mb()
#define smp_mb__after_unlock_lock()	smp_mb()
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, value)	__atomic_store_n(p, value, __ATOMIC_RELEASE)
#define smp_store_mb(x, value)		do { WRITE_ONCE(x, value); smp_mb(); } while (0)
/* The loads that order by dependencies. C11's weakest load for this is acquire. */
#define rcu_dereference(p)		__atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define rcu_assign_pointer(p, value)	smp_store_release(&(p), value)

/* An operation without a suffix that returns a value has full fences around it. */
#define NAP_LKMM_FULL(operation)							\
({											\
	smp_mb();									\
	__typeof__(operation) nap_value = operation;					\
	smp_mb();									\
	nap_value;									\
})

#define NAP_LKMM_CMPXCHG(p, old, value, order, fail_order)				\
({											\
	__typeof__(*(p)) nap_old = (old);						\
	__atomic_compare_exchange_n(p, &nap_old, value, 0, order, fail_order);		\
	nap_old;									\
})
#define xchg_relaxed(p, value)		__atomic_exchange_n(p, value, __ATOMIC_RELAXED)
#define xchg_acquire(p, value)		__atomic_exchange_n(p, value, __ATOMIC_ACQUIRE)
#define xchg_release(p, value)		__atomic_exchange_n(p, value, __ATOMIC_RELEASE)
#define xchg(p, value)			NAP_LKMM_FULL(xchg_relaxed(p, value))
#define cmpxchg_relaxed(p, old, value)	\
	NAP_LKMM_CMPXCHG(p, old, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define cmpxchg_acquire(p, old, value)	\
	NAP_LKMM_CMPXCHG(p, old, value, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
#define cmpxchg_release(p, old, value)	\
	NAP_LKMM_CMPXCHG(p, old, value, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define cmpxchg(p, old, value)		NAP_LKMM_FULL(cmpxchg_relaxed(p, old, value))

/* ---- atomic_t */

typedef struct { int counter; } atomic_t;
typedef struct { int64_t counter; } atomic64_t;
typedef atomic64_t atomic_long_t;

#define ATOMIC_INIT(value)		{ (value) }
#define atomic_read(v)			READ_ONCE((v)->counter)
#define atomic_set(v, value)		WRITE_ONCE((v)->counter, value)
#define atomic_read_acquire(v)		smp_load_acquire(&(v)->counter)
#define atomic_set_release(v, value)	smp_store_release(&(v)->counter, value)

#define atomic_add(i, v)	((void)__atomic_fetch_add(&(v)->counter, i, __ATOMIC_RELAXED))
#define atomic_sub(i, v)	((void)__atomic_fetch_sub(&(v)->counter, i, __ATOMIC_RELAXED))
#define atomic_and(i, v)	((void)__atomic_fetch_and(&(v)->counter, i, __ATOMIC_RELAXED))
#define atomic_or(i, v)		((void)__atomic_fetch_or(&(v)->counter, i, __ATOMIC_RELAXED))
#define atomic_xor(i, v)	((void)__atomic_fetch_xor(&(v)->counter, i, __ATOMIC_RELAXED))
#define atomic_andnot(i, v)		atomic_and(~(i), v)
#define atomic_inc(v)			atomic_add(1, v)
#define atomic_dec(v)			atomic_sub(1, v)

#define atomic_fetch_add_relaxed(i, v)	__atomic_fetch_add(&(v)->counter, i, __ATOMIC_RELAXED)
#define atomic_fetch_add_acquire(i, v)	__atomic_fetch_add(&(v)->counter, i, __ATOMIC_ACQUIRE)
#define atomic_fetch_add_release(i, v)	__atomic_fetch_add(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic_fetch_add(i, v)	NAP_LKMM_FULL(atomic_fetch_add_relaxed(i, v))

#define atomic_fetch_sub_relaxed(i, v)	__atomic_fetch_sub(&(v)->counter, i, __ATOMIC_RELAXED)
#define atomic_fetch_sub_acquire(i, v)	__atomic_fetch_sub(&(v)->counter, i, __ATOMIC_ACQUIRE)
#define atomic_fetch_sub_release(i, v)	__atomic_fetch_sub(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic_fetch_sub(i, v)	NAP_LKMM_FULL(atomic_fetch_sub_relaxed(i, v))

#define atomic_fetch_and_relaxed(i, v)	__atomic_fetch_and(&(v)->counter, i, __ATOMIC_RELAXED)
#define atomic_fetch_and_acquire(i, v)	__atomic_fetch_and(&(v)->counter, i, __ATOMIC_ACQUIRE)
#define atomic_fetch_and_release(i, v)	__atomic_fetch_and(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic_fetch_and(i, v)	NAP_LKMM_FULL(atomic_fetch_and_relaxed(i, v))

#define atomic_fetch_or_relaxed(i, v)	__atomic_fetch_or(&(v)->counter, i, __ATOMIC_RELAXED)
#define atomic_fetch_or_acquire(i, v)	__atomic_fetch_or(&(v)->counter, i, __ATOMIC_ACQUIRE)
#define atomic_fetch_or_release(i, v)	__atomic_fetch_or(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic_fetch_or(i, v)	NAP_LKMM_FULL(atomic_fetch_or_relaxed(i, v))

#define atomic_fetch_xor_relaxed(i, v)	__atomic_fetch_xor(&(v)->counter, i, __ATOMIC_RELAXED)
#define atomic_fetch_xor_acquire(i, v)	__atomic_fetch_xor(&(v)->counter, i, __ATOMIC_ACQUIRE)
#define atomic_fetch_xor_release(i, v)	__atomic_fetch_xor(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic_fetch_xor(i, v)	NAP_LKMM_FULL(atomic_fetch_xor_relaxed(i, v))

#define atomic_add_return_relaxed(i, v)	__atomic_add_fetch(&(v)->counter, i, __ATOMIC_RELAXED)
#define atomic_add_return_acquire(i, v)	__atomic_add_fetch(&(v)->counter, i, __ATOMIC_ACQUIRE)
#define atomic_add_return_release(i, v)	__atomic_add_fetch(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic_add_return(i, v)	NAP_LKMM_FULL(atomic_add_return_relaxed(i, v))

#define atomic_sub_return_relaxed(i, v)	__atomic_sub_fetch(&(v)->counter, i, __ATOMIC_RELAXED)
#define atomic_sub_return_acquire(i, v)	__atomic_sub_fetch(&(v)->counter, i, __ATOMIC_ACQUIRE)
#define atomic_sub_return_release(i, v)	__atomic_sub_fetch(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic_sub_return(i, v)	NAP_LKMM_FULL(atomic_sub_return_relaxed(i, v))

#define atomic_fetch_inc_relaxed(v)	atomic_fetch_add_relaxed(1, v)
#define atomic_inc_return_relaxed(v)	atomic_add_return_relaxed(1, v)
#define atomic_fetch_inc_acquire(v)	atomic_fetch_add_acquire(1, v)
#define atomic_inc_return_acquire(v)	atomic_add_return_acquire(1, v)
#define atomic_fetch_inc_release(v)	atomic_fetch_add_release(1, v)
#define atomic_inc_return_release(v)	atomic_add_return_release(1, v)
#define atomic_fetch_inc(v)	atomic_fetch_add(1, v)
#define atomic_inc_return(v)	atomic_add_return(1, v)
#define atomic_fetch_dec_relaxed(v)	atomic_fetch_sub_relaxed(1, v)
#define atomic_dec_return_relaxed(v)	atomic_sub_return_relaxed(1, v)
#define atomic_fetch_dec_acquire(v)	atomic_fetch_sub_acquire(1, v)
#define atomic_dec_return_acquire(v)	atomic_sub_return_acquire(1, v)
#define atomic_fetch_dec_release(v)	atomic_fetch_sub_release(1, v)
#define atomic_dec_return_release(v)	atomic_sub_return_release(1, v)
#define atomic_fetch_dec(v)	atomic_fetch_sub(1, v)
#define atomic_dec_return(v)	atomic_sub_return(1, v)
#define atomic_fetch_andnot_relaxed(i, v)	atomic_fetch_and_relaxed(~(i), v)
#define atomic_fetch_andnot_acquire(i, v)	atomic_fetch_and_acquire(~(i), v)
#define atomic_fetch_andnot_release(i, v)	atomic_fetch_and_release(~(i), v)
#define atomic_fetch_andnot(i, v)	atomic_fetch_and(~(i), v)
#define atomic_xchg_relaxed(v, value)	xchg_relaxed(&(v)->counter, value)
#define atomic_cmpxchg_relaxed(v, old, value)	cmpxchg_relaxed(&(v)->counter, old, value)
#define atomic_xchg_acquire(v, value)	xchg_acquire(&(v)->counter, value)
#define atomic_cmpxchg_acquire(v, old, value)	cmpxchg_acquire(&(v)->counter, old, value)
#define atomic_xchg_release(v, value)	xchg_release(&(v)->counter, value)
#define atomic_cmpxchg_release(v, old, value)	cmpxchg_release(&(v)->counter, old, value)
#define atomic_xchg(v, value)	xchg(&(v)->counter, value)
#define atomic_cmpxchg(v, old, value)	cmpxchg(&(v)->counter, old, value)

#define atomic_sub_and_test(i, v)	(atomic_sub_return(i, v) == 0)
#define atomic_dec_and_test(v)		(atomic_dec_return(v) == 0)
#define atomic_inc_and_test(v)		(atomic_inc_return(v) == 0)
#define atomic_add_negative(i, v)	(atomic_add_return(i, v) < 0)

/* The types of the arguments decide, so the words for a long are the same. */
#define atomic_long_read	atomic_read
#define atomic_long_set	atomic_set
#define atomic_long_read_acquire	atomic_read_acquire
#define atomic_long_set_release	atomic_set_release
#define atomic_long_add	atomic_add
#define atomic_long_sub	atomic_sub
#define atomic_long_and	atomic_and
#define atomic_long_or	atomic_or
#define atomic_long_andnot	atomic_andnot
#define atomic_long_inc	atomic_inc
#define atomic_long_dec	atomic_dec
#define atomic_long_fetch_add	atomic_fetch_add
#define atomic_long_fetch_add_relaxed	atomic_fetch_add_relaxed
#define atomic_long_fetch_add_acquire	atomic_fetch_add_acquire
#define atomic_long_fetch_add_release	atomic_fetch_add_release
#define atomic_long_fetch_sub	atomic_fetch_sub
#define atomic_long_fetch_sub_relaxed	atomic_fetch_sub_relaxed
#define atomic_long_fetch_sub_acquire	atomic_fetch_sub_acquire
#define atomic_long_fetch_sub_release	atomic_fetch_sub_release
#define atomic_long_fetch_and	atomic_fetch_and
#define atomic_long_fetch_and_relaxed	atomic_fetch_and_relaxed
#define atomic_long_fetch_and_acquire	atomic_fetch_and_acquire
#define atomic_long_fetch_and_release	atomic_fetch_and_release
#define atomic_long_fetch_or	atomic_fetch_or
#define atomic_long_fetch_or_relaxed	atomic_fetch_or_relaxed
#define atomic_long_fetch_or_acquire	atomic_fetch_or_acquire
#define atomic_long_fetch_or_release	atomic_fetch_or_release
#define atomic_long_fetch_inc	atomic_fetch_inc
#define atomic_long_fetch_inc_relaxed	atomic_fetch_inc_relaxed
#define atomic_long_fetch_inc_acquire	atomic_fetch_inc_acquire
#define atomic_long_fetch_inc_release	atomic_fetch_inc_release
#define atomic_long_fetch_dec	atomic_fetch_dec
#define atomic_long_fetch_dec_relaxed	atomic_fetch_dec_relaxed
#define atomic_long_fetch_dec_acquire	atomic_fetch_dec_acquire
#define atomic_long_fetch_dec_release	atomic_fetch_dec_release
#define atomic_long_fetch_andnot	atomic_fetch_andnot
#define atomic_long_fetch_andnot_relaxed	atomic_fetch_andnot_relaxed
#define atomic_long_fetch_andnot_acquire	atomic_fetch_andnot_acquire
#define atomic_long_fetch_andnot_release	atomic_fetch_andnot_release
#define atomic_long_add_return	atomic_add_return
#define atomic_long_add_return_relaxed	atomic_add_return_relaxed
#define atomic_long_add_return_acquire	atomic_add_return_acquire
#define atomic_long_add_return_release	atomic_add_return_release
#define atomic_long_sub_return	atomic_sub_return
#define atomic_long_sub_return_relaxed	atomic_sub_return_relaxed
#define atomic_long_sub_return_acquire	atomic_sub_return_acquire
#define atomic_long_sub_return_release	atomic_sub_return_release
#define atomic_long_inc_return	atomic_inc_return
#define atomic_long_inc_return_relaxed	atomic_inc_return_relaxed
#define atomic_long_inc_return_acquire	atomic_inc_return_acquire
#define atomic_long_inc_return_release	atomic_inc_return_release
#define atomic_long_dec_return	atomic_dec_return
#define atomic_long_dec_return_relaxed	atomic_dec_return_relaxed
#define atomic_long_dec_return_acquire	atomic_dec_return_acquire
#define atomic_long_dec_return_release	atomic_dec_return_release
#define atomic_long_xchg	atomic_xchg
#define atomic_long_xchg_relaxed	atomic_xchg_relaxed
#define atomic_long_xchg_acquire	atomic_xchg_acquire
#define atomic_long_xchg_release	atomic_xchg_release
#define atomic_long_cmpxchg	atomic_cmpxchg
#define atomic_long_cmpxchg_relaxed	atomic_cmpxchg_relaxed
#define atomic_long_cmpxchg_acquire	atomic_cmpxchg_acquire
#define atomic_long_cmpxchg_release	atomic_cmpxchg_release
#define atomic_long_sub_and_test	atomic_sub_and_test
#define atomic_long_dec_and_test	atomic_dec_and_test
#define atomic_long_inc_and_test	atomic_inc_and_test
#define atomic_long_add_negative	atomic_add_negative

/* ---- spinlocks */

typedef pthread_mutex_t spinlock_t;

#define DEFINE_SPINLOCK(name)		spinlock_t name = PTHREAD_MUTEX_INITIALIZER
#define spin_lock_init(lock)		((void)pthread_mutex_init(lock, NULL))
#define spin_lock(lock)			((void)pthread_mutex_lock(lock))
#define spin_unlock(lock)		((void)pthread_mutex_unlock(lock))
#define spin_trylock(lock)		(!pthread_mutex_trylock(lock))

#endif /* NAP_COMPAT_LKMM_H */
