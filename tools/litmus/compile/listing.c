/* SPDX-License-Identifier: MIT */
/*
 * Reads objdump's lines as a test:
 *
 *	0000000000000000 <P0>:
 *	   4:	b.ne	14 <P0+0x14>
 *
 * The addresses are the labels.
 */
#include <ctype.h>
#include <string.h>

#include "compile/compile.h"
#include "read/read.h"

/* Stops at "<P0+0x14>", "# comment" and "// comment", which objdump adds for people. */
const char *listing_end(const char *begin, const char *end)
{
	for (const char *p = begin; p < end; p++)
		if (*p == '<' || *p == '#' || (p + 1 < end && p[0] == '/' && p[1] == '/')) {
			if (*p == '#' && p > begin && (isdigit((unsigned char)p[1]) || p[1] == '-'))
				continue;	/* AArch64's immediates */
			end = p;
		}
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	return end;
}

static const char *after_label(const char *p, const char *end)
{
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	return p;
}

static int thread_of(const struct test *test, const char *name, const char *end)
{
	unsigned thread = 0;

	if (*name != 'P' || !isdigit((unsigned char)name[1]))
		return -1;
	for (const char *p = name + 1; p < end && isdigit((unsigned char)*p); p++)
		thread = 10 * thread + (unsigned)(*p - '0');
	return thread < test->nr_threads ? (int)thread : -1;
}

static void read_objdump_line(struct test *test, const struct isa *isa, int *thread,
			      const char *begin, const char *end)
{
	const char *word, *behind;

	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	behind = after_label(begin, end);
	word = memchr(begin, '<', (size_t)(end - begin));
	if (word && end[-1] == ':' && word[1] == '.')
		return;			/* a label that the compiler put inside a function */
	if (word && end[-1] == ':') {
		if (*thread >= 0)
			labels_resolve(test, (unsigned)*thread);
		*thread = thread_of(test, word + 1, end);
		return;
	}
	if (*thread < 0 || behind == begin || *behind != ':')
		return;
	label_here(test, (unsigned)*thread, begin, behind);
	begin = behind + 1;
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	end = listing_end(begin, end);
	if (end > begin)
		isa->instruction(test, (unsigned)*thread, begin, end);
}

void listing_read(struct test *test, const struct isa *isa, struct text *text)
{
	const char *end;
	int thread = -1;

	for (const char *p = text->begin; *p; p = end + (*end == '\n')) {
		end = p + strcspn(p, "\n");
		if (end > p)
			read_objdump_line(test, isa, &thread, p, end);
	}
	if (thread >= 0)
		labels_resolve(test, (unsigned)thread);
}
