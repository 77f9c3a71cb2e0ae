/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "show/show.h"
#include "tool/expect.h"
#include "tool/judge.h"

static const char *copy_word(const char *at, char *word, size_t size)
{
	size_t length = 0;

	while (*at == ' ' || *at == '\t')
		at++;
	while (*at && !isspace((unsigned char)*at) && *at != ',' && length + 1 < size)
		word[length++] = *at++;
	word[length] = 0;
	return at;
}

static bool verdict_of(const char *word, enum verdict *verdict)
{
	for (unsigned i = 0; i <= VERDICT_UNDECIDED; i++)
		if (!strcmp(word, verdict_name((enum verdict)i))) {
			*verdict = (enum verdict)i;
			return true;
		}
	return false;
}

/* Whether the name is a built-in model, or a compiler and machine. A test cannot name a file. */
static bool is_model(const char *name)
{
	for (unsigned i = 0; rule_names[i]; i++)
		if (!strcmp(rule_names[i], name))
			return true;
	return strchr(name, ':') != NULL;
}

static const char *read_one(struct test *test, const char *at, struct expected *expected)
{
	const char *begin = at;
	char word[32];

	at = copy_word(at, expected->name, sizeof(expected->name));
	if (!is_model(expected->name))
		text_fail(test->text, begin, "expected a model, not %s", expected->name);
	at = copy_word(at, word, sizeof(word));
	if (!verdict_of(word, &expected->verdict))
		text_fail(test->text, begin, "expected MODEL Always, Sometimes or Never");
	return at;
}

unsigned expected_of(struct test *test, struct expected *expected, unsigned max)
{
	const char *at = strstr(test->text->begin, "Expect:");
	const char *result = strstr(test->text->begin, "Result:");
	unsigned nr = 0;
	char word[32];

	if (at) {
		at += strlen("Expect:");
		do {
			at = read_one(test, at, &expected[nr++]);
			at += strspn(at, " \t");
		} while (*at++ == ',' && nr < max);
	} else if (result) {
		copy_word(result + strlen("Result:"), word, sizeof(word));
		strcpy(expected[0].name, "lkmm");
		expected[0].kernel = true;
		expected[0].deadlock = !strcmp(word, "DEADLOCK");
		expected[0].verdict = VERDICT_NEVER;
		nr = expected[0].deadlock || verdict_of(word, &expected[0].verdict);
	}
	return nr;
}

/*
 * Whether the expectation is about this column. An expectation of a kernel's test is about every
 * version of the kernel's model.
 */
static bool is_expected_of(const char *column, const struct expected *expected)
{
	const char *name = expected->name;
	size_t length = strlen(name);

	if (expected->kernel)
		return !strncmp(column, name, length);
	return !strncmp(column, name, length) && (!column[length] || column[length] == ' ');
}

static bool is_as_expected(const struct outcome *outcome, const struct expected *expected)
{
	bool nothing = !outcome->nr_states && !outcome->bounded && !outcome->timeout;

	return outcome->verdict == expected->verdict && (!expected->deadlock || nothing);
}

bool expect_fulfilled(const struct judged *judged)
{
	struct expected expected[MAX_COLUMNS] = { 0 };
	unsigned nr = expected_of(judged->test, expected, MAX_COLUMNS);
	bool ok = true;

	if (!nr) {
		printf("%s: says nothing of what to expect\n", judged->file);
		return false;
	}
	for (unsigned i = 0; i < judged->nr; i++)
		for (unsigned k = 0; k < nr; k++) {
			const struct column *column = &judged->column[i];

			if (!is_expected_of(column->name, &expected[k]) || column->refused ||
			    is_as_expected(&column->outcome, &expected[k]))
				continue;
			printf("%s: %s under %s, expected %s\n", judged->file,
			       verdict_name(column->outcome.verdict), column->name,
			       expected[k].deadlock ? "that nothing is reachable" :
			       verdict_name(expected[k].verdict));
			ok = false;
		}
	return ok;
}
