/* SPDX-License-Identifier: MIT */
/* The ends of parts, and what they come to together. */
#include <stdlib.h>
#include <unistd.h>

#include "explore/parts_shared.h"
#include "explore/processes.h"
#include "explore/progress.h"
#include "explore/saving.h"

void part_is_over(void)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	mine->result = result;
	mine->left = 0;
	mine->cpu_seconds = cpu_seconds_now() - cpu_before;
	if (!mine->is_void) {
		out = open_memstream(&text, &size);
		search.part_ends(out);
		fclose(out);
		mine->kept_at = parts->kept_end;
		mine->kept_size = size;
		parts_put(parts->kept, text, size, &parts->kept_end);
		free(text);
	}
	mine->ended = true;
	parts->nr_not_ended--;
}

/* Whether every part before this one has ended. */
static bool is_first_left(void)
{
	const struct part *p = &parts->part[0];

	while (p != mine && p->ended)
		p = &parts->part[p->next];
	return p == mine;
}

static void make_void_behind(const struct part *before)
{
	for (unsigned i = before->next; i; i = parts->part[i].next) {
		struct part *p = &parts->part[i];

		if (p->ended)
			continue;
		p->is_void = true;
		if (p->waits) {
			p->ended = true;
			parts->nr_not_ended--;
			parts->nr_waiting--;
		}
	}
}

/* Waits until this part is void, or all others have ended. Returns whether this part counts. */
static bool wait_for_others(void)
{
	bool counts, alone;

	parts_lock();
	parts->nr_free++;
	parts_unlock();
	do {
		usleep(500);
		process_look_around();
		if (search.saving)
			saving_look();
		parts_lock();
		counts = !mine->is_void;
		make_void_behind(mine);	/* each time, because others may have been started since */
		alone = is_first_left() && parts->nr_not_ended == 1;
		parts_unlock();
	} while (counts && !alone);
	return counts;
}

static void join_part(const struct part *p)
{
	char *text = parts_get(parts->kept, p->kept_size, p->kept_at);
	FILE *in = fmemopen(text, p->kept_size, "r");

	search.part_joins(in);
	fclose(in);
	free(text);
}

/* Adds up the parts up to the one that ends the search, in their order. */
static void join(void)
{
	struct result sum = result;

	sum.executions = sum.blocked = sum.faulty = 0;
	search.part_begins();
	for (unsigned i = 0;; i = parts->part[i].next) {
		const struct part *p = &parts->part[i];

		sum.executions += p->result.executions;
		sum.blocked += p->result.blocked;
		sum.faulty += p->result.faulty;
		if (p->kept_size && !p->waits)
			join_part(p);
		if (p->ends_search || !p->next)
			break;
	}
	result = sum;
}

enum ran parts_end(enum ran ran)
{
	bool goes_on, waits;

	mine->ends_search = !mine->is_void &&
			    (ran == RAN_ANEW || ran == RAN_UNDECIDED || result.why ||
			     (ran == RAN_INTO_FAULT && !search.faulty));
	waits = mine->ends_search;
	if (search.saving && ran == RAN_ANEW)
		saving_learns();
	if (search.saving)
		saving_look();
	if (waits)
		mine->ends_search = wait_for_others();
	parts_lock();
	part_is_over();
	goes_on = !parts->nr_not_ended;
	parts->nr_free += !waits;
	parts_unlock();
	if (!goes_on)
		process_leaves();
	process_goes_on();
	if (search.saving)
		search.saving->is_open = saving_keep_last();
	if (ran != RAN_ANEW || !mine->ends_search)
		join();
	return result.why || search.parts_hold() ? ran : RAN_ANEW;
}
