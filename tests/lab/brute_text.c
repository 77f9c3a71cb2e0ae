/* SPDX-License-Identifier: MIT */
/* What the printers of programs share. */
#include <stdarg.h>
#include <string.h>

#include "brute.h"

void text_add(char *text, const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + len, MAX_TEXT - len, format, args);
	va_end(args);
}

const char *loc_name(int loc)
{
	static const char *const names[MAX_LOCS] = { "x", "y", "z", "w" };

	return names[loc];
}
