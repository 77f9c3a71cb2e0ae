/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explore/frames.h"
#include "explore/parts_shared.h"
#include "explore/path.h"
#include "explore/processes.h"
#include "explore/progress.h"
#include "explore/saving.h"
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
		close(old->taken);
		munmap(old, size);
	}
	new = shared_memory(size);
	new->kept = memfd_create("nap-check", MFD_CLOEXEC);
	new->taken = memfd_create("nap-check", MFD_CLOEXEC);
	if (new->kept < 0 || new->taken < 0)
		fatal("no memory for the parts of a search");
	new->nr = new->nr_not_ended = 1;
	new->nr_free = search.processes - 1;
	new->saved = true;
	new->last_saved = seconds_now();
	mine = &new->part[0];
	cpu_before = search.begun_cpu;
	last_split = seconds_now();
	parts = new;
}

void parts_put(int file, const char *text, size_t size, size_t *end)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(file, text + done, size - done, (off_t)(*end + done));

		if (n <= 0)
			fatal("no memory for what a part has found");
		done += (size_t)n;
	}
	*end += size;
}

char *parts_get(int file, size_t size, size_t at)
{
	char *text = malloc(size + 1);

	if (!text || pread(file, text, size, (off_t)at) != (ssize_t)size)
		fatal("what a part has found is lost");
	text[size] = 0;
	return text;
}

/* ---- dividing */

struct part *new_part(struct part *after)
{
	struct part *new = &parts->part[parts->nr];

	new->next = after->next;
	after->next = parts->nr++;
	parts->nr_not_ended++;
	return new;
}

/*
 * Enters a part right after the caller's. NULL: no process is free, or the caller's part is void.
 */
static struct part *enter_part(void)
{
	struct part *new = NULL;

	parts_lock();
	if (parts->nr_free && parts->nr < MOST_PARTS && !mine->is_void) {
		new = new_part(mine);
		new->saved_in = mine->saved_in;
		parts->nr_free--;
	}
	parts_unlock();
	return new;
}

/* From here on @part is the caller's part. Nothing of it is run yet. */
static void part_begins(struct part *part)
{
	mine = part;
	cpu_before = cpu_seconds_now();
	result = (struct result){ 0 };
	path_new_count();
	search.part_begins();
}

/* No process could be started: the part remains, empty. */
static void forget_part(struct part *part)
{
	parts_lock();
	part->ended = true;
	parts->nr_not_ended--;
	parts_unlock();
}

/*
 * Starts a process: with @waits for a part that waits, else for half of the alternatives of the
 * caller's part.
 */
static void split(bool waits)
{
	struct part *new = enter_part();
	int pid = new ? process_start() : -1;

	last_split = seconds_now();
	if (pid < 0) {
		if (new)
			forget_part(new);
		return;
	}
	if (path_wanted)
		path_noted();
	if (pid) {
		if (!waits)
			frames_drop_oldest(nr_items / 2);
		return;
	}
	part_begins(new);
	if (waits)
		frames_drop_all();	/* its next part is the one that waits */
	else
		frames_keep_oldest(nr_items / 2);
}

bool parts_go_on(void)
{
	static unsigned nr;
	bool waits;

	if (search.saving) {
		saving_look();
		if (saving_has_ended())
			return false;
	}
	if (__atomic_load_n(&mine->is_void, __ATOMIC_RELAXED))
		return false;
	if (!(++nr % 64))
		process_look_around();
	/* Asked each time: a resumed search knows only from what was saved that it is ordered. */
	if (!__atomic_load_n(&parts->nr_free, __ATOMIC_RELAXED) || !parts_are_divided() ||
	    seconds_now() - last_split < search.grain)
		return true;
	waits = __atomic_load_n(&parts->nr_waiting, __ATOMIC_RELAXED);
	if (nr_items > 1 || waits)
		split(waits);
	return true;
}

/* ---- parts that an earlier process has saved */

static struct part *first_waiting(void)
{
	unsigned i = 0;

	do {
		if (parts->part[i].waits && !parts->part[i].is_void)
			return &parts->part[i];
		i = parts->part[i].next;
	} while (i);
	return NULL;
}

/*
 * Takes the path of the part @p, which no longer waits. If states are being saved, and that of @p
 * is missing, the path becomes its state.
 */
static char *take_path(struct part *p)
{
	char *path = parts_get(parts->kept, p->kept_size, p->kept_at);

	p->waits = false;
	parts->nr_waiting--;
	if (!parts->saved && p->saved_in != parts->saving) {
		p->saved_in = parts->saving;
		p->taken = (struct taken){ .in = parts->saving, .at = parts->taken_end,
					   .path_size = p->kept_size };
		parts_put(parts->taken, path, p->kept_size, &parts->taken_end);
	}
	p->kept_size = 0;
	return path;
}

bool parts_take_waiting(enum ran *ran, bool *first)
{
	struct part *p;
	char *path = NULL;

	if (search.saving)
		saving_look();
	parts_lock();
	p = mine->is_void || parts->why ? NULL : first_waiting();
	if (p) {
		part_is_over();
		path = take_path(p);
	}
	parts_unlock();
	if (!p)
		return false;
	part_begins(p);
	*ran = saving_go(path, first);
	part_begins(p);		/* drops what the runs on the way have counted */
	free(path);
	return true;
}
