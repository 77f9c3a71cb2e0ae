/* SPDX-License-Identifier: MIT */
/*
 * Functions of string.h. They are weak, so that a program with better ones keeps its own. They are
 * simple, because nap copies only few words where speed matters. The compiler is told not to turn a
 * loop into a call of the function that contains the loop (bare.mk).
 */
#include <string.h>

#include <stdint.h>

#define WEAK __attribute__((weak))

WEAK void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	char *t = to;
	const char *f = from;

	while (n--)
		*t++ = *f++;
	return to;
}

WEAK void *memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if ((uintptr_t)to - (uintptr_t)from >= n)
		return memcpy(to, from, n);
	while (n--)
		t[n] = f[n];
	return to;
}

WEAK void *memset(void *mem, int c, size_t n)
{
	char *m = mem;

	while (n--)
		*m++ = (char)c;
	return mem;
}

WEAK int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

WEAK void *memchr(const void *mem, int c, size_t n)
{
	const unsigned char *m = mem;

	for (; n; n--, m++)
		if (*m == (unsigned char)c)
			return (void *)m;
	return NULL;
}

WEAK size_t strlen(const char *str)
{
	const char *end = str;

	while (*end)
		end++;
	return (size_t)(end - str);
}

WEAK int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

WEAK int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

WEAK char *strchr(const char *str, int c)
{
	return memchr(str, c, strlen(str) + 1);
}

WEAK char *strrchr(const char *str, int c)
{
	for (size_t n = strlen(str) + 1; n--;)
		if (str[n] == (char)c)
			return (char *)str + n;
	return NULL;
}

WEAK char *strstr(const char *str, const char *part)
{
	size_t len = strlen(part);

	for (; *str; str++)
		if (!strncmp(str, part, len))
			return (char *)str;
	return len ? NULL : (char *)str;
}

WEAK size_t strcspn(const char *str, const char *reject)
{
	size_t n = 0;

	while (str[n] && !strchr(reject, str[n]))
		n++;
	return n;
}

WEAK char *strsep(char **str, const char *delimiters)
{
	char *begin = *str;
	size_t n;

	if (!begin)
		return NULL;
	n = strcspn(begin, delimiters);
	*str = begin[n] ? begin + n + 1 : NULL;
	begin[n] = '\0';
	return begin;
}
