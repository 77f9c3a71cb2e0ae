/* SPDX-License-Identifier: MIT */
/*
 * Fills and prints the table of waits (tests/fault/waits.h). A row is a call; for each caller the
 * row has a word, and for each event the word has a letter, which is the answer.
 *
 * Each row runs in a process of its own. If the process ends inside a cell, this cell is bad, and
 * another process goes on with the next cell.
 */
#include "fault/report.h"
#include "fault/waits.h"
#include "harness.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "watchdog_print.h"

#define MOST_CALLS 40

/* What has become of a cell; EMPTY: not run yet. */
enum outcome { EMPTY, WITHIN, GOOD, BAD, NOT_APPLICABLE };

struct result {
	enum outcome outcome;
	char code;
};

static struct result (*table)[WHOS][EVENTS];	/* shared with the rows' processes */

/* ---- a process, for a row */

static struct {
	unsigned int call;
	enum who who;
	enum event event;
} at;

static void bark(int signal)
{
	(void)signal;
	dprintf(2, "# HANG: %s, %s, %s\n", waits_calls[at.call]->name, waits_who[at.who],
		waits_event[at.event]);
	print_watched();
	_exit(1);
}

/* Returns after how many seconds a cell counts as hung. */
static unsigned int seconds(void)
{
	const char *env = getenv("NAP_TEST_WATCHDOG");

	return env ? (unsigned int)atoi(env) : nap_test_slow() ? 60 : 10;
}

static void run_cell(void)
{
	const struct call *call = waits_calls[at.call];
	struct result *result = &table[at.call][at.who][at.event];
	struct expected expected = waits_expected(call, at.who, at.event);
	char answer;

	if (!expected.code) {
		result->outcome = expected.why ? NOT_APPLICABLE : EMPTY;
		return;
	}
	result->outcome = WITHIN;
	alarm(seconds());
	answer = waits_run_cell(call, at.who, at.event);
	alarm(0);
	result->code = answer;
	result->outcome = answer == expected.code ||
			  (expected.code == '?' && strchr("0C", answer)) ? GOOD : BAD;
	if (result->outcome == BAD)
		dprintf(2, "# BAD: %s, %s, %s: %c, not %c\n", call->name, waits_who[at.who],
			waits_event[at.event], answer, expected.code);
	else
		result->code = expected.code;
}

static void run_row(unsigned int call)
{
	signal(SIGALRM, bark);
	at.call = call;
	for (int who = 0; who < WHOS; who++)
		for (int event = 0; event < EVENTS; event++) {
			at.who = (enum who)who;
			at.event = (enum event)event;
			if (table[call][who][event].outcome == EMPTY)
				run_cell();
		}
	nap_test_exit(0);
}

/* If the process has ended inside a cell, marks this cell as bad; false: it was inside no cell. */
static bool note_end(unsigned int call)
{
	for (int who = 0; who < WHOS; who++)
		for (int event = 0; event < EVENTS; event++) {
			struct result *result = &table[call][who][event];

			if (result->outcome == WITHIN) {
				*result = (struct result){ BAD, '!' };
				return true;
			}
		}
	return false;
}

/* Runs a row; false: a process ended too early, or its check for leaks failed. */
static bool fill_row(unsigned int call)
{
	bool good = true, again;

	do {
		pid_t child;
		int status;

		fflush(stdout);
		child = fork();
		if (child == 0)
			run_row(call);
		waitpid(child, &status, 0);
		good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
		again = note_end(call);
	} while (again);
	return good;
}

/* ---- printing the table */

static const char *reasons[16];

static char letter_of(const char *reason)
{
	int i = 0;

	while (reasons[i] && reasons[i] != reason)
		i++;
	reasons[i] = reason;
	return (char)('a' + i);
}

static char printed(unsigned int call, int who, int event)
{
	struct result *result = &table[call][who][event];
	struct expected e;

	if (result->outcome == GOOD || result->outcome == BAD)
		return result->code;
	e = waits_expected(waits_calls[call], (enum who)who, (enum event)event);
	return result->outcome == NOT_APPLICABLE ? letter_of(e.why) : ' ';
}

static void print_table(void)
{
	printf("# %-18s", "");
	for (int who = 0; who < WHOS; who++)
		printf(" %-*s", EVENTS, waits_who[who]);
	printf("\n");
	for (unsigned int call = 0; call < waits_nr_calls; call++) {
		printf("# %-18s", waits_calls[call]->name);
		for (int who = 0; who < WHOS; who++) {
			printf(" ");
			for (int event = 0; event < EVENTS; event++)
				printf("%c", printed(call, who, event));
		}
		printf("\n");
	}
	printf("# from left to right:");
	for (int event = 0; event < EVENTS; event++)
		printf("%s %s", event ? "," : "", waits_event[event]);
	printf("\n# 0 it is had; -E: T TIMEDOUT, C CANCELED, S SHUTDOWN, D DEADLK, M NOMEM; "
	       "? 0 or C\n");
	for (int i = 0; i < 16 && reasons[i]; i++)
		printf("# %c not applicable: %s\n", 'a' + i, reasons[i]);
}

static unsigned long count(enum outcome outcome)
{
	unsigned long n = 0;

	for (unsigned int call = 0; call < waits_nr_calls; call++)
		for (int who = 0; who < WHOS; who++)
			for (int event = 0; event < EVENTS; event++)
				n += table[call][who][event].outcome == outcome;
	return n;
}

TEST(every_call_by_everybody_whatever_happens)
{
	unsigned long good, bad, empty;

	ASSERT_LE(waits_nr_calls, MOST_CALLS);
	table = mmap(NULL, MOST_CALLS * sizeof(*table), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(table, MAP_FAILED);
	for (unsigned int call = 0; call < waits_nr_calls; call++) {
		EXPECT_TRUE(fill_row(call)) {
			TH_LOG("%s", waits_calls[call]->name);
		}
	}
	print_table();
	good = count(GOOD);
	bad = count(BAD) + count(WITHIN);
	empty = count(EMPTY);
	printf("# %lu cells, %lu empty; %lu not applicable, %lu run, %lu of them bad\n",
	       waits_nr_calls * (unsigned long)WHOS * EVENTS, empty, count(NOT_APPLICABLE),
	       good + bad, bad);
	EXPECT_EQ(bad, 0);
	EXPECT_EQ(empty, 0);
	fault_report("waits, by everybody, whatever happens", good + bad, good + bad, good);
}

TEST_HARNESS_MAIN
