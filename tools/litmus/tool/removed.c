/* SPDX-License-Identifier: MIT */
/*
 * Lists the dependencies that a thread has on any of its paths: of the thread as written, and as
 * compiled. A dependency of the written thread is found in the compiled one by its kind, and by the
 * kinds and locations of its two accesses, because compiled instructions have no lines of the
 * source.
 */
#include <string.h>

#include "path/path.h"
#include "tool/removed.h"

enum kind { ADDRESS, DATA, CONTROL, KINDS };

/* A dependency of an access on a read. */
struct link {
	enum kind kind;
	const struct path_event *from, *to;
};

#define LINKS 512

struct links {
	unsigned nr;
	struct link link[LINKS];
	/* the most accesses of a path: by read or write, and location */
	unsigned accesses[2][TEST_LOCATIONS];
	const struct path_event *last[2][TEST_LOCATIONS];	/* an access there */
};

static bool same_access(const struct path_event *a, const struct path_event *b)
{
	return a->kind == b->kind && a->location == b->location;
}

static bool has_link(const struct links *links, const struct link *link)
{
	for (unsigned i = 0; i < links->nr; i++) {
		const struct link *one = &links->link[i];

		if (one->kind == link->kind && same_access(one->from, link->from) &&
		    same_access(one->to, link->to))
			return true;
	}
	return false;
}

static void add_links(struct links *links, const struct path *path, unsigned to, enum kind kind,
		      uint64_t reads)
{
	for (; reads; reads &= reads - 1) {
		unsigned from = (unsigned)__builtin_ctzll(reads);
		struct link link = { kind, &path->event[from], &path->event[to] };

		if (from < to && path->event[to].rmw != (int)from && links->nr < LINKS &&
		    path->event[from].kind == EVENT_READ && !has_link(links, &link))
			links->link[links->nr++] = link;
	}
}

static void add_path(struct links *links, const struct path *path)
{
	unsigned nr[2][TEST_LOCATIONS] = { 0 };

	for (unsigned i = 0; i < path->nr; i++) {
		const struct path_event *e = &path->event[i];
		unsigned write = e->kind == EVENT_WRITE;

		if (e->kind == EVENT_FENCE || (e->parts > 1 && e->first != i))
			continue;
		if (++nr[write][e->location] > links->accesses[write][e->location]) {
			links->accesses[write][e->location]++;
			links->last[write][e->location] = e;
		}
		add_links(links, path, i, ADDRESS, e->addr);
		add_links(links, path, i, DATA, write ? e->data : 0);
		/* a branch orders no later read */
		add_links(links, path, i, CONTROL, write ? e->ctrl : 0);
	}
}

static struct links *links_of(struct test *test, unsigned thread, unsigned unroll)
{
	struct links *links = arena_alloc(test->arena, sizeof(*links));
	struct turns turns = { .unroll = unroll, .all = true };
	struct paths paths;

	if (!test->nr_cells)
		test_cells(test);
	paths = paths_of(test, thread, &turns);

	for (const struct path *path = paths.first; path; path = path->next)
		add_path(links, path);
	return links;
}

static void add_removed(struct removed *removed, unsigned *nr, const char *what,
			const struct path_event *from, const struct path_event *to)
{
	if (*nr < REMOVED_MOST && from->from && (!to || to->from))
		removed[(*nr)++] = (struct removed) {
			.what = what, .from = from->from->at, .to = to ? to->from->at : NULL,
		};
}

static void compare_threads(const struct links *written, const struct links *compiled,
			    struct removed *removed, unsigned *nr)
{
	static const char *const names[KINDS] = {
		"the address dependency", "the data dependency", "the control dependency",
	};

	for (unsigned i = 0; i < written->nr; i++)
		if (!has_link(compiled, &written->link[i]))
			add_removed(removed, nr, names[written->link[i].kind],
				    written->link[i].from, written->link[i].to);
	for (unsigned location = 0; location < TEST_LOCATIONS; location++)
		for (unsigned write = 0; write < 2; write++)
			if (written->accesses[write][location] >
			    compiled->accesses[write][location])
				add_removed(removed, nr, write ? "a write" : "a read",
					    written->last[write][location], NULL);
}

unsigned removed_of(struct test *written, struct test *compiled, unsigned unroll,
		    struct removed *removed)
{
	unsigned nr = 0;

	for (unsigned thread = 0; thread < written->nr_threads; thread++)
		compare_threads(links_of(written, thread, unroll),
				links_of(compiled, thread, unroll), removed, &nr);
	return nr;
}
