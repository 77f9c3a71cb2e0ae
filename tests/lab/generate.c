/* SPDX-License-Identifier: MIT */
/*
 * Tests the generator of tests from cycles: three texts to the letter, the names and questions of
 * other tests, and the messages on wrong cycles. KTAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate/generate.h"
#include "generate_cases.h"

static unsigned nr_tests, nr_failed;

static void report(bool ok, const char *cycle)
{
	nr_failed += !ok;
	printf("%sok %u %s\n", ok ? "" : "not ", ++nr_tests, cycle);
}

static void compare(const char *cycle, const char *wanted, const char *got)
{
	bool same = got && !strcmp(wanted, got);

	if (!same)
		printf("# wanted:\n%s\n# got:\n%s\n", wanted, got ? got : "(nothing)");
	report(same, cycle);
}

/* Returns the test that the cycle makes; NULL: the cycle is refused, and @message says why. */
static char *made(enum dialect dialect, const char *cycle, char *message, size_t size)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	bool is_good = generate(out, dialect, cycle, NULL, message, size);

	fclose(out);
	if (is_good)
		return text;
	if (length)
		snprintf(message, size, "a text, although it is refused");
	free(text);
	return NULL;
}

static void test_exact(const struct exact *one)
{
	char message[256] = "";
	char *text = made(one->dialect, one->cycle, message, sizeof(message));

	compare(one->cycle, one->text, text ? text : message);
	free(text);
}

/* Compares the first line of the test, its name, and the last line, its question. */
static void test_good(const struct good *one)
{
	char message[256] = "", got[512] = "";
	char *text = made(one->dialect, one->cycle, message, sizeof(message));
	const char *name = text ? strchr(text, ' ') + 1 : NULL;
	const char *question = text ? strstr(text, "exists ") : NULL;

	if (question)
		snprintf(got, sizeof(got), "%.*s: %.*s", (int)strcspn(name, "\n"), name,
			 (int)strcspn(question, "\n"), question);
	compare(one->cycle, one->asks, text ? got : message);
	free(text);
}

static void test_bad(const struct bad *one)
{
	char message[256] = "";
	char *text = made(one->dialect, one->cycle, message, sizeof(message));

	compare(one->cycle, one->message, text ? "a text" : message);
	free(text);
}

#define NR(array) (sizeof(array) / sizeof(*(array)))

int main(void)
{
	printf("TAP version 13\n1..%zu\n", NR(exact) + NR(good) + NR(bad));
	for (size_t i = 0; i < NR(exact); i++)
		test_exact(&exact[i]);
	for (size_t i = 0; i < NR(good); i++)
		test_good(&good[i]);
	for (size_t i = 0; i < NR(bad); i++)
		test_bad(&bad[i]);
	return nr_failed != 0;
}
