/* SPDX-License-Identifier: MIT */
/* Which models can judge which dialect; and each model's rules, read once. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/models.h"
#include "tool/options.h"

#define OF(dialect) (1u << DIALECT_##dialect)
/* The kernel's C with RCU, apart from other C: no instruction of a machine means a grace period. */
#define OF_RCU (1u << 31)

/*
 * A machine's model says something of its own instructions, of the kernel's C as the kernel is
 * ported to the machine, and of C11 as compilers translate it. It says nothing of another machine's
 * instructions, because it does not know their fences. A language's model is of that language
 * alone. A model from a file says what its author means: it is not in the table, and judges any
 * test.
 */
static const struct {
	const char *name;
	unsigned own, also;		/* dialects, a bit each */
	bool language;
} meanings[] = {
	{ "sc", 0, OF(KERNEL) | OF(C11) | OF(AARCH64) | OF(RISCV) | OF(X86), false },
	{ "tso", OF(X86), OF(KERNEL) | OF(C11), false },
	{ "armv8", OF(AARCH64), OF(KERNEL) | OF(C11), false },
	{ "rvwmo", OF(RISCV), OF(KERNEL) | OF(C11), false },
	{ "rc11", OF(C11), 0, true },
	{ "c20", 0, OF(C11), true },
	{ "lkmm", OF(KERNEL), OF_RCU, true },
	{ "lkmm61", 0, OF(KERNEL) | OF_RCU, true },
};
#define NR_MEANINGS (sizeof(meanings) / sizeof(*meanings))

static const char *const dialects[] = {
	[DIALECT_KERNEL] = "the kernel's C", [DIALECT_C11] = "C11", [DIALECT_AARCH64] = "AArch64",
	[DIALECT_RISCV] = "RISC-V", [DIALECT_X86] = "x86",
};

const char *own_model(enum dialect dialect)
{
	size_t i = 0;

	while (!(meanings[i].own >> dialect & 1))
		i++;
	return meanings[i].name;
}

bool model_is_of_language(const char *name)
{
	for (size_t i = 0; i < NR_MEANINGS; i++)
		if (!strcmp(meanings[i].name, name))
			return meanings[i].language;
	return false;
}

/* Returns the dialects of the test. C without a word that only one dialect has is of both. */
static unsigned dialects_of(const struct test *test)
{
	return test->rcu ? OF_RCU : test->either ? OF(KERNEL) | OF(C11) : 1u << test->dialect;
}

static _Noreturn void refuse_model(const struct test *test, const char *name)
{
	char fit[80] = "";

	for (size_t i = 0; i < NR_MEANINGS; i++)
		if ((meanings[i].own | meanings[i].also) & dialects_of(test))
			snprintf(fit + strlen(fit), sizeof(fit) - strlen(fit), "%s%s",
				 *fit ? ", " : "", meanings[i].name);
	text_fail(test->text, skip_blanks(test->text, test->text->begin),
		  "%s says nothing of a test in %s: expected one of the models %s", name,
		  test->rcu ? "the kernel's C with RCU" : dialects[test->dialect], fit);
}

bool model_fits(const struct test *test, const char *name)
{
	for (size_t i = 0; i < NR_MEANINGS; i++)
		if (!strcmp(meanings[i].name, name))
			return (meanings[i].own | meanings[i].also) & dialects_of(test);
	return true;
}

void model_must_fit(const struct test *test, const char *name)
{
	if (!model_fits(test, name))
		refuse_model(test, name);
}

/* Names of other tools and people for these models, or parts of such names. */
static const struct { const char *part, *name; } aliases[] = {
	{ "x86", "tso" }, { "amd64", "tso" }, { "aarch64", "armv8" }, { "arm", "armv8" },
	{ "riscv", "rvwmo" }, { "linux", "lkmm" }, { "lk", "lkmm" }, { "kernel", "lkmm" },
	{ "c11", "rc11" }, { "c++", "c20" }, { "imm", "rc11" },
};

static bool is_model(const char *name)
{
	for (unsigned i = 0; rule_names[i]; i++)
		if (!strcmp(rule_names[i], name))
			return true;
	return strpbrk(name, "./");
}

static _Noreturn void refuse_name(const char *name)
{
	const char *meant = NULL;

	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases) && !meant; i++)
		if (strcasestr(name, aliases[i].part))
			meant = aliases[i].name;
	fprintf(stderr, "nap-litmus: no model is called %s", name);
	if (meant)
		fprintf(stderr, ": is %s meant? There are", meant);
	else
		fprintf(stderr, ". There are");
	for (unsigned i = 0; rule_names[i]; i++)
		fprintf(stderr, " %s%s", rule_names[i], rule_names[i + 1] ? "," : "");
	fprintf(stderr, "; the name of a file has a dot or a slash\n");
	exit(2);
}

/* Returns the model. Each is read once. */
const struct rules *rules_named(const char *name)
{
	static struct { char name[256]; struct rules *rules; } seen[MAX_MODELS + 8];
	static unsigned nr;
	char message[512];

	for (unsigned i = 0; i < nr; i++)
		if (!strcmp(seen[i].name, name))
			return seen[i].rules;
	if (nr == sizeof(seen) / sizeof(seen[0]) || strlen(name) >= sizeof(seen[0].name)) {
		fprintf(stderr, "nap-litmus: %s: too many models\n", name);
		exit(2);
	}
	if (!is_model(name))
		refuse_name(name);
	strcpy(seen[nr].name, name);
	seen[nr].rules = rules_of(name, message, sizeof(message));
	if (!seen[nr].rules) {
		fprintf(stderr, "nap-litmus: %s\n", message);
		exit(2);
	}
	return seen[nr++].rules;
}

