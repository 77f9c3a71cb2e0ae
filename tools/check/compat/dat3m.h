/* SPDX-License-Identifier: MIT */
/* For programs written for Dartagnan, as nap-check --compat=dat3m reads them. */
#ifndef NAP_COMPAT_DAT3M_H
#define NAP_COMPAT_DAT3M_H

#ifdef __cplusplus
extern "C" {
#endif

int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int condition);
void __VERIFIER_assert(int condition);
void __VERIFIER_loop_bound(int turns);
unsigned __VERIFIER_tid(void);
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int ends);

#define await_while(condition)	while (condition)

#ifdef __cplusplus
}
#endif

#endif /* NAP_COMPAT_DAT3M_H */
