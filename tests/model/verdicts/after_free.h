/* SPDX-License-Identifier: MIT */
/* For who has make_text(), which allocates @text. A scenario of that name: @use is made of it when it is free. */
#include <nap/check.h>
#include <stdlib.h>

#define AFTER_FREE(name, use)						\
static void name##_uses(void *arg)					\
{									\
	(void)arg;							\
	free(text);							\
	(void)(use);							\
}									\
CHECK_SCENARIO(name, .setup = make_text, .threads = { { name##_uses } })
