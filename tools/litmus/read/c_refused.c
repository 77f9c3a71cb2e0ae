/* SPDX-License-Identifier: MIT */
/* Functions that no model here has. The message of a test names them (READ_NOT_MODELLED). */
#include <string.h>

#include "read/c.h"

static const struct {
	const char *name;	/* with @prefix: the beginning of the name */
	const char *what;
} refused[] = {
	{ "rcu_read_*", "another kind of RCU" }, { "synchronize_*", "another kind of RCU" },
	{ "srcu_*", "another kind of RCU" }, { "call_rcu*", "a callback of RCU" },
	{ "call_srcu*", "a callback of RCU" }, { "rcu_barrier*", "a callback of RCU" },
	{ "cond_synchronize_rcu*", "another kind of RCU" },
	{ "mtx_*", "a mutex" }, { "lock", "a mutex" }, { "unlock", "a mutex" },
	{ "mutex_*", "a mutex" },
	{ "read_lock", "a lock of readers" }, { "write_lock", "a lock of readers" },
	{ "read_unlock", "a lock of readers" }, { "write_unlock", "a lock of readers" },
};

static bool matches(const struct token *name, const char *pattern)
{
	size_t length = strlen(pattern);

	if (pattern[length - 1] != '*')
		return token_is(name, pattern);
	length--;
	return (size_t)(name->end - name->begin) >= length && !memcmp(name->begin, pattern, length);
}

void c_not_modelled(struct text *text, const struct token *name)
{
	for (unsigned i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (matches(name, refused[i].name))
			text_fail(text, name->begin, "%s" READ_NOT_MODELLED "%.*s()",
				  refused[i].what, (int)(name->end - name->begin), name->begin);
}
