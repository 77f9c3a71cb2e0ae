/* SPDX-License-Identifier: MIT */
/*
 * Functions in C and their instructions: registers by name, t3 for a register without a name,
 * locations with an &.
 */
#ifndef NAP_TESTS_READ_C_CASES_H
#define NAP_TESTS_READ_C_CASES_H

static const struct reads_case {
	const char *name, *source, *listing;
} reads_cases[] = {
	{ "marked accesses", "P0(int *x, long *y) { int r0 = READ_ONCE(*x); WRITE_ONCE(*y, r0); }",
	  "load r0 = [ &x ] r:once\n"
	  "set.8s t1 = sext r0 4\n"
	  "store.8s [ &y ] t1 w:once\n" },
	{ "plain accesses", "P0(int *x) { int r0; r0 = *x; *x = r0 + 1; *x; }",
	  "load r0 = [ &x ] r:plain\n"
	  "set t1 = add r0 1\n"
	  "store [ &x ] t1 w:plain\n"
	  "load [ &x ] r:plain\n" },
	{ "acquire and release",
	  "P0(int *x) { int r0 = smp_load_acquire(x); smp_store_release(x, 2); }",
	  "load r0 = [ &x ] r:acquire+once\n"
	  "store [ &x ] 2 w:release+once\n" },
	{ "a store and a fence", "P0(int *x) { smp_store_mb(*x, 1); }",
	  "store [ &x ] 1 w:once\n"
	  "fence r:full\n" },
	{ "pointers", "P0(int *x, int **p) { int *q = rcu_dereference(*p); int r0 = READ_ONCE(*q); "
	  "rcu_assign_pointer(*p, x); }",
	  "load.8 q = [ &p ] r:once\n"
	  "load r0 = [ q ] r:once\n"
	  "store.8 [ &p ] &x w:release+once\n" },
	{ "members of a union", "union u { u32 whole; struct { u16 low, high; }; u8 byte[4]; }; "
	  "P0(union u *x) { int r0 = READ_ONCE(x->whole); WRITE_ONCE(x->high, r0); x->byte[3] = 1; "
	  "smp_store_release(&(*x).low, 2); u8 *p = x->byte; WRITE_ONCE(p[1], 3); }",
	  "load.4 t1 = [ &x ] r:once\n"
	  "set r0 = first t1 0\n"
	  "set.4 t1 = and r0 65535\n"
	  "store.2 [ 1515978818 ] t1 w:once\n"
	  "store.1 [ 1515978819 ] 1 w:plain\n"
	  "store.2 [ &x ] 2 w:release+once\n"
	  "set.8 p = first &x 0\n"
	  "set.8 t1 = add p 1\n"
	  "store.1 [ t1 ] 3 w:once\n" },
	{ "RCU", "P0(int *x) { rcu_read_lock(); rcu_read_unlock(); synchronize_rcu(); "
	  "synchronize_rcu_expedited(); smp_mb__after_srcu_read_unlock(); }",
	  "fence r:rcu-lock\n"
	  "fence r:rcu-unlock\n"
	  "fence r:rcu-sync\n"
	  "fence r:rcu-sync\n"
	  "fence r:after-srcu-unlock\n" },
	{ "SRCU",
	  "P0(struct srcu_struct *s) { int r0 = srcu_read_lock(s); srcu_read_unlock(s, r0); "
	  "r0 = srcu_down_read(s); srcu_up_read(s, r0); synchronize_srcu(s); "
	  "synchronize_srcu_expedited(s); }",
	  "load r0 = [ &s ] r:srcu-lock\n"
	  "store [ &s ] r0 w:srcu-unlock\n"
	  "load r0 = [ &s ] r:srcu-lock\n"
	  "store [ &s ] r0 w:srcu-unlock\n"
	  "fence [ &s ] r:srcu-sync\n"
	  "fence [ &s ] r:srcu-sync\n" },
	{ "an element, at once and by a number that depends",
	  "P0(int *x, int *z) { int r0 = READ_ONCE(*x); z[1] = 2; r0 = z[r0 ^ r0]; }",
	  "load r0 = [ &x ] r:once\n"
	  "store [ &z[1] ] 2 w:plain\n"
	  "set t1 = xor r0 r0\n"
	  "set.8s t2 = sext t1 4\n"
	  "set.8s t3 = mul t2 4\n"
	  "set.8 t4 = add &z[0] t3\n"
	  "load r0 = [ t4 ] r:plain\n" },
	{ "what herd does not ask to be declared", "P0(int *x, int **p) { r0 = READ_ONCE(*p); "
	  "r1 = READ_ONCE(*r0); r2 = xchg_relaxed(x, r1); if (r2) r3 = 1; }",
	  "load.8 r0 = [ &p ] r:once\n"
	  "load r1 = [ r0 ] r:once\n"
	  "rmw r2 = second [ &x ] r1 r:once+rmw w:once+rmw\n"
	  "arm\nbranch r2 6\njump 7\n"
	  "set r3 = first 1 0\n"
	  "end\n" },
	{ "an address in an intptr_t", "P0(intptr_t *x) { intptr_t r0 = READ_ONCE(*x); *r0 = 1; }",
	  "load.8s r0 = [ &x ] r:once\n"
	  "store.8s [ r0 ] 1 w:plain\n" },
	{ "fences", "P0() { smp_mb(); smp_rmb(); smp_wmb(); smp_mb__before_atomic(); "
	  "smp_mb__after_atomic(); smp_mb__after_spinlock(); smp_mb__after_unlock_lock(); "
	  "barrier(); }",
	  "fence r:full\nfence r:rmb\nfence r:wmb\nfence r:before_atomic\nfence r:after_atomic\n"
	  "fence r:after_spinlock\nfence r:after_unlock_lock\nfence r:compiler\n" },
	{ "xchg", "P0(int *x) { int r0 = xchg(x, 1); xchg_release(x, 2); }",
	  "fence r:full\n"
	  "rmw r0 = second [ &x ] 1 r:once+rmw w:once+rmw\n"
	  "fence r:full\n"
	  "rmw second [ &x ] 2 r:once+rmw w:release+once+rmw\n" },
	{ "cmpxchg", "P0(int *x) { int r0 = cmpxchg(x, 1, 2); r0 = cmpxchg_acquire(x, r0, 3); }",
	  "cas r0 = [ &x ] 1 2 r:once+rmw w:once+rmw fail:once+rmw+locked around:full\n"
	  "cas t1 = [ &x ] r0 3 r:acquire+once+rmw w:once+rmw fail:once+rmw+locked\n"
	  "set r0 = first t1 0\n" },
	{ "atomic_t", "P0(atomic_t *x) { atomic_set(x, 1); atomic_inc(x); "
	  "int r0 = atomic_sub_return_relaxed(2, x); "
	  "r0 = atomic_fetch_andnot_acquire(3, x); r0 = atomic64_read(x); }",
	  "store [ &x ] 1 w:once\n"
	  "rmw add [ &x ] 1 r:once+noreturn+rmw w:once+noreturn+rmw\n"
	  "rmw t1 = sub [ &x ] 2 r:once+rmw w:once+rmw\n"
	  "set r0 = sub t1 2\n"
	  "rmw r0 = bic [ &x ] 3 r:acquire+once+rmw w:once+rmw\n"
	  "load r0 = [ &x ] r:once\n" },
	{ "atomic_t: tests", "P0(atomic_t *x) { int r0 = atomic_dec_and_test(x); "
	  "r0 = atomic_add_negative(2, x); "
	  "r0 = atomic_add_unless(x, 1, 5); }",
	  "fence r:full\n"
	  "rmw t1 = sub [ &x ] 1 r:once+rmw w:once+rmw\n"
	  "fence r:full\n"
	  "set t2 = sub t1 1\n"
	  "set r0 = eq t2 0\n"
	  "fence r:full\n"
	  "rmw t1 = add [ &x ] 2 r:once+rmw w:once+rmw\n"
	  "fence r:full\n"
	  "set t2 = add t1 2\n"
	  "set r0 = lt t2 0\n"
	  "rmw t1 = add [ &x ] 1 5 r:once+rmw w:once+rmw fail:once+rmw around:full unless\n"
	  "set r0 = ne t1 5\n" },
	{ "locks", "P0(spinlock_t *s) { spin_lock(s); int r0 = spin_is_locked(s); spin_unlock(s); "
	  "r0 = spin_trylock(s); }",
	  "cas [ &s ] 0 1 r:acquire+once+lock w:once+lock must\n"
	  "load r0 = [ &s ] r:once\n"
	  "store [ &s ] 0 w:release+once+unlock\n"
	  "cas t1 = [ &s ] 0 1 r:acquire+once+lock w:once+lock fail:once\n"
	  "set r0 = eq t1 0\n" },
	{ "C11: loads and stores",
	  "P0(atomic_int *x, int *y) { int r0 = atomic_load_explicit(x, memory_order_relaxed); "
	  "r0 = atomic_load(x); atomic_store_explicit(x, 1, memory_order_release); *x = 2; *y = 3; "
	  "atomic_init(x, 0); }",
	  "load r0 = [ &x ] r:relaxed\n"
	  "load r0 = [ &x ] r:acquire+sc+relaxed\n"
	  "store [ &x ] 1 w:release+relaxed\n"
	  "store [ &x ] 2 w:release+sc+relaxed\n"
	  "store [ &y ] 3 w:plain\n"
	  "store [ &x ] 0 w:plain\n" },
	{ "C11: read-modify-writes",
	  "P0(atomic_int *x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_acq_rel); "
	  "r0 = atomic_exchange(x, 2); (*x)++; }",
	  "rmw r0 = add [ &x ] 1 r:acquire+relaxed+amo w:release+relaxed+amo\n"
	  "rmw r0 = second [ &x ] 2 r:acquire+sc+relaxed+amo w:release+sc+relaxed+amo\n"
	  "rmw add [ &x ] 1 r:acquire+sc+relaxed+amo w:release+sc+relaxed+amo\n" },
	{ "C11: what is expected in a variable", "P0(atomic_int *x) { int e = 1; bool ok; "
	  "ok = atomic_compare_exchange_strong_explicit(x, &e, 2, memory_order_release, "
	  "memory_order_acquire); }",
	  "set e = first 1 0\n"
	  "cas t2 = [ &x ] e 2 r:relaxed+amo w:release+relaxed+amo"
	  " fail:acquire+relaxed+locked\n"
	  "set t3 = eq t2 e\n"
	  "set e = first t2 0\n"
	  "set.4 ok = ne t3 0\n" },
	{ "C11: what is expected in a location, weakly",
	  "P0(atomic_int *x, int *e) { int r0 = atomic_compare_exchange_weak(x, e, 2); }",
	  "load t1 = [ &e ] r:plain\n"
	  "cas t3 = [ &x ] t1 2 r:acquire+sc+relaxed+amo w:release+sc+relaxed+amo"
	  " fail:acquire+sc+relaxed+locked weak stored t2\n"
	  "arm\nbranch t2 5\n"
	  "store [ &e ] t3 w:plain\n"
	  "end\n"
	  "set r0 = first t2 0\n" },
	{ "C11: fences", "P0() { atomic_thread_fence(memory_order_acquire); "
	  "atomic_thread_fence(memory_order_seq_cst); "
	  "atomic_thread_fence(memory_order_relaxed); atomic_signal_fence(memory_order_seq_cst); }",
	  "fence r:acquire\nfence r:acquire+release+sc\nfence r:compiler\n" },
	{ "builtins", "P0(int *x) { int r0 = __atomic_load_n(x, __ATOMIC_ACQUIRE); "
	  "__atomic_store_n(x, 1, __ATOMIC_RELEASE); "
	  "r0 = __atomic_sub_fetch(x, 1, __ATOMIC_RELAXED); }",
	  "load r0 = [ &x ] r:acquire+relaxed\n"
	  "store [ &x ] 1 w:release+relaxed\n"
	  "rmw t1 = sub [ &x ] 1 r:relaxed+amo w:relaxed+amo\n"
	  "set r0 = sub t1 1\n" },
	{ "nap's own", "P0(int *x) { int r0 = nap_load_acquire(x); nap_store_seq_cst(x, 1); "
	  "r0 = nap_cmpxchg_acq_rel(x, 0, 1); nap_fetch_or_release(x, 4); nap_fence_seq_cst(); }",
	  "load r0 = [ &x ] r:acquire+relaxed\n"
	  "store [ &x ] 1 w:release+sc+relaxed\n"
	  "cas r0 = [ &x ] 0 1 r:acquire+relaxed+amo w:release+relaxed+amo"
	  " fail:relaxed+locked\n"
	  "rmw or [ &x ] 4 r:relaxed+amo w:release+relaxed+amo\n"
	  "fence r:acquire+release+sc\n" },
	{ "if and else", "P0(int *x) { int r0 = READ_ONCE(*x); if (r0) WRITE_ONCE(*x, 1); "
	  "else WRITE_ONCE(*x, 2); WRITE_ONCE(*x, 3); }",
	  "load r0 = [ &x ] r:once\n"
	  "arm\nbranch r0 4\njump 6\n"
	  "store [ &x ] 1 w:once\njump 7\n"
	  "store [ &x ] 2 w:once\n"
	  "end\n"
	  "store [ &x ] 3 w:once\n" },
	{ "while", "P0(int *x) { while (READ_ONCE(*x) != 1) ; }",
	  "arm\n"
	  "load t0 = [ &x ] r:once\nset t1 = ne t0 1\nbranch t1 5\njump 6\njump 1\n"
	  "end\n" },
	{ "&& without a branch, (*x) is no comment",
	  "P0(int *x) { int r0; int r1 = (*x); r0 = r1 && r1 < 3; }",
	  "load r1 = [ &x ] r:plain\n"
	  "set t2 = ne r1 0\nset t3 = lt r1 3\nset r0 = and t2 t3\n" },
	{ "|| with a branch", "P0(int *x) { int r0 = 0; r0 = r0 || READ_ONCE(*x); }",
	  "set r0 = first 0 0\n"
	  "set t2 = ne r0 0\nset t1 = first t2 0\n"
	  "arm\nbranch t1 8\n"
	  "load t3 = [ &x ] r:once\nset t4 = ne t3 0\nset t1 = or t1 t4\n"
	  "end\n"
	  "set r0 = first t1 0\n" },
	{ "precedence",
	  "P0() { int r0 = 1; r0 = r0 | 2 ^ 3 & 4 == 5 << 6 + 7 * -8; r0 = 1 + 2 * 3 - ~0; }",
	  "set r0 = first 1 0\n"
	  "set r0 = or r0 2\n"
	  "set r0 = first 8 0\n" },
	{ "signs",
	  "P0() { unsigned u = 1; int r0 = u < -1; char c = u + 300; r0 = c >> 1; u = u ^-1; }",
	  "set.4 u = first 1 0\n"
	  "set r0 = ltu u 4294967295\n"
	  "set.4 t3 = add u 300\n"
	  "set c = sext t3 1\n"
	  "set r0 = sar c 1\n"
	  "set.4 u = xor u 4294967295\n" },
};

static const struct { const char *name, *source; } nested[] = {
	{ "arms: if in if in else",
	  "P0(int *x) { if (*x) { if (*x) *x = 1; else *x = 2; } else if (*x) *x = 3; }" },
	{ "arms: break and continue",
	  "P0(int *x) { while (*x) { if (*x == 1) break; if (*x == 2) continue; *x = 3; } }" },
	{ "arms: do and for",
	  "P0(int *x) { do { for (int i = 0; i < 2; i++) if (*x) break; } while (*x && *x); }" },
	{ "arms: return and goto",
	  "P0(int *x) { again: if (*x) { if (*x) return; goto again; } "
	  "if (*x) goto out; *x = 1; out: ; }" },
	{ "arms: ?: and &&", "P0(int *x) { if (*x ? *x && *x : *x || *x) *x = 1; }" },
};

static const struct { const char *name, *source; enum dialect dialect; } dialects[] = {
	{ "dialect: neither", "P0(int *x) { *x = 1; }", DIALECT_KERNEL },
	{ "dialect: atomic_t", "P0(atomic_t *x) { atomic_fetch_add(1, x); }", DIALECT_KERNEL },
	{ "dialect: atomic_int", "P0(atomic_int *x) { atomic_fetch_add(x, 1); }", DIALECT_C11 },
	{ "dialect: a builtin",
	  "P0(int *x) { __atomic_store_n(x, 1, __ATOMIC_RELAXED); }", DIALECT_C11 },
	{ "dialect: of a later function",
	  "P0(int *x) { *x = 1; } P1(_Atomic int *x) { } exists (x=1)", DIALECT_C11 },
};

#endif /* NAP_TESTS_READ_C_CASES_H */
