/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/compile.h"
#include "read/read.h"

/* The registers in which an ABI passes the first arguments. */
static const char *const arguments_aarch64[] = { "X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7" };
static const char *const arguments_riscv[] = { "x10", "x11", "x12", "x13", "x14", "x15", "x16",
	"x17" };
static const char *const arguments_x86[] = { "rdi", "rsi", "rdx", "rcx", "r8", "r9" };

static const char *argument(struct test *test, const struct isa *isa, unsigned i, const char *at)
{
	unsigned nr = isa == &isa_x86 ? 6 : 8;

	if (i >= nr)
		text_fail(test->text, at,
			  "expected at most %u parameters, so that all are in registers", nr - 1);
	return isa == &isa_x86 ? arguments_x86[i] : isa == &isa_riscv ? arguments_riscv[i] :
		arguments_aarch64[i];
}

/* A directory for the files of a compilation. It is removed at the end. */
struct workshop {
	char directory[64], c[96], o[96], said[96], listing[96];
};

static void workshop_open(struct workshop *w, struct text *text)
{
	strcpy(w->directory, "/tmp/nap-litmus.XXXXXX");
	if (!mkdtemp(w->directory))
		text_fail(text, text->begin, "no directory can be made in /tmp");
	sprintf(w->c, "%s/test.c", w->directory);
	sprintf(w->o, "%s/test.o", w->directory);
	sprintf(w->said, "%s/said", w->directory);
	sprintf(w->listing, "%s/listing", w->directory);
}

static void workshop_close(struct workshop *w)
{
	unlink(w->c);
	unlink(w->o);
	unlink(w->said);
	unlink(w->listing);
	rmdir(w->directory);
}

static void fail_compiling(struct test *test, struct workshop *w, const char *tool)
{
	char line[300];

	text_first_error(w->said, line, sizeof(line));
	workshop_close(w);
	text_fail(test->text, test->text->begin, "%.60s does not take it: %s", tool, line);
}

static void run_tools(struct test *test, const struct target *target, const char *root,
		      struct workshop *w)
{
	char tool[2048], command[4096];

	target_command(target, root, tool, sizeof(tool));
	snprintf(command, sizeof(command), "%s -o %s %s 2>%s", tool, w->o, w->c, w->said);
	if (system(command))
		fail_compiling(test, w, target->name);
	target_objdump(target, tool, sizeof(tool));
	snprintf(command, sizeof(command), "%s %s >%s 2>%s", tool, w->o, w->listing, w->said);
	if (system(command))
		fail_compiling(test, w, "objdump");
}

/* Returns the listing, in the test's arena. */
static struct text *make_listing(struct test *test, const struct target *target, const char *root,
				 const struct function *function, unsigned nr)
{
	struct text *listing = arena_alloc(test->arena, sizeof(*listing));
	struct workshop w;
	char name[200];
	FILE *c;

	workshop_open(&w, test->text);
	c = fopen(w.c, "we");
	if (!c)
		text_fail(test->text, test->text->begin, "%s cannot be written", w.c);
	emit_c(c, test, function, nr, target->nap);
	fclose(c);
	run_tools(test, target, root, &w);
	if (!text_load(listing, w.listing, test->arena))
		fail_compiling(test, &w, "objdump");
	snprintf(name, sizeof(name), "%.100s as %s", test->text->name, target->name);
	listing->name = arena_text(test->arena, name, strlen(name));
	workshop_close(&w);
	return listing;
}

static void set_argument(struct test *made, unsigned thread, const char *name, uint64_t value)
{
	unsigned reg = test_register(made, thread, name);

	made->thread[thread].reg[reg].initial = value;
}

static void pass_locations(struct test *test, struct test *made, const struct isa *isa,
			   const struct function *function)
{
	for (unsigned i = 0; i < function->nr_parameters; i++) {
		const struct span *name = &function->parameter[i];
		char *word = arena_text(test->arena, name->begin,
					(size_t)(name->end - name->begin));
		int location = test_find_location(test, word);

		if (location < 0) {
			char element[80];

			snprintf(element, sizeof(element), "%.60s[0]", word);
			location = test_find_location(test, element);
		}
		if (location < 0)
			text_fail(test->text, name->begin, "expected a location's name");
		set_argument(made, function->thread, argument(test, isa, i, name->begin),
			     test->location[location].address);
	}
}

/*
 * Makes locations, side by side, of the registers that states show. One more argument points to
 * these locations.
 */
static void pass_registers(struct test *test, struct test *made, const struct isa *isa,
			   const struct function *function)
{
	unsigned first = made->nr_locations, slot = 0;
	char name[96];

	for (unsigned i = 0; i < test->nr_observed; i++) {
		const struct observed *what = &test->observed[i];
		struct location *location;

		if (what->thread != (int)function->thread)
			continue;
		snprintf(name, sizeof(name), "%d:%.60s", what->thread,
			 test->thread[what->thread].reg[what->number].name);
		location = &made->location[test_location(made, name, 8)];
		location->address = made->location[first].address + 8 * slot++;
		location->thread = what->thread;
		made->observed[i] = (struct observed) {
			.thread = -1, .number = (unsigned)(location - made->location),
		};
	}
	if (slot)
		set_argument(made, function->thread, argument(test, isa, function->nr_parameters,
							      function->body.begin),
			     made->location[first].address);
}

/* Returns the first use of RCU or a lock, which are the kernel's code, not the test's. */
static const struct instruction *code_of_kernel(const struct test *test)
{
	uint64_t tags = TAGS_RCU | BIT(TAG_LOCK) | BIT(TAG_UNLOCK) | BIT(TAG_AFTER_SPINLOCK) |
		BIT(TAG_AFTER_UNLOCK_LOCK);

	for (unsigned t = 0; t < test->nr_threads; t++)
		for (unsigned i = 0; i < test->thread[t].nr; i++) {
			const struct instruction *one = &test->thread[t].code[i];

			if ((one->read_tags | one->write_tags) & tags)
				return one;
		}
	return NULL;
}

bool is_compilable(const struct test *test)
{
	return test_is_c(test) && !code_of_kernel(test);
}

static void refuse_code_of_kernel(struct test *test)
{
	const struct instruction *one = code_of_kernel(test);

	if (one && ((one->read_tags | one->write_tags) & TAGS_RCU))
		text_fail(test->text, one->at,
			  "expected a test without RCU, which is the kernel's own code, "
			  "to compile");
	if (one)
		text_fail(test->text, one->at,
			  "expected a test without locks, which are the kernel's own code, "
			  "to compile");
}

struct test *compile(struct test *test, const struct target *target, const char *root)
{
	struct function function[TEST_THREADS];
	unsigned nr = functions_find(test, function);
	struct test *made = arena_alloc(test->arena, sizeof(*made));
	struct text *listing;

	refuse_code_of_kernel(test);
	listing = make_listing(test, target, root, function, nr);
	*made = *test;
	made->text = listing;
	made->dialect = target->isa->dialect;
	made->isa = target->isa;
	memset(made->thread, 0, sizeof(made->thread));
	for (unsigned i = 0; i < nr; i++) {
		pass_locations(test, made, target->isa, &function[i]);
		pass_registers(test, made, target->isa, &function[i]);
	}
	listing_read(made, target->isa, listing);
	return made;
}

const char *listing_of(struct test *compiled)
{
	return compiled->text->begin;
}
