/* SPDX-License-Identifier: MIT */
/*
 * The functions by which programs talk to other checkers: SV-COMP's rules, GenMC's genmc.h,
 * Dartagnan's dat3m.h. A program may define any of them itself. The headers are in compat/.
 */
#include <stdint.h>
#include <stdio.h>

#include "program/caller.h"
#include "program/fault.h"
#include "program/locks.h"
#include "program/ops.h"
#include "program/siblings.h"
#include "program/unroll.h"
#include "program/verifier.h"

bool status_is_ignored, nothing_is_fine, abort_drops, nondet_given, nondet_was_met;
long nondet_lowest, nondet_highest;

/*
 * The lock of all atomic blocks. It keeps blocks apart from each other. An access outside of
 * blocks may come between two accesses of a block.
 */
static uint32_t block;

void verifier_begin(void)
{
	block = 0;
}

static void drop(void)
{
	check_assume(false);
}

/*
 * Returns a number that --nondet allows, each in some execution. For --unroll each call counts as
 * an operation of its loop.
 */
static long any(const char *function, uintptr_t pc)
{
	static char why[128];

	if (OUTSIDE)
		return nondet_lowest;
	if (!nondet_given) {
		snprintf(why, sizeof(why),
			 "__VERIFIER_nondet_%s() may be anything; --nondet=N tries 0 to N - 1",
			 function);
		give_up(why);
	}
	nondet_was_met = true;
	if (unroll)
		unroll_at(pc, take_sp(pc));
	return nondet_lowest +
	       (long)op_choose((unsigned)(nondet_highest - nondet_lowest + 1), 0, pc);
}

#pragma GCC visibility push(default)

/* ---- what holds, and what must not happen */

void __VERIFIER_assume(int condition);
void __VERIFIER_assume(int condition)
{
	if (!condition)
		drop();
}

void __VERIFIER_assert(int condition);
void __VERIFIER_assert(int condition)
{
	if (!condition)
		fault_at(PC, 0, "__VERIFIER_assert() of what does not hold");
}

_Noreturn void __VERIFIER_error(void);
_Noreturn void __VERIFIER_error(void)
{
	fault_at(PC, 0, "__VERIFIER_error() was called");
}

_Noreturn void reach_error(void);
_Noreturn void reach_error(void)
{
	fault_at(PC, 0, "reach_error() was called");
}

/* ---- values */

#define NONDET(name, type)					\
type __VERIFIER_nondet_##name(void);				\
type __VERIFIER_nondet_##name(void)				\
{								\
	return (type)any(#name, OP_PC);				\
}
NONDET(char, char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(size_t, unsigned long)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(loff_t, long)

bool __VERIFIER_nondet_bool(void);
bool __VERIFIER_nondet_bool(void)
{
	return check_choose(2);
}

bool __VERIFIER_nondet__Bool(void);
bool __VERIFIER_nondet__Bool(void)
{
	return check_choose(2);
}

/* ---- atomic blocks */

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_begin(void)
{
	uintptr_t pc = PC;

	check_name(&block, sizeof(block), "atomic_block");
	lock_take(&block, LOCK_RECURSIVE, false, "the lock", pc);
}

void __VERIFIER_atomic_end(void);
void __VERIFIER_atomic_end(void)
{
	lock_release(&block, LOCK_RECURSIVE, "the lock", PC);
}

/* ---- loops that wait: the checker finds these itself */

void __VERIFIER_loop_begin(void);
void __VERIFIER_loop_begin(void)
{
}

void __VERIFIER_loop_bound(int turns);
void __VERIFIER_loop_bound(int turns)
{
	(void)turns;
}

void __VERIFIER_spin_start(void);
void __VERIFIER_spin_start(void)
{
}

void __VERIFIER_spin_end(int ends);
void __VERIFIER_spin_end(int ends)
{
	(void)ends;
}

/* ---- threads */

unsigned __VERIFIER_tid(void);
unsigned __VERIFIER_tid(void)
{
	if (!OUTSIDE)
		siblings_differ(1u << self);
	return self;
}
