/* SPDX-License-Identifier: MIT */
/*
 * text_try() for WebAssembly (text/try.c is for machines with setjmp()). The page has two functions
 * for it: one calls the step, and catches what the other throws.
 */
#include "text/text.h"

#define IMPORT(what) __attribute__((import_module("nap"), import_name(what)))

/* Calls @step(@with). Returns 0; or 1, after host_throw() in it. */
IMPORT("try") int host_try(void (*step)(void *with), void *with);
IMPORT("throw") _Noreturn void host_throw(void);

static const struct text *last_wrong;

const struct text *text_try(void (*step)(void *with), void *with)
{
	return host_try(step, with) ? last_wrong : NULL;
}

void text_leave(const struct text *wrong)
{
	last_wrong = wrong;
	host_throw();
}
