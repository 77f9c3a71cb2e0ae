/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explore/frames.h"
#include "explore/parts_shared.h"
#include "explore/processes.h"
#include "explore/progress.h"
#include "graph/fatal.h"

struct parts *parts;
struct part *mine;
double cpu_before;
static double last_split;

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

		parts = NULL;	/* before the unmapping, because the timer's handler reads it */
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

/* ---- dividing */

/* Enters a part right after this one. NULL: no process is free, or this part is void. */
static struct part *enter_part(void)
{
	struct part *new = NULL;

	parts_lock();
	if (parts->nr_free && parts->nr < MOST_PARTS && !mine->is_void) {
		new = &parts->part[parts->nr];
		new->next = mine->next;
		mine->next = parts->nr++;
		parts->nr_not_ended++;
		parts->nr_free--;
	}
	parts_unlock();
	return new;
}

/* No process could be started: the part remains, empty. */
static void forget_part(struct part *part)
{
	parts_lock();
	part->ended = true;
	parts->nr_not_ended--;
	parts_unlock();
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
	if (progress_wanted)
		progress_divide(true);	/* the shares come first, and then the notes */
	if (pid) {
		frames_drop_oldest(nr_items / 2);
		return;
	}
	mine = new;
	cpu_before = cpu_seconds_now();
	frames_keep_oldest(nr_items / 2);
	result = (struct result){ 0 };
	progress_share = 0;
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

	parts_lock();
	parts->nr_free++;
	parts_unlock();
	do {
		usleep(500);
		process_look_around();
		parts_lock();
		counts = !mine->is_void;
		make_void_behind(mine);	/* again, because others may have been started since */
		alone = is_first_left() && parts->nr_not_ended == 1;
		parts_unlock();
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
	parts_lock();
	mine->result = result;
	mine->share = progress_share;
	mine->cpu_seconds = cpu_seconds_now() - cpu_before;
	if (!mine->is_void)
		keep();
	mine->ended = true;
	goes_on = !--parts->nr_not_ended;
	parts->nr_free += !waits;
	parts_unlock();
	if (!goes_on)
		process_leaves();
	process_goes_on();
	if (ran != RAN_ANEW || !mine->ends_search)
		join();
	return ran;
}
