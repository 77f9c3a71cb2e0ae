// SPDX-License-Identifier: MIT
/*
 * brute MODEL SEED COUNT DIRECTORY: writes COUNT random litmus tests of the model, and their
 * verdicts and final states in expected.csv. brute --self-test: what is known of well-known tests.
 */
#include <stdlib.h>
#include <string.h>

#include "brute.h"

/* Candidates of one program; what has more is left out, and another one taken. */
#define LIMIT 300000

const char *const model_names[MODELS] = {
	[SC] = "sc", [TSO] = "tso", [ARMV8] = "armv8", [RVWMO] = "rvwmo", [RC11] = "rc11",
	[C20] = "c20", [LKMM] = "lkmm",
};

model_fn *const model_functions[MODELS] = {
	[SC] = brute_sc, [TSO] = brute_tso, [ARMV8] = brute_armv8, [RVWMO] = brute_rvwmo,
	[RC11] = brute_rc11, [C20] = brute_c20, [LKMM] = brute_lkmm,
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

static void write_test(FILE *csv, const char *directory, const struct program *p,
		       const struct states *states, const struct condition *condition)
{
	FILE *f = create(directory, p->name, ".litmus");

	print_program(f, p, states, condition);
	fprintf(csv, "%s.litmus,%s,%s,", p->name, model_names[p->model],
		verdict(states, condition));
	states_print(csv, states, p);
	fputs("\n", csv);
	if (fclose(f) || ferror(csv)) {
		perror(directory);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static struct states states;
	unsigned long seed, count;
	enum model model = SC;
	FILE *csv;

	if (argc == 2 && !strcmp(argv[1], "--self-test"))
		return self_test();
	while (argc == 5 && model < MODELS && strcmp(argv[1], model_names[model]))
		model++;
	if (argc != 5 || model == MODELS) {
		fputs("usage: brute sc|tso|armv8|rvwmo|rc11|c20|lkmm SEED COUNT DIRECTORY\n"
		      "       brute --self-test\n", stderr);
		return 2;
	}
	seed = strtoul(argv[2], NULL, 10);
	count = strtoul(argv[3], NULL, 10);
	csv = create(argv[4], "expected", ".csv");
	for (unsigned long n = 0; n < count; n++) {
		struct random random = { seed * 1000003 + n * 7919 + (unsigned)model };
		struct condition condition;
		struct program p;

		do {
			generate(&p, model, &random);
		} while (!enumerate(&p, LIMIT, &states));
		snprintf(p.name, sizeof(p.name), "%s-%lu-%lu", model_names[model], seed, n);
		condition_random(&condition, &states, &random);
		write_test(csv, argv[4], &p, &states, &condition);
	}
	return fclose(csv) ? 1 : 0;
}
