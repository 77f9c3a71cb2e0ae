/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "search/search.h"

static struct matrix *co_of(struct searching *s)
{
	return &s->x.facts.relation[BASE_CO];
}

void order_writes(struct searching *s, event_set writes, unsigned a, unsigned b)
{
	struct matrix *co = co_of(s);
	event_set behind = co->row[b] | 1ull << b;

	for (event_set rest = writes; rest; rest &= rest - 1)
		if (set_first(rest) == a || matrix_has(co, set_first(rest), a))
			co->row[set_first(rest)] |= behind;
	evaluation_changed(s->evaluation, ON_CO);
}

bool order_last(struct searching *s, event_set writes, unsigned last)
{
	if (co_of(s)->row[last] & writes)
		return false;
	for (event_set others = writes & ~(1ull << last); others; others &= others - 1)
		order_writes(s, writes, set_first(others), last);
	return true;
}

void order_save(struct searching *s, struct matrix *saved)
{
	memcpy(saved, co_of(s), s->x.n * sizeof(saved->row[0]));
}

void order_restore(struct searching *s, const struct matrix *saved)
{
	memcpy(co_of(s), saved, s->x.n * sizeof(saved->row[0]));
	evaluation_changed(s->evaluation, ON_CO);
}

/* Orders a thread's accesses of a location. */
static bool order_by(struct searching *s, event_set accesses, event_set writes)
{
	int last = -1, write;

	for (event_set rest = accesses; rest; rest &= rest - 1) {
		unsigned access = set_first(rest);

		write = s->x.event[access].kind == EVENT_READ ? s->x.rf[access] : (int)access;
		if (write < 0)
			continue;
		if (last >= 0 && last != write) {
			if (matrix_has(co_of(s), (unsigned)write, (unsigned)last))
				return false;
			if (!matrix_has(co_of(s), (unsigned)last, (unsigned)write))
				order_writes(s, writes, (unsigned)last, (unsigned)write);
		}
		last = write;
	}
	return true;
}

bool order_forced(struct searching *s)
{
	for (unsigned i = 0; i < s->test->nr_cells; i++)
		for (unsigned t = 0; t < s->test->nr_threads; t++)
			if (!order_by(s, s->accesses[i] & s->of_thread[t], s->writes[i]))
				return false;
	return true;
}
