/* SPDX-License-Identifier: MIT */
/*
 * How a test is run: words KEY=VALUE. nap-litmus passes these words on to the program. Both read
 * the words by this file.
 *
 *	runs=N seconds=S	bounds; 0: none
 *	patience=S	after which the program kills itself
 *	size=N		instances of a batch at most, a power of 2
 *	step=N		from each instance to the next in memory: 1, 3, ... (any)
 *	meet=N|Tns|never  the threads meet before every Nth instance, or start one every T
 *			nanoseconds, or go through the batch as they can
 *	late=N		each thread starts up to N random steps late
 *	delay=N,N,...	how many steps each thread always starts late
 *	layout=lines|packed|pages  each location on a line, all on one, each on a page
 *	cache=none|prefetch|flush  before its turn a thread prefetches, or flushes, locations
 *	affinity=near|cores|far|none|CPU,CPU,...
 *	copies=N	of the test at the same time
 *	adapt=no	what is not given is drawn, without a preference for what finds rare states
 */
#ifndef LAB_HOW_H
#define LAB_HOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY	(-1)
#define NEVER	0
#define HOW_DELAYS	8
#define HOW_CPUS	256

enum { LAYOUT_LINES, LAYOUT_PACKED, LAYOUT_PAGES, NR_LAYOUTS };
enum { CACHE_NONE, CACHE_PREFETCH, CACHE_FLUSH };
enum { NEAR, CORES, FAR, UNPINNED, LISTED };

struct how {
	uint64_t runs;
	double seconds, patience;
	unsigned size, copies;		/* copies 0: as many as there are CPUs for */
	int step, meet, interval, late, layout, cache, affinity;	/* or ANY */
	bool delayed;
	unsigned delay[HOW_DELAYS];
	unsigned nr_cpus;
	int cpu[HOW_CPUS];
	bool adapt;
};

#define HOW_DEFAULT { .size = 1024, .step = ANY, .meet = ANY, .interval = ANY, .late = ANY, \
	.layout = ANY, .cache = ANY, .affinity = ANY, .adapt = true }

static inline bool how_number(const char *text, long most, long *number)
{
	char *end;

	*number = strtol(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *number <= most;
}

/* Returns the index of @value among @words, which blanks separate; -1: it is none of them. */
static inline int how_word(const char *value, const char *words)
{
	size_t length = strlen(value), one;
	int i = 0;

	for (const char *p = words; *p; p += one + (p[one] == ' '), i++) {
		one = strcspn(p, " ");
		if (one == length && !memcmp(p, value, one))
			return i;
	}
	return -1;
}

/*
 * Reads numbers with commas between. Returns how many; 0: there is no number, or there are too
 * many.
 */
static inline unsigned how_list(const char *value, unsigned most, long greatest, int *number)
{
	unsigned nr = 0;
	char *end;

	for (const char *p = value; nr < most; p = end + 1) {
		long n = strtol(p, &end, 10);

		if (*p < '0' || *p > '9' || n > greatest)
			return 0;
		number[nr++] = (int)n;
		if (!*end)
			return nr;
		if (*end != ',')
			return 0;
	}
	return 0;
}

static inline const char *how_meet(struct how *how, const char *value)
{
	char *end;
	long number = strtol(value, &end, 10);

	how->meet = how->interval = NEVER;
	if (!strcmp(value, "never"))
		return NULL;
	if (*value < '0' || *value > '9' || number < 1 || number > 1000000)
		return "a number from 1, as 100ns, or never";
	if (!strcmp(end, "ns"))
		how->interval = (int)number;
	else if (!*end && !(number & (number - 1)))
		how->meet = (int)number;
	else
		return "a power of 2, a time as 100ns, or never";
	return NULL;
}

static inline const char *how_affinity(struct how *how, const char *value)
{
	how->affinity = how_word(value, "near cores far none");
	if (how->affinity >= 0)
		return NULL;
	how->affinity = LISTED;
	how->nr_cpus = how_list(value, HOW_CPUS, 1023, how->cpu);
	return how->nr_cpus ? NULL : "near, cores, far, none, or CPUs as 0,2";
}

static inline const char *how_delay(struct how *how, const char *value)
{
	int number[HOW_DELAYS];
	unsigned nr = how_list(value, HOW_DELAYS, 1000000, number);

	how->delayed = true;
	for (unsigned i = 0; i < HOW_DELAYS; i++)
		how->delay[i] = i < nr ? (unsigned)number[i] : 0;
	return nr ? NULL : "numbers, a thread each, as 0,100";
}

/* Takes a number; returns what is expected, if it is wrong. */
static inline const char *how_count(const char *value, long least, long most, bool power, long *n,
				    const char *expected)
{
	return how_number(value, most, n) && *n >= least && (!power || !(*n & (*n - 1))) ? NULL :
		expected;
}

static inline const char *how_take_number(struct how *how, const char *key, const char *value)
{
	const char *wrong = NULL;
	long n = 0;

	if (!strcmp(key, "size")) {
		wrong = how_count(value, 16, 65536, true, &n, "a power of 2 from 16 to 65536");
		how->size = (unsigned)n;
	} else if (!strcmp(key, "step")) {
		wrong = how_count(value, 1, 65535, false, &n, "an odd number to 65535");
		wrong = n & 1 ? wrong : "an odd number to 65535";
		how->step = (int)n;
	} else if (!strcmp(key, "late")) {
		wrong = how_count(value, 0, 1000000, false, &n, "a number of steps to 1000000");
		how->late = (int)n;
	} else if (!strcmp(key, "copies")) {
		wrong = how_count(value, 1, 256, false, &n, "a number from 1 to 256");
		how->copies = (unsigned)n;
	} else if (!strcmp(key, "runs")) {
		how->runs = strtoull(value, NULL, 10);
	} else if (!strcmp(key, "seconds")) {
		how->seconds = strtod(value, NULL);
	} else if (!strcmp(key, "patience")) {
		how->patience = strtod(value, NULL);
	} else {
		wrong = "size, step, meet, late, delay, layout, cache, affinity, copies or adapt";
	}
	return wrong;
}

/* Takes "KEY=VALUE". Returns NULL; or what was expected. */
static inline const char *how_take(struct how *how, const char *word)
{
	const char *value = strchr(word, '=');
	char key[16];

	if (!value || value - word > 15)
		return "KEY=VALUE";
	snprintf(key, sizeof(key), "%.*s", (int)(value - word), word);
	value++;
	if (!strcmp(key, "meet"))
		return how_meet(how, value);
	if (!strcmp(key, "delay"))
		return how_delay(how, value);
	if (!strcmp(key, "affinity"))
		return how_affinity(how, value);
	if (!strcmp(key, "layout")) {
		how->layout = how_word(value, "lines packed pages");
		return how->layout >= 0 ? NULL : "lines, packed or pages";
	}
	if (!strcmp(key, "cache")) {
		how->cache = how_word(value, "none prefetch flush");
		return how->cache >= 0 ? NULL : "none, prefetch or flush";
	}
	if (!strcmp(key, "adapt")) {
		how->adapt = strcmp(value, "no");
		return !how->adapt || !strcmp(value, "yes") ? NULL : "yes or no";
	}
	return how_take_number(how, key, value);
}

#endif /* LAB_HOW_H */
