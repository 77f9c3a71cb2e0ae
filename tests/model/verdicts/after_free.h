/* SPDX-License-Identifier: MIT */
/*
 * For a file that has make_text(), which allocates @text. Defines a scenario of the name in which
 * @use is evaluated when @text is free.
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
