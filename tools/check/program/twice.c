/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fatal.h"
#include "program/fault.h"
#include "program/heap.h"
#include "program/memory.h"
#include "program/names.h"
#include "program/ops.h"
#include "program/tls.h"
#include "program/turns.h"
#include "program/twice.h"

bool twice_wanted;

/* A piece of memory at one moment. @of: the thread, if the piece is thread-local variables. */
struct piece {
	uintptr_t begin;
	size_t size;
	unsigned of;
	char *copy;
};

#define NOT_LOCAL	MAX_THREADS
#define MAX_PIECES	8192

static struct memory {
	struct piece piece[MAX_PIECES];
	unsigned nr;
} first, one;

/* What is being compared, and where the next piece is kept, or looked up. */
static struct memory *against;
static unsigned next, thread;
static bool keeps;
static char differs[256];

static void describe(const struct piece *was, size_t i, const char *now)
{
	char name[128];

	if (was->of == NOT_LOCAL)
		describe_address(was->begin + i, name, sizeof(name));
	else
		snprintf(name, sizeof(name), "%s's thread-local variables+%#zx",
			 thread_name(was->of), i);
	snprintf(differs, sizeof(differs),
		 "the program does not repeat itself: the byte at %s was 0x%02x, and is 0x%02x",
		 name, (unsigned)(uint8_t)was->copy[i], (unsigned)(uint8_t)now[i]);
}

static void visit(uintptr_t begin, uintptr_t end, unsigned of)
{
	struct piece *p = &against->piece[next++];
	const char *now = (const char *)begin;

	if (next > MAX_PIECES)
		fatal("too many pieces of memory to compare");
	if (keeps) {
		p->begin = begin;
		p->of = of;
		p->size = end - begin;
		p->copy = memcpy(realloc(p->copy, p->size + 1), now, p->size);
		against->nr = next;
		return;
	}
	if (*differs)
		return;
	if (next > against->nr || p->begin != begin || p->size != end - begin) {
		snprintf(differs, sizeof(differs),
			 "the program does not repeat itself: other memory than before");
		return;
	}
	for (size_t i = 0; i < p->size; i++)
		if (p->copy[i] != now[i]) {
			describe(p, i, now);
			return;
		}
}

static void visit_memory(uintptr_t begin, uintptr_t end)
{
	visit(begin, end, NOT_LOCAL);
}

static void visit_local(uintptr_t begin, uintptr_t end)
{
	visit(begin, end, thread);
}

static void visit_object(const struct object *object)
{
	visit_memory(object->begin, object->begin + object->size);
}

/* Visits the used part of a stack: the frames of functions that have not ended. */
static void visit_stack(unsigned number)
{
	uintptr_t top = memory_stack(number), from = threads[number].frames;

	if (threads[number].state != T_ABSENT && threads[number].state != T_ENDED && from < top &&
	    top - from <= STACK_SIZE)
		visit_memory(from, top);
}

static void walk(struct memory *memory, bool keep)
{
	against = memory;
	keeps = keep;
	next = 0;
	*differs = '\0';
	memory_data(visit_memory);
	heap_objects(visit_object);
	for (thread = 0; thread < nr_threads; thread++) {
		visit_stack(thread);
		if (tls_is_copied)
			tls_of(thread, visit_local);
	}
	if (!keep && !*differs && next != memory->nr)
		snprintf(differs, sizeof(differs),
			 "the program does not repeat itself: less memory than before");
}

static bool is_same(struct memory *memory)
{
	walk(memory, false);
	if (*differs)
		search_undecided(differs);
	return !*differs;
}

void twice_clear(void)
{
	first.nr = 0;
}

/* Whether nothing is left in a thread's stack from what it was used for before. */
static bool stack_is_empty(unsigned number)
{
	const char *at = (const char *)memory_opened_stack(number);
	const char *sp = threads[number].sp;

	while (at < sp && !*at)
		at++;
	if (at == sp)
		return true;
	snprintf(differs, sizeof(differs),
		 "the program does not repeat itself: %s begins with a used stack",
		 thread_name(number));
	search_undecided(differs);
	return false;
}

bool twice_begins(void)
{
	if (!twice_wanted)
		return true;
	for (unsigned t = 0; turns_by_state && t < nr_threads; t++)
		if (!stack_is_empty(t))
			return false;
	if (first.nr)
		return is_same(&first);
	walk(&first, true);
	return true;
}

void twice_keep(void)
{
	if (twice_wanted)
		walk(&one, true);
}

void twice_compare(void)
{
	if (!twice_wanted || fault.found || result.why)
		return;
	run_recorded();
	is_same(&one);
}
