/* SPDX-License-Identifier: MIT */
/*
 * For programs written for GenMC, as nap-check --compat=genmc reads them: what GenMC's header of
 * this name declares, as far as it means something here. Hints that only save GenMC work do
 * nothing. Hazard pointers and persistent memory are refused.
 */
#ifndef NAP_COMPAT_GENMC_H
#define NAP_COMPAT_GENMC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void __VERIFIER_assume(int condition);
int __VERIFIER_nondet_int(void);

typedef pthread_t __VERIFIER_thread_t;

/* Not inline: at -O0 a call needs a definition out of line, which C's inline does not give. */
__attribute__((unused)) static __VERIFIER_thread_t __VERIFIER_spawn(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, arg);
	return thread;
}

__attribute__((unused)) static void *__VERIFIER_join(__VERIFIER_thread_t thread)
{
	void *value;

	pthread_join(thread, &value);
	return value;
}

/* GenMC is told that two threads are alike; the checker makes no use of it. */
#define __VERIFIER_spawn_symmetric(run, arg, like) ((void)(like), __VERIFIER_spawn(run, arg))
#define __VERIFIER_join_symmetric(thread) ((void)__VERIFIER_join(thread))

void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int ends);

#define __VERIFIER_local_write(statement)	do { statement; } while (0)
#define __VERIFIER_final_write(statement)	do { statement; } while (0)
#define __VERIFIER_helped_CAS(statement)	do { statement; } while (0)
#define __VERIFIER_helping_CAS(statement)	do { statement; } while (0)
#define __VERIFIER_speculative_read(value)	(value)
#define __VERIFIER_confirming_read(value)	(value)
#define __VERIFIER_confirming_CAS(value)	(value)
#define __VERIFIER_final_CAS(value)		(value)
typedef struct { void *p; } __VERIFIER_hp_t;
#define NAP_NOT_MODELLED __attribute__((error("hazard pointers are not modelled")))
NAP_NOT_MODELLED __VERIFIER_hp_t __VERIFIER_hp_alloc(void);
NAP_NOT_MODELLED void *__VERIFIER_hp_protect(void *hp, void *p);
NAP_NOT_MODELLED void __VERIFIER_hp_clear(void *hp);
NAP_NOT_MODELLED void __VERIFIER_hp_free(void *hp);
NAP_NOT_MODELLED void __VERIFIER_hp_retire(void *hp, void *p);

/* GenMC may leave the statement out, or not; here it is always left out. */
#define __VERIFIER_optional(statement)		do { } while (0)

#ifdef __cplusplus
}
#endif

#endif /* NAP_COMPAT_GENMC_H */
