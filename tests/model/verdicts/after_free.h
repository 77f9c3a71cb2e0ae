/* SPDX-License-Identifier: MIT */
/*
 * AFTER_FREE() is for a file that has make_text(), which allocates @text: it defines a scenario
 * @name in which @use is evaluated when @text is free.
 */
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
