/* SPDX-License-Identifier: MIT */
/*
 * The reference for nap-check: for each shape and each model of nap-check, how many execution
 * graphs the model allows, and whether one of them ends as the shape asks. KTAP, a line "SHAPE
 * MODEL VERDICT COUNT" for each. expect_shapes() judges by all models that a shape names.
 *
 * A line is "not ok" if its verdict is not that of the shape's "Expect:". Two more kinds of lines
 * say whether the number of executions is the published one, and whether a model allows every graph
 * of a stronger model: TSO every graph of SC; RC11 and C11 every graph of TSO, because the mapping
 * to x86 is sound; RC11 every graph of C20's text, which forbids some graphs of TSO (LWG 3941).
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "brute.h"

enum { NR_MODELS = 5, NR_MACHINES = 2 };

static const struct {
	const char *name;
	enum model model;
} checked[NR_MODELS] = {
	{ "sc", SC }, { "tso", TSO }, { "rc11", CHECK }, { "c11", C11 }, { "c20", CHECK_C20 },
};

struct tally {
	const struct condition *condition;
	unsigned long count[NR_MODELS];
	bool allowed[NR_MODELS];
	/* graphs that a stronger model allows and a weaker one does not */
	unsigned long outside;
};

static unsigned long nr, failed;

static void result(bool ok, const char *shape, const char *what, const char *how, unsigned long n)
{
	failed += !ok;
	printf("%sok %lu %s %s %s", ok ? "" : "not ", ++nr, shape, what, how);
	printf(*how ? " %lu\n" : "\n", n);
}

static bool judge(void *to, const struct exec *x, const signed char *val, unsigned weight)
{
	struct tally *tally = to;
	bool stronger = false, rc11 = false;

	for (int m = 0; m < NR_MODELS; m++) {
		bool allows = model_functions[checked[m].model](x);

		tally->outside += checked[m].model == CHECK_C20 ? allows && !rc11 :
								  stronger && !allows;
		stronger = m < NR_MACHINES ? allows : stronger;
		rc11 |= allows && checked[m].model == CHECK;
		tally->count[m] += allows ? weight : 0;
		tally->allowed[m] |= allows && condition_holds(tally->condition, val);
	}
	return true;
}

/* Returns what follows @word in the shape's text, or NULL. */
static const char *said(const struct shape *shape, const char *word)
{
	const char *at = strstr(shape->begin, word);

	return at && at < shape->end ? at + strlen(word) : NULL;
}

/*
 * Whether @allowed is what the shape expects of model @m. A shape on which the two kinds of release
 * sequences differ says "nap-check Sometimes". A shape need not name C11. What a shape says of C20
 * is for C20 with load buffering, so CHECK_C20 may forbid more.
 */
static bool is_expected(const struct shape *shape, int m, bool allowed)
{
	const char *at = checked[m].model == CHECK ? said(shape, "nap-check ") : NULL;
	char word[16];

	snprintf(word, sizeof(word), " %s ", checked[m].name);
	at = at ? at : said(shape, word);
	if (checked[m].model == CHECK_C20)
		return !at || *at == 'S' || !allowed;
	if (!at && checked[m].model == C11)
		return true;
	if (!at) {
		fprintf(stderr, "brute: %s: not said what to expect\n", shape->program.name);
		exit(2);
	}
	return allowed == (*at == 'S');
}

static void report(const struct shape *shape, const struct tally *tally)
{
	const char *name = shape->program.name, *at = said(shape, ": ");
	unsigned long rc11, sc;

	for (int m = 0; m < NR_MODELS; m++)
		result(!said(shape, "Expect:") || is_expected(shape, m, tally->allowed[m]), name,
		       checked[m].name, tally->allowed[m] ? "allowed" : "forbidden",
		       tally->count[m]);
	if (at && sscanf(at, "%lu executions, %lu under sc", &rc11, &sc) == 2) {
		result(tally->count[2] == rc11, name, "rc11", "published", rc11);
		result(tally->count[0] == sc, name, "sc", "published", sc);
	}
}

static void count(struct shape *shape, unsigned may_stop)
{
	struct tally tally = { .condition = &shape->condition };

	shape->program.may_stop = may_stop;
	if (!enumerate(&shape->program, 1L << 40, &shape->keys, judge, &tally)) {
		fprintf(stderr, "brute: %s is too large\n", shape->program.name);
		exit(2);
	}
	if (!may_stop)
		report(shape, &tally);
	for (int m = 0; may_stop && m < NR_MODELS; m++)
		result(true, shape->program.name, checked[m].name, "stopped", tally.count[m]);
	result(!tally.outside, shape->program.name, "inclusion", "", 0);
}

int count_shapes(int files, char **file, unsigned may_stop)
{
	static struct shape shape;
	int shapes = 0;

	printf("TAP version 13\n");
	for (int i = 0; i < files; i++) {
		char *text = file_text(file[i]);

		for (const char *at = text; read_shape(&at, &shape, CHECK); shapes++)
			count(&shape, may_stop);
		free(text);
	}
	printf("1..%lu\n# %d shapes\n", nr, shapes);
	return failed || !shapes;
}

/* Checks the verdict of a model, if the shape says what to expect. */
static void expect_model(const char *begin, enum model model)
{
	static struct states states;
	static struct shape shape;
	char word[16];
	const char *at;
	bool yes;

	read_shape(&begin, &shape, C20);
	snprintf(word, sizeof(word), " %s ", model_names[model]);
	at = said(&shape, word);
	if (!at)
		return;
	begin = shape.begin;
	/*
	 * For SC and TSO the fences are read as C11's, because published verdicts on other fences
	 * of a machine do not exist.
	 */
	read_shape(&begin, &shape, model == SC || model == TSO ? C20 : model);
	if (!states_of(&shape.program, model, LONG_MAX, &states))
		exit(2);
	yes = strcmp(verdict(&states, &shape.condition), "Never");
	result(yes == (*at == 'S'), shape.program.name, model_names[model],
	       yes ? "allowed" : "forbidden", (unsigned long)states.n);
}

int expect_shapes(int files, char **file)
{
	static struct shape shape;

	printf("TAP version 13\n");
	for (int i = 0; i < files; i++) {
		char *text = file_text(file[i]);

		for (const char *at = text; read_shape(&at, &shape, CHECK);)
			for (enum model m = SC; m <= LKMM && !has_membarrier(&shape.program); m++)
				expect_model(shape.begin, m);
		free(text);
	}
	printf("1..%lu\n", nr);
	return failed || !nr;
}
