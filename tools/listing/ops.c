/* SPDX-License-Identifier: MIT */
/* Every operation of an arch as a function of its own, to be disassembled: see listing.sh. */
#include "arch/atomic.h"

#define PARAMETERS_load(u) const u *p
#define PARAMETERS_store(u) u *p, u v
#define PARAMETERS_xchg(u) u *p, u v
#define PARAMETERS_cmpxchg(u) u *p, u expected, u desired
#define PARAMETERS_fetch_add(u) u *p, u v

#define ARGUMENTS_load p
#define ARGUMENTS_store p, v
#define ARGUMENTS_xchg p, v
#define ARGUMENTS_cmpxchg p, expected, desired
#define ARGUMENTS_fetch_add p, v

#define RETURN_load(u) u
#define RETURN_store(u) void
#define RETURN_xchg(u) u
#define RETURN_cmpxchg(u) u
#define RETURN_fetch_add(u) u

#define STATEMENT_load return
#define STATEMENT_store
#define STATEMENT_xchg return
#define STATEMENT_cmpxchg return
#define STATEMENT_fetch_add return

#define DEFINE(op, bits, order)								\
RETURN_##op(uint##bits##_t) op##bits##_##order(PARAMETERS_##op(uint##bits##_t));	\
RETURN_##op(uint##bits##_t) op##bits##_##order(PARAMETERS_##op(uint##bits##_t))		\
{											\
	STATEMENT_##op nap__##op##bits##_##order(ARGUMENTS_##op);			\
}
NAP__OPS(DEFINE)

void fence_seq_cst(void);
void fence_seq_cst(void)
{
	nap__fence_seq_cst();
}

void cpu_relax(void);
void cpu_relax(void)
{
	nap__cpu_relax();
}
