/* SPDX-License-Identifier: MIT */
/* What is saved of a search: taking the states of its parts, and putting them together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/frames.h"
#include "explore/parts_shared.h"
#include "explore/path.h"
#include "explore/processes.h"
#include "explore/progress.h"
#include "explore/saving.h"

bool saving_counted;

/* ---- a part's own state */

static void write_path(FILE *out)
{
	if (saving_counted && !nr_items)
		return;
	path_write(out, saving_counted);
	if (saving_counted && search.saving->states())
		fprintf(out, "states %lx\n", search.saving->states());
}

/* Under the lock. */
static void take_state(void)
{
	struct taken *taken = &mine->taken;
	size_t all;
	char *text = NULL;
	FILE *out = open_memstream(&text, &all);

	search.part_ends(out);
	fflush_unlocked(out);
	*taken = (struct taken){
		.in = parts->saving, .result = result, .at = parts->taken_end, .found_size = all,
		.is_last = mine->ends_search && result.why != parts->why,
	};
	write_path(out);
	fclose(out);
	taken->path_size = all - taken->found_size;
	parts_put(parts->taken, text, all, &parts->taken_end);
	free(text);
	mine->saved_in = parts->saving;
}

/*
 * Whether no state is missing: each part has ended, or still waits for a process, or its state is
 * taken.
 */
static bool all_are_taken(void)
{
	unsigned i = 0;

	do {
		const struct part *p = &parts->part[i];

		if (!p->ended && !p->waits && p->saved_in != parts->saving)
			return false;
		i = p->next;
	} while (i);
	return true;
}

/* ---- all of it, in the order of the parts */

/* What is done, up to the next path. */
struct done {
	struct result result;
	bool any;
};

static void add_done(struct done *done, const struct result *r, char *found, size_t size)
{
	FILE *in = size ? fmemopen(found, size, "r") : NULL;

	done->result.executions += r->executions;
	done->result.blocked += r->blocked;
	done->result.faulty += r->faulty;
	done->any = true;
	if (in) {
		search.part_joins(in);
		fclose(in);
	}
}

static void write_done(FILE *out, struct done *done)
{
	char *text = NULL;
	size_t size;
	FILE *found;

	if (!done->any)
		return;
	found = open_memstream(&text, &size);
	search.part_ends(found);
	fclose(found);
	fprintf(out, "done %lu %lu %lu %zu\n", done->result.executions, done->result.blocked,
		done->result.faulty, size);
	fwrite(text, 1, size, out);
	free(text);
	*done = (struct done){ 0 };
	search.part_begins();
}

/* Writes what a part has left, and adds what it has done. Returns whether no later part counts. */
static bool write_part(FILE *out, const struct part *p, struct done *done)
{
	const struct taken *taken = &p->taken;
	char *text;

	if (taken->in == parts->saving) {
		text = parts_get(parts->taken, taken->found_size + taken->path_size, taken->at);
		add_done(done, &taken->result, text, taken->found_size);
		if (taken->path_size) {
			write_done(out, done);
			fwrite(text + taken->found_size, 1, taken->path_size, out);
		}
		free(text);
		return taken->is_last;
	}
	if (p->saved_in == parts->saving)	/* began later: another part's state has its work */
		return false;
	if (!p->waits && (!p->ended || p->is_void))
		return false;
	text = parts_get(parts->kept, p->kept_size, p->kept_at);
	if (p->waits) {
		write_done(out, done);
		fwrite(text, 1, p->kept_size, out);
	} else {
		add_done(done, &p->result, text, p->kept_size);
	}
	free(text);
	return false;
}

/* Writes what is known, then @text, the parts. All their findings are together by then. */
static void write_known(char **all, size_t *all_size, const char *text, size_t size)
{
	char *known = NULL;
	size_t known_size;
	FILE *out = open_memstream(&known, &known_size);

	search.saving->knowledge_write(out);
	fclose(out);
	out = open_memstream(all, all_size);
	fprintf(out, "seconds %.17g\nknown %zu\n",
		seconds_now() - search.begun + search.seconds_before, known_size);
	fwrite(known, 1, known_size, out);
	fwrite(text, 1, size, out);
	fclose(out);
	free(known);
}

static void keep_all(void)
{
	struct done done = { 0 };
	char *text = NULL, *all = NULL;
	size_t size, all_size;
	FILE *out = open_memstream(&text, &size);
	unsigned i = 0;

	search.part_begins();
	do {
		if (write_part(out, &parts->part[i], &done))
			break;
		i = parts->part[i].next;
	} while (i);
	write_done(out, &done);
	fclose(out);
	write_known(&all, &all_size, text, size);
	search.saving->keep(all, all_size);
	free(text);
	free(all);
}

/* ---- when */

/*
 * A child process writes, because the findings of all parts are put together in memory, in the
 * place where this part has its own findings.
 */
static void write_apart(void)
{
	pid_t pid;

	process_look_around();	/* if all were killed, another run may have the file by now */
	pid = fork();
	if (!pid) {
		keep_all();
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	parts_lock();
	parts->saved = true;
	parts->last_saved = seconds_now();
	parts_unlock();
}

/* Asks all parts for their states, if the states before have been written. Under the lock. */
static bool ask(const char *why)
{
	if (!parts->saved || parts->why || parts->learns)
		return false;
	parts->saved = false;
	parts->saving++;
	parts->why = why;
	parts->taken_end = 0;
	return !ftruncate(parts->taken, 0);
}

/* Takes the part's state, if it is asked for. The last part to do so writes the states of all. */
static void look(void)
{
	bool complete = false;

	parts_lock();
	if (!parts->saved && !parts->learns && mine->saved_in != parts->saving) {
		take_state();
		complete = !parts->why && all_are_taken();
	}
	parts_unlock();
	if (complete)
		write_apart();
}

void saving_look(void)
{
	if (process_interrupted())
		saving_ends(SIGNALLED);
	if (parts->saved && !parts->why &&
	    seconds_now() - parts->last_saved >= search.saving->interval) {
		parts_lock();
		ask(NULL);
		parts_unlock();
	}
	if (!parts->saved)
		look();
}

void saving_ends(const char *why)
{
	for (;;) {
		parts_lock();
		ask(why);
		parts_unlock();
		if (parts->why || parts->learns)
			break;
		look();
		usleep(500);
	}
	saving_has_ended();
}

bool saving_has_ended(void)
{
	if (parts->why)
		search_undecided(parts->why);
	return parts->why;
}

void saving_learns(void)
{
	parts_lock();
	parts->learns = true;
	parts_unlock();
}

bool saving_keep_last(void)
{
	bool open = result.why && result.why == parts->why;

	if (open)
		keep_all();
	return open;
}
