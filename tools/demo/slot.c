// SPDX-License-Identifier: MIT
#include "walk.h"

#include <stdlib.h>

/* A slot is found again by the walk's number: the memory of an earlier walk may be reused. */
static _Thread_local struct {
	unsigned long id;
	struct slot *slot;
} mine;

/* The calling thread's slot; NULL: no memory. */
struct slot *slot_get(struct walk *walk)
{
	struct slot *slot;

	if (mine.id == walk->id)
		return mine.slot;
	slot = calloc(1, sizeof(*slot));
	if (!slot)
		return NULL;
	slot->next = __atomic_load_n(&walk->slots, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&walk->slots, &slot->next, slot, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	mine.id = walk->id;
	mine.slot = slot;
	return slot;
}

static void sum(uint64_t *to, const uint64_t *from)
{
	*to += __atomic_load_n(from, __ATOMIC_RELAXED);
}

/* Main thread; exact when no task runs. */
void slots_tally(struct walk *walk, struct tally *to)
{
	const struct slot *slot = __atomic_load_n(&walk->slots, __ATOMIC_ACQUIRE);

	*to = (struct tally){ .files = 0 };
	for (; slot; slot = slot->next) {
		sum(&to->files, &slot->tally.files);
		sum(&to->binary, &slot->tally.binary);
		sum(&to->bytes, &slot->tally.bytes);
		sum(&to->words, &slot->tally.words);
		sum(&to->dirs, &slot->tally.dirs);
		sum(&to->bad_files, &slot->tally.bad_files);
		sum(&to->bad_dirs, &slot->tally.bad_dirs);
		sum(&to->others, &slot->tally.others);
		sum(&to->broken_off, &slot->tally.broken_off);
	}
}

/* After the pool was joined. */
void slots_free(struct walk *walk)
{
	struct slot *slot;

	while ((slot = walk->slots)) {
		walk->slots = slot->next;
		vocabulary_free(&slot->voc);
		free(slot->buf);
		free(slot->path);
		free(slot);
	}
}
