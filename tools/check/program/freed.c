/* SPDX-License-Identifier: MIT */
/*
 * Freed objects stay recognisable for the rest of the execution, so that a use of them is found.
 * On request a freed object is allocated again as from an allocator's cache: by the thread that
 * freed the object, last in, first out. Then a pointer may compare equal and mean another object
 * (ABA: Treiber: Systems programming, 1986). A thread gets back only what it freed itself, so
 * executions can be repeated.
 */
#include "program/freed.h"
#include "program/ops.h"
#include "program/threads.h"

#define MAX_FREED 4096

enum reuse reuse_mode;
bool reuse_wanted;
unsigned nr_freed, nr_reused;

static struct freed {
	struct object *object, was;
	unsigned by;
} freed[MAX_FREED];

void reuse_begin(void)
{
	reuse_wanted = reuse_mode == REUSE_ALWAYS;
}

/* Some programs keep a number in the upper 16 bits of a pointer. */
#define POINTER(value) ((value) & 0xfffffffffffful)

void reuse_if_pointer(uint64_t value)
{
	if (reuse_mode != REUSE_IF_COMPARED || reuse_wanted || !memory_in_arena(POINTER(value)))
		return;
	reuse_wanted = true;
	must_restart();
}

void freed_note(struct object *object)
{
	if (nr_freed == MAX_FREED)
		give_up("the bound on frees");
	freed[nr_freed++] = (struct freed){ object, *object, self };
	object->freed = true;
}

struct object *freed_again(size_t size, uintptr_t pc)
{
	if (!reuse_wanted || self == MAX_THREADS)
		return NULL;
	for (unsigned i = nr_freed; i; i--) {
		struct object *object = freed[i - 1].object;

		if (freed[i - 1].by != self || !object->freed || object->size != size)
			continue;
		if (!op_choose(2, 0, pc))
			return NULL;
		nr_reused++;
		return object;
	}
	return NULL;
}

void freed_undo(unsigned kept)
{
	while (nr_freed > kept) {
		nr_freed--;
		*freed[nr_freed].object = freed[nr_freed].was;
	}
	nr_reused = 0;
}
