/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explore/frames.h"
#include "explore/parts.h"
#include "explore/processes.h"
#include "graph/fatal.h"

#define MOST_PARTS 65536

struct part {
	unsigned next;			/* in the order of the parts; 0: none */
	bool ended, is_void;		/* void: a part before it ends the search */
	bool ends_search;
	struct result result;
	double cpu_seconds;
	size_t kept_at, kept_size;	/* what search.part_ends() has written, in the file @kept */
};

static struct parts {
	bool locked;
	unsigned nr, nr_not_ended, nr_free;	/* free: processes that may be started */
	int kept;
	size_t kept_end;
	struct part part[MOST_PARTS];
} *parts;

static struct part *mine;
static double cpu_before;	/* of this process, before its part began */
static double last_split;

static void lock(void)
{
	while (__atomic_exchange_n(&parts->locked, true, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(void)
{
	__atomic_store_n(&parts->locked, false, __ATOMIC_RELEASE);
}

bool parts_are_in_use(void)
{
	return parts;
}

void parts_begin(void)
{
	size_t size = sizeof(*parts);
	struct parts *new;

	if (parts) {
		struct parts *old = parts;

		parts = NULL;	/* which the timer looks at */
		close(old->kept);
		munmap(old, size);
	}
	new = shared_memory(size);
	new->kept = memfd_create("nap-check", MFD_CLOEXEC);
	if (new->kept < 0)
		fatal("no memory for the parts of a search");
	new->nr = new->nr_not_ended = 1;
	new->nr_free = search.processes - 1;
	mine = &new->part[0];
	cpu_before = search.begun_cpu;
	last_split = seconds_now();
	parts = new;
}

/* ---- what all parts have done */

double parts_cpu_seconds(void)
{
	double sum = 0;

	mine->cpu_seconds = cpu_seconds_now() - cpu_before;
	for (unsigned i = 0; i < parts->nr; i++)
		sum += parts->part[i].cpu_seconds;
	return sum;
}

unsigned long parts_number_run(void)
{
	unsigned long sum = 0;

	mine->result = result;
	for (unsigned i = 0; i < parts->nr; i++) {
		const struct result *r = &parts->part[i].result;

		sum += r->executions + r->blocked + r->faulty;
	}
	return sum;
}

/* ---- dividing */

/* Enters a part as the next one of this one. NULL: no process is free, or this part is void. */
static struct part *enter_part(void)
{
	struct part *new = NULL;

	lock();
	if (parts->nr_free && parts->nr < MOST_PARTS && !mine->is_void) {
		new = &parts->part[parts->nr];
		new->next = mine->next;
		mine->next = parts->nr++;
		parts->nr_not_ended++;
		parts->nr_free--;
	}
	unlock();
	return new;
}

/* No process could be started: the part remains, empty. */
static void forget_part(struct part *part)
{
	lock();
	part->ended = true;
	parts->nr_not_ended--;
	unlock();
}

static void split(unsigned nr_items)
{
	struct part *new = enter_part();
	int pid = new ? process_start() : -1;

	last_split = seconds_now();
	if (pid < 0) {
		if (new)
			forget_part(new);
		return;
	}
	if (pid) {
		frames_drop_oldest(nr_items / 2);
		return;
	}
	mine = new;
	cpu_before = cpu_seconds_now();
	frames_keep_oldest(nr_items / 2);
	result = (struct result){ 0 };
	search.part_begins();
}

bool parts_go_on(void)
{
	static unsigned nr;
	unsigned items;

	if (__atomic_load_n(&mine->is_void, __ATOMIC_RELAXED))
		return false;
	if (!(++nr % 1024))
		process_look_around();
	if (!__atomic_load_n(&parts->nr_free, __ATOMIC_RELAXED) || seconds_now() - last_split < search.grain)
		return true;
	items = frames_count_items();
	if (items > 1)
		split(items);
	return true;
}

/* ---- the end */

/* Keeps what the part has found, for the process that goes on. */
static void keep(void)
{
	char *text = NULL;
	size_t size, done = 0;
	FILE *out = open_memstream(&text, &size);

	search.part_ends(out);
	fclose(out);
	mine->kept_at = parts->kept_end;
	mine->kept_size = size;
	while (done < size) {
		ssize_t n = pwrite(parts->kept, text + done, size - done, (off_t)(parts->kept_end + done));

		if (n <= 0)
			fatal("no memory for what a part has found");
		done += (size_t)n;
	}
	parts->kept_end += size;
	free(text);
}

/* Whether every part before this one has ended. */
static bool is_first_left(void)
{
	const struct part *p = &parts->part[0];

	while (p != mine && p->ended)
		p = &parts->part[p->next];
	return p == mine;
}

static void make_void_behind(const struct part *p)
{
	for (unsigned i = p->next; i; i = parts->part[i].next)
		parts->part[i].is_void = true;
}

/* Waits until it is known whether this part, which ends the search, counts; and until it is alone. */
static bool wait_for_others(void)
{
	bool counts, alone;

	lock();
	parts->nr_free++;
	unlock();
	do {
		usleep(500);
		process_look_around();
		lock();
		counts = !mine->is_void;
		make_void_behind(mine);	/* also those that have been started since */
		alone = is_first_left() && parts->nr_not_ended == 1;
		unlock();
	} while (counts && !alone);
	return counts;
}

/* Adds up the parts up to the one that ends the search, in their order. */
static void join(void)
{
	struct result sum = result;

	sum.executions = sum.blocked = sum.faulty = 0;
	search.part_begins();
	for (unsigned i = 0;; i = parts->part[i].next) {
		const struct part *p = &parts->part[i];
		char *text = malloc(p->kept_size + 1);
		FILE *in;

		sum.executions += p->result.executions;
		sum.blocked += p->result.blocked;
		sum.faulty += p->result.faulty;
		if (p->kept_size) {
			if (pread(parts->kept, text, p->kept_size, (off_t)p->kept_at) != (ssize_t)p->kept_size)
				fatal("what a part has found is lost");
			in = fmemopen(text, p->kept_size, "r");
			search.part_joins(in);
			fclose(in);
		}
		free(text);
		if (p->ends_search || !p->next)
			break;
	}
	result = sum;
}

enum ran parts_end(enum ran ran)
{
	bool goes_on, waits;

	mine->ends_search = !mine->is_void && (ran == RAN_ANEW || ran == RAN_UNDECIDED || result.why ||
					       (ran == RAN_INTO_FAULT && !search.faulty));
	waits = mine->ends_search;
	if (waits)
		mine->ends_search = wait_for_others();
	lock();
	mine->result = result;
	mine->cpu_seconds = cpu_seconds_now() - cpu_before;
	if (!mine->is_void)
		keep();
	mine->ended = true;
	goes_on = !--parts->nr_not_ended;
	parts->nr_free += !waits;
	unlock();
	if (!goes_on)
		process_leaves();
	process_goes_on();
	if (ran != RAN_ANEW || !mine->ends_search)
		join();
	return ran;
}
