/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/text.h"
#include "tool/states.h"

#define MAX_PARTS 64

struct states *states_new(void)
{
	struct states *states = memory_wider(NULL, sizeof(*states));

	*states = (struct states) { 0 };
	return states;
}

void states_free(struct states *states)
{
	for (unsigned i = 0; i < states->nr; i++)
		free(states->state[i]);
	free(states->state);
	free(states);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Turns "b=1; a = 2;" into "a=2; b=1;". @text is changed. */
static char *in_one_form(char *text)
{
	char *result = memory_wider(NULL, strlen(text) + MAX_PARTS + 1), *end = result;
	char *part[MAX_PARTS];
	unsigned nr = 0;

	for (char *p = strtok(text, ";"); p && nr < MAX_PARTS; p = strtok(NULL, ";")) {
		char *to = p;

		part[nr] = p;
		for (char *from = p; *from; from++)
			if (!isspace((unsigned char)*from))
				*to++ = *from;
		*to = 0;
		nr += *part[nr] != 0;
	}
	qsort(part, nr, sizeof(*part), by_text);
	*end = 0;
	for (unsigned i = 0; i < nr; i++)
		end += sprintf(end, "%s%s;", i ? " " : "", part[i]);
	return result;
}

static void add_one(struct states *states, char *text)
{
	char *state = in_one_form(text);

	if (!*state || states_has(states, state)) {
		free(state);
		return;
	}
	if (states->nr == states->room) {
		states->room = states->room ? 2 * states->room : 16;
		states->state = memory_wider(states->state, states->room * sizeof(*states->state));
	}
	states->state[states->nr++] = state;
}

void states_add(struct states *states, const char *text)
{
	const char *end;

	for (; *text; text = end + (*end == '|')) {
		char *one;

		end = text + strcspn(text, "|");
		one = memory_wider(NULL, (size_t)(end - text) + 1);
		memcpy(one, text, (size_t)(end - text));
		one[end - text] = 0;
		add_one(states, one);
		free(one);
	}
}

bool states_has(const struct states *states, const char *state)
{
	for (unsigned i = 0; i < states->nr; i++)
		if (!strcmp(states->state[i], state))
			return true;
	return false;
}

bool states_equal(const struct states *a, const struct states *b)
{
	if (a->nr != b->nr)
		return false;
	for (unsigned i = 0; i < a->nr; i++)
		if (!states_has(b, a->state[i]))
			return false;
	return true;
}
