/* SPDX-License-Identifier: MIT */
/* A failure as a jump. The page's engine (engine/) has no setjmp(), and a try.c of its own. */
#include <setjmp.h>

#include "text/text.h"

static struct attempt {
	struct attempt *outer;
	const struct text *volatile wrong;
	jmp_buf left;
} *innermost;

const struct text *text_try(void (*step)(void *with), void *with)
{
	struct attempt here = { .outer = innermost };

	innermost = &here;
	if (!setjmp(here.left))
		step(with);
	innermost = here.outer;
	return here.wrong;
}

void text_leave(const struct text *wrong)
{
	innermost->wrong = wrong;
	longjmp(innermost->left, 1);
}
