/* SPDX-License-Identifier: MIT */
/*
 * Leaks: objects that nobody has freed and that nothing points to at the end. Pointers are looked
 * for in static storage, in the stacks and other memory of threads that are still there, and in
 * objects to which a pointer was found. Each word that could be a pointer counts as a pointer.
 */
#include "program/fault.h"
#include "program/heap.h"
#include "program/leaks.h"
#include "program/libc.h"
#include "program/memory.h"
#include "program/names.h"
#include "program/ops.h"
#include "program/pthreads.h"
#include "program/tls.h"

/* Objects that were reached, and whose words are yet to be searched. */
#define MAX_PENDING 4096
static struct object *pending[MAX_PENDING];
static unsigned nr_pending;

static void look_through(uintptr_t begin, uintptr_t end)
{
	for (begin = (begin + 7) & ~7ul; begin + 8 <= end; begin += 8) {
		struct object *object = heap_object(*(const uintptr_t *)begin);

		if (!object || object->reached || object->freed)
			continue;
		if (nr_pending == MAX_PENDING)
			give_up("the bound on objects that are looked at for leaks");
		object->reached = true;
		pending[nr_pending++] = object;
	}
}

static void forget(const struct object *object)
{
	((struct object *)object)->reached = false;
}

/* Reports a leak, unless setup has allocated the object: then it belongs to the scenario. */
static void complain(const struct object *object)
{
	char name[128];

	if (object->freed || object->reached || object->thread == MAX_THREADS)
		return;
	describe_address(object->begin, name, sizeof(name));
	fault_at(object->pc, 0, "leak: %zu bytes, %s, allocated by %s", object->size, name,
		 thread_name(object->thread));
}

static void from_setup(const struct object *object)
{
	if (object->thread == MAX_THREADS && !object->freed)
		look_through(object->begin, object->begin + object->size);
}

/*
 * Searches the stacks, thread-local variables and thread-specific data of the threads that are
 * there at the end of the program.
 */
static void from_threads(void)
{
	for (unsigned t = 0; t < nr_threads; t++) {
		bool has_ended = threads[t].state == T_ENDED;

		if (threads[t].state == T_ABSENT ||
		    (has_ended && !(program_ended && program_ended_by == t)))
			continue;
		tls_of(t, look_through);
		keys_of(t, look_through);
		if (!has_ended)
			look_through((uintptr_t)threads[t].sp, memory_stack(t));
	}
}

void find_leaks(void)
{
	heap_objects(forget);
	memory_data(look_through);
	from_threads();
	heap_objects(from_setup);
	while (nr_pending) {
		struct object *object = pending[--nr_pending];

		look_through(object->begin, object->begin + object->size);
	}
	heap_objects(complain);
}
