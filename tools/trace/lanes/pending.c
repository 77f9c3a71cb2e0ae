/* SPDX-License-Identifier: MIT */
#include "lanes/pending.h"

#include <stdlib.h>
#include <string.h>

#include "file/memory.h"

static size_t place(const struct pending *pending, uint64_t task)
{
	return (size_t)((task * 0x9e3779b97f4a7c15u) >> 32) & (pending->nr_slots - 1);
}

static struct scheduled *find(const struct pending *pending, uint64_t task)
{
	size_t i = place(pending, task);

	while (pending->slot[i].task && pending->slot[i].task != task)
		i = (i + 1) & (pending->nr_slots - 1);
	return &pending->slot[i];
}

static void more_slots(struct pending *pending)
{
	struct scheduled *old = pending->slot;
	size_t nr = pending->nr_slots;

	pending->nr_slots = nr ? 2 * nr : 256;
	pending->slot = resize(NULL, pending->nr_slots, sizeof(*old));
	memset(pending->slot, 0, pending->nr_slots * sizeof(*old));
	for (size_t i = 0; i < nr; i++)
		if (old[i].task)
			*find(pending, old[i].task) = old[i];
	free(old);
}

void pending_add(struct pending *pending, const struct scheduled *scheduled)
{
	struct scheduled *slot;

	if (!scheduled->task)
		return;
	if (2 * pending->nr >= pending->nr_slots)
		more_slots(pending);
	slot = find(pending, scheduled->task);
	pending->nr += !slot->task;
	pending->free -= slot->task && slot->free;
	pending->free += scheduled->free;
	*slot = *scheduled;
}

/* Moves up the entries behind the empty place, each as far as its own place allows. */
static void close_up(struct pending *pending, size_t empty)
{
	size_t mask = pending->nr_slots - 1;

	for (size_t i = (empty + 1) & mask; pending->slot[i].task; i = (i + 1) & mask) {
		size_t own = place(pending, pending->slot[i].task);

		if (((i - own) & mask) < ((i - empty) & mask))
			continue;
		pending->slot[empty] = pending->slot[i];
		empty = i;
	}
	pending->slot[empty] = (struct scheduled){ .task = 0 };
}

bool pending_take(struct pending *pending, uint64_t task, struct scheduled *scheduled)
{
	struct scheduled *slot = pending->nr_slots && task ? find(pending, task) : NULL;

	if (!slot || !slot->task)
		return false;
	*scheduled = *slot;
	pending->nr--;
	pending->free -= slot->free;
	close_up(pending, (size_t)(slot - pending->slot));
	return true;
}

const struct scheduled *pending_oldest(const struct pending *pending)
{
	const struct scheduled *oldest = NULL;

	for (size_t i = 0; i < pending->nr_slots; i++) {
		const struct scheduled *slot = &pending->slot[i];

		if (slot->task && slot->free && (!oldest || slot->ns < oldest->ns))
			oldest = slot;
	}
	return oldest;
}

void pending_free(struct pending *pending)
{
	free(pending->slot);
}
