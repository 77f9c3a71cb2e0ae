/* SPDX-License-Identifier: MIT */
/*
 *	brute MODEL SEED COUNT DIRECTORY	writes COUNT random litmus tests of the model, and
 *						their verdicts and final states in expected.csv
 *	brute --loops MODEL SEED COUNT DIRECTORY	the same, with a loop in each test, which
 *						goes back MAX_TURNS times at most
 *	brute --shapes MODEL DIRECTORY FILE...	the same, for the shapes in the files
 *	brute --random SEED COUNT		prints COUNT random shapes for nap-check
 *	brute --count [--may-stop=MASK] FILE...	prints what nap-check must find for the shapes in
 *						the files; threads in MASK may stop for ever at
 *						any place
 *	brute --expect FILE...			checks whether the shapes in the files have the
 *						verdicts that their comments expect
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "brute.h"

/*
 * The limit on candidates of a program; a program with more is left out, and another one is made.
 */
#define LIMIT 300000
/* The limit for programs that nap-check runs, too: nap-check visits each execution. */
#define SMALL 20000

const char *const model_names[MODELS] = {
	[SC] = "sc", [TSO] = "tso", [ARMV8] = "armv8", [RVWMO] = "rvwmo", [RC11] = "rc11",
	[C20] = "c20", [C11] = "c11", [LKMM] = "lkmm", [CHECK] = "nap-check",
	[CHECK_C20] = "nap-check's c20",
};

model_fn *const model_functions[MODELS] = {
	[SC] = brute_sc, [TSO] = brute_tso, [ARMV8] = brute_armv8, [RVWMO] = brute_rvwmo,
	[RC11] = brute_rc11, [C20] = brute_c20, [C11] = brute_c11, [LKMM] = brute_lkmm,
	[CHECK] = brute_check, [CHECK_C20] = brute_check_c20,
};

static FILE *create(const char *directory, const char *name, const char *suffix)
{
	char path[512];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s%s", directory, name, suffix) >= (int)sizeof(path)) {
		fprintf(stderr, "brute: %s: the name is too long\n", directory);
		exit(1);
	}
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(1);
	}
	return f;
}

/* Writes a test down: the text of @shape, or else the program. */
static void write_test(FILE *csv, const char *directory, const struct program *p, enum model model,
		       const struct states *states, const struct condition *condition,
		       const struct shape *shape)
{
	FILE *f = create(directory, p->name, ".litmus");

	if (shape) {
		fwrite(shape->begin, (size_t)(shape->question - shape->begin), 1, f);
		print_locations(f, p, states);
		fwrite(shape->question, (size_t)(shape->end - shape->question), 1, f);
	} else {
		print_program(f, p, states, condition);
	}
	fprintf(csv, "%s.litmus,%s,%s,", p->name, model_names[model], verdict(states, condition));
	states_print(csv, states, p);
	fputs("\n", csv);
	if (fclose(f) || ferror(csv)) {
		perror(directory);
		exit(1);
	}
}

static enum model model_named(const char *name)
{
	for (enum model m = SC; m < MODELS; m++)
		if (!strcmp(model_names[m], name))
			return m;
	fprintf(stderr, "brute: no model is called %s\n", name);
	exit(2);
}

/* Makes the next random program that is not too large, its final states and a question. */
static void make(struct program *p, struct states *states, struct condition *condition,
		 enum model model, unsigned long seed, unsigned long n, long limit, bool loop)
{
	struct random random = { seed * 1000003 + n * 7919 + (unsigned)model };

	do {
		generate(p, model, &random);
	} while ((loop && !add_loop(p, &random)) || !states_of(p, model, limit, states) ||
		 !states->n);
	condition_random(condition, states, &random);
}

static int random_tests(enum model model, unsigned long seed, unsigned long count,
			const char *directory, bool loops)
{
	FILE *csv = create(directory, "expected", ".csv");
	static struct states states;
	struct condition condition;
	struct program p;

	for (unsigned long n = 0; n < count; n++) {
		make(&p, &states, &condition, model, seed, n, LIMIT, loops);
		snprintf(p.name, sizeof(p.name), "%s-%lu-%lu", model_names[model], seed, n);
		write_test(csv, directory, &p, model, &states, &condition, NULL);
	}
	return fclose(csv) ? 1 : 0;
}

static int random_shapes(unsigned long seed, unsigned long count)
{
	static struct states states;
	struct condition condition;
	struct program p;

	for (unsigned long n = 0; n < count; n++) {
		make(&p, &states, &condition, CHECK, seed, n, SMALL, false);
		snprintf(p.name, sizeof(p.name), "r%lu", n + 1);
		print_c(stdout, &p);
		condition.quantifier = EXISTS;
		print_question(stdout, &p, &states, &condition);
	}
	return fflush(stdout) ? 1 : 0;
}

/* Shapes with a membarrier are left out, because nap-litmus has none. */
static int shape_tests(enum model model, const char *directory, int files, char **file)
{
	FILE *csv = create(directory, "expected", ".csv");
	static struct states states;
	static struct shape shape;

	for (int i = 0; i < files; i++) {
		char *text = file_text(file[i]);

		for (const char *at = text; read_shape(&at, &shape, C20);) {
			if (has_membarrier(&shape.program))
				continue;
			if (!states_of(&shape.program, model, LONG_MAX, &states))
				return 1;
			write_test(csv, directory, &shape.program, model, &states,
				   &shape.condition, &shape);
		}
		free(text);
	}
	return fclose(csv) ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *does = argc > 1 ? argv[1] : "";
	unsigned may_stop = 0;

	if (argc > 2 && !strcmp(does, "--expect"))
		return expect_shapes(argc - 2, argv + 2);
	if (argc > 2 && !strcmp(does, "--count")) {
		int first = sscanf(argv[2], "--may-stop=%u", &may_stop) == 1 ? 3 : 2;

		return count_shapes(argc - first, argv + first, may_stop);
	}
	if (argc == 4 && !strcmp(does, "--random"))
		return random_shapes(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
	if (argc > 4 && !strcmp(does, "--shapes"))
		return shape_tests(model_named(argv[2]), argv[3], argc - 4, argv + 4);
	if (argc == 6 && !strcmp(does, "--loops"))
		return random_tests(model_named(argv[2]), strtoul(argv[3], NULL, 10),
				    strtoul(argv[4], NULL, 10), argv[5], true);
	if (argc == 5)
		return random_tests(model_named(does), strtoul(argv[2], NULL, 10),
				    strtoul(argv[3], NULL, 10), argv[4], false);
	fputs("usage: brute sc|tso|armv8|rvwmo|rc11|c20|c11|lkmm SEED COUNT DIRECTORY\n"
	      "       brute --loops MODEL SEED COUNT DIRECTORY\n"
	      "       brute --shapes MODEL DIRECTORY FILE...\n"
	      "       brute --random SEED COUNT\n"
	      "       brute --count [--may-stop=MASK] FILE...\n"
	      "       brute --expect FILE...\n", stderr);
	return 2;
}
