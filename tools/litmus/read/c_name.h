/* SPDX-License-Identifier: MIT */
/* The name of a function, taken apart: a prefix, a suffix, and the rest between them. */
#ifndef NAP_LITMUS_C_NAME_H
#define NAP_LITMUS_C_NAME_H

#include <stdbool.h>
#include <string.h>

struct c_name {
	const char *begin, *end;
};

static inline bool name_equals(struct c_name name, const char *what)
{
	size_t length = strlen(what);

	return (size_t)(name.end - name.begin) == length && !memcmp(name.begin, what, length);
}

static inline bool name_take_front(struct c_name *name, const char *what)
{
	size_t length = strlen(what);

	if ((size_t)(name->end - name->begin) < length || memcmp(name->begin, what, length))
		return false;
	name->begin += length;
	return true;
}

static inline bool name_take_back(struct c_name *name, const char *what)
{
	size_t length = strlen(what);

	if ((size_t)(name->end - name->begin) < length || memcmp(name->end - length, what, length))
		return false;
	name->end -= length;
	return true;
}

#endif /* NAP_LITMUS_C_NAME_H */
