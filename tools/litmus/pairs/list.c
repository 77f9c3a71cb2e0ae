/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "pairs/pairs.h"

static const char *take_word(struct text *text, const char **p)
{
	const char *begin;

	while (**p == ' ' || **p == '\t')
		++*p;
	begin = *p;
	while (**p && !isspace((unsigned char)**p))
		++*p;
	if (*p == begin)
		text_fail(text, begin, "expected FUNCTION FILE:LINE FUNCTION FILE:LINE");
	return arena_text(text->arena, begin, (size_t)(*p - begin));
}

static const char *take_candidate(struct text *text, const char *p, struct candidate *candidate)
{
	for (int i = 0; i < 2; i++) {
		candidate->function[i] = take_word(text, &p);
		candidate->place[i] = take_word(text, &p);
		if (!strchr(candidate->place[i], ':'))
			text_fail(text, p, "expected FILE:LINE, not %s", candidate->place[i]);
	}
	return p;
}

struct candidates list_read(struct text *text)
{
	struct candidates list = { 0 };
	size_t room = 1;

	for (const char *p = text->begin; *p; p++)
		room += *p == '\n';
	list.candidate = arena_alloc(text->arena, room * sizeof(*list.candidate));
	for (const char *p = text->begin; *p; p += strspn(p, "\n"))
		p = take_candidate(text, p, &list.candidate[list.nr++]);
	return list;
}
