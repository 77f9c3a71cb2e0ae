/* SPDX-License-Identifier: MIT */
/* Sets of final states, as texts: "0:r0=1; [x]=2;", whatever the order of the parts. */
#ifndef NAP_LITMUS_STATES_H
#define NAP_LITMUS_STATES_H

#include <stdbool.h>

struct states {
	unsigned nr, room;
	char **state;
};

struct states *states_new(void);
void states_free(struct states *states);

/* Adds each state of "state | state | ...", in one form. */
void states_add(struct states *states, const char *text);
bool states_has(const struct states *states, const char *state);
bool states_equal(const struct states *a, const struct states *b);

#endif /* NAP_LITMUS_STATES_H */
