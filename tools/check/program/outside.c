/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stddef.h>

#include "program/outside.h"

static jmp_buf *left;

bool is_outside(void)
{
	return left;
}

_Noreturn void leave_outside(void)
{
	longjmp(*left, 1);
}

bool run_outside(void (*run)(void))
{
	jmp_buf here;

	left = &here;
	if (setjmp(here)) {
		left = NULL;
		return false;
	}
	run();
	left = NULL;
	return true;
}
