/* SPDX-License-Identifier: MIT */
/*
 * Functions of <stdlib.h>, <time.h> and <string.h> that read and write memory: numbers from
 * strings, sorting, dates; and cutting strings into words, in which a call begins where the call
 * before has ended.
 */
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "program/library.h"
#include "program/ops.h"

/*
 * Returns the next word from @s on, or from *@state, where the last call ended. Skips characters
 * of @set, then takes the others.
 */
static char *next_word(char *s, const char *set, char **state, uintptr_t pc)
{
	char *word, *end;

	if (!s)
		s = *state;
	if (!s)
		return NULL;
	string_read(set, SIZE_MAX, pc);
	word = s + strspn(s, set);
	end = word + strcspn(word, set);
	bytes_read(s, (size_t)(end + 1 - s), pc);
	if (*end) {
		plain_range((uintptr_t)end, 1, true, pc);
		*end++ = 0;
	}
	*state = end;
	return end == word ? NULL : word;
}

/* Returns the index for @key among @n sorted elements: after those that are not greater. */
static size_t place_for(const char *key, const char *base, size_t n, size_t size,
			comparison_fn_t compare)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (compare(base + middle * size, key) > 0)
			n = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void move_down(char *to, const char *from, size_t size)
{
	void *kept = malloc(size);

	memcpy(kept, from, size);
	memmove(to + size, to, (size_t)(from - to));
	memcpy(to, kept, size);
	free(kept);
}

/* Sorts without a lock: the program's comparison may wait, or never come back. */
static void sort(char *base, size_t n, size_t size, comparison_fn_t compare)
{
	for (size_t i = 1; i < n; i++) {
		const char *from = base + i * size;

		move_down(base + place_for(from, base, i, size, compare) * size, from, size);
	}
}

#pragma GCC visibility push(default)

/* ---- numbers. Compilers may call the functions of C2x, which also know 0b. */

#define END(end) if (end) WRITES(end, sizeof(*(end)))

#define NUMBER(type, name)								\
FUNCTION(type, name, (const char *s, char **end, int base), (s, end, base), STRING(s); END(end)) \
type __wrap___isoc23_##name(const char *s, char **end, int base);			\
type __wrap___isoc23_##name(const char *s, char **end, int base)			\
{											\
	STRING(s);									\
	END(end);									\
	return name(s, end, base);							\
}
NUMBER(long, strtol)
NUMBER(unsigned long, strtoul)
NUMBER(long long, strtoll)
NUMBER(unsigned long long, strtoull)
NUMBER(intmax_t, strtoimax)
NUMBER(uintmax_t, strtoumax)

FUNCTION(float, strtof, (const char *s, char **end), (s, end), STRING(s); END(end))
FUNCTION(double, strtod, (const char *s, char **end), (s, end), STRING(s); END(end))
FUNCTION(long double, strtold, (const char *s, char **end), (s, end), STRING(s); END(end))
FUNCTION(int, atoi, (const char *s), (s), STRING(s))
FUNCTION(long, atol, (const char *s), (s), STRING(s))
FUNCTION(long long, atoll, (const char *s), (s), STRING(s))
FUNCTION(double, atof, (const char *s), (s), STRING(s))

/* the same numbers in every execution: the state is the program's */
FUNCTION(int, rand_r, (unsigned *state), (state), OBJECT(state); WRITES(state, sizeof(*state)))

/* ---- words */

static char *word_state;	/* used by strtok() */

char *__wrap_strtok(char *s, const char *set);
char *__wrap_strtok(char *s, const char *set)
{
	check_name(&word_state, sizeof(word_state), "strtok()'s place");
	WRITES(&word_state, sizeof(word_state));
	return next_word(s, set, &word_state, PC);
}

char *__wrap_strtok_r(char *s, const char *set, char **state);
char *__wrap_strtok_r(char *s, const char *set, char **state)
{
	if (!s)
		OBJECT(state);
	WRITES(state, sizeof(*state));
	return next_word(s, set, state, PC);
}

char *__wrap_strsep(char **place, const char *set);
char *__wrap_strsep(char **place, const char *set)
{
	char *word, *end;

	OBJECT(place);
	word = *place;
	if (!word)
		return NULL;
	STRING(set);
	end = word + strcspn(word, set);
	BYTES(word, (size_t)(end + 1 - word));
	if (*end)
		WRITES(end, 1);
	WRITES(place, sizeof(*place));
	return strsep(place, set);
}

/* ---- sorting: elements that compare equal keep their order, as in the C library */

void __wrap_qsort(void *base, size_t n, size_t size, comparison_fn_t compare);
void __wrap_qsort(void *base, size_t n, size_t size, comparison_fn_t compare)
{
	plain_copy(base, base, n * size, PC);
	sort(base, n, size, compare);
}

/* ---- dates */

FUNCTION(struct tm *, gmtime, (const time_t *time), (time), OBJECT(time))
FUNCTION(struct tm *, localtime, (const time_t *time), (time), OBJECT(time))
FUNCTION(struct tm *, gmtime_r, (const time_t *time, struct tm *to), (time, to),
	 OBJECT(time); WRITES(to, sizeof(*to)))
FUNCTION(struct tm *, localtime_r, (const time_t *time, struct tm *to), (time, to),
	 OBJECT(time); WRITES(to, sizeof(*to)))
FUNCTION(time_t, mktime, (struct tm *date), (date), OBJECT(date); WRITES(date, sizeof(*date)))
FUNCTION(time_t, timegm, (struct tm *date), (date), OBJECT(date); WRITES(date, sizeof(*date)))
FUNCTION(size_t, strftime, (char *to, size_t size, const char *format, const struct tm *date),
	 (to, size, format, date), STRING(format); OBJECT(date); WRITES(to, size))

/* ---- the program's surroundings */

FUNCTION(char *, getenv, (const char *name), (name), STRING(name))
FUNCTION(char *, setlocale, (int category, const char *name), (category, name),
	 if (name) STRING(name))
