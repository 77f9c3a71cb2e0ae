/* SPDX-License-Identifier: MIT */
/*
 * Reads addr2line's output: an address, then the frames that were inlined there, innermost first:
 *
 *	0x0000000000004a10
 *	/where/nap/arch/aarch64/llsc/rmw.h:66
 *	/where/nap/src/ring.c:120 (discriminator 3)
 *
 * The place of an access is the innermost frame that is not in the atomics' own files.
 */
#include <stdlib.h>
#include <string.h>

#include "pairs/pairs.h"

static bool line_ends(const char *begin, const char *end, const char *what)
{
	size_t length = strlen(what);

	return (size_t)(end - begin) >= length && !memcmp(end - length, what, length);
}

static bool is_atomics(const char *begin, const char *end)
{
	const char *colon = end;

	while (colon > begin && *colon != ':')
		colon--;
	return line_ends(begin, colon, "/atomic.h") || line_ends(begin, colon, "/rmw.h");
}

/* Returns the path without the part before the folders of the project. */
static const char *shortened(const char *begin, const char *end)
{
	static const char *const folders[] = { "/src/", "/include/", "/arch/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		const char *at = memmem(begin, (size_t)(end - begin), folders[i],
					strlen(folders[i]));

		if (at)
			return at + 1;
	}
	return begin;
}

static int by_place(const void *a, const void *b)
{
	const struct insn *const *x = a, *const *y = b;

	return strcmp((*x)->place, (*y)->place);
}

/* Makes equal places equal pointers. */
static void share(struct program *program)
{
	struct insn **all = arena_alloc(program->test->arena, program->nr * sizeof(*all));
	unsigned nr = 0;

	for (unsigned i = 0; i < program->nr; i++)
		if (program->insn[i].place)
			all[nr++] = &program->insn[i];
	qsort(all, nr, sizeof(*all), by_place);
	for (unsigned i = 1; i < nr; i++)
		if (!strcmp(all[i]->place, all[i - 1]->place))
			all[i]->place = all[i - 1]->place;
}

void lines_read(struct program *program, struct text *lines)
{
	struct insn *insn = NULL;
	const char *end;

	for (const char *p = lines->begin; *p; p = end + (*end == '\n')) {
		const char *behind;

		end = p + strcspn(p, "\n");
		behind = memchr(p, ' ', (size_t)(end - p));
		if (!behind)
			behind = end;
		if (p[0] == '0' && p[1] == 'x') {
			insn = insn_at(program, strtoull(p, NULL, 16));
		} else if (insn && !insn->place) {
			if (is_atomics(p, behind)) {
				insn->atomic = true;
				continue;
			}
			p = shortened(p, behind);
			insn->place = arena_text(lines->arena, p, (size_t)(behind - p));
		}
	}
	share(program);
}
