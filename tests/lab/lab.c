/* SPDX-License-Identifier: MIT */
/*
 * Tests those parts of the program that runs litmus tests (tools/litmus/run/program) whose results
 * are known: the words of its command line, the orders of CPUs on other machines, what it learns
 * from its batches, and how it counts. KTAP.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int allowed_cpus;

static int allow(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	(void)size;
	CPU_ZERO(set);
	for (int cpu = 0; cpu < allowed_cpus; cpu++)
		CPU_SET(cpu, set);
	return 0;
}

#define sched_getaffinity allow
#define ROLES 2u
#define LOCATIONS 2u
#define VALUES 2u
#define LAYOUTS 3u
#include "run/program/how.h"
#include "run/program/machine.h"
#include "run/program/cpus.h"
#include "run/program/table.h"
#include "run/program/knobs.h"

static unsigned nr_tests, nr_failed;

static void report(bool ok, const char *name)
{
	nr_failed += !ok;
	printf("%sok %u %s\n", ok ? "" : "not ", ++nr_tests, name);
}

/* ---- words */

static void test_words(void)
{
	static const struct { const char *word, *expected; } wrong[] = {
		{ "size=100", "a power of 2 from 16 to 65536" }, { "size=8", "a power of 2 from" },
		{ "size=131072", "a power of 2" }, { "size=-16", "a power of 2" },
		{ "size=16x", "a power of 2" }, { "step=2", "an odd number" },
		{ "step=", "an odd" }, { "meet=0", "a number from 1, as 100ns, or never" },
		{ "meet=3", "a power of 2, a time" }, { "meet=100us", "a power of 2, a time" },
		{ "late=-1", "a number of steps" },
		{ "delay=1,", "numbers, a thread each" }, { "delay=1;2", "numbers, a thread each" },
		{ "delay=0,0,0,0,0,0,0,0,0", "numbers, a thread each" },
		{ "layout=line", "lines, packed or pages" },
		{ "cache=", "none, prefetch or flush" },
		{ "affinity=nearest", "near, cores, far, none, or CPUs" },
		{ "affinity=0,1024", "near, cores, far, none, or CPUs" },
		{ "copies=0", "a number from 1" }, { "adapt=maybe", "yes or no" },
		{ "speed=1", "size, step, meet" }, { "size", "KEY=VALUE" }, { "=1", "size, step" },
	};
	struct how how = HOW_DEFAULT;
	bool ok = true;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const char *got = how_take(&how, wrong[i].word);

		if (got && strstr(got, wrong[i].expected) == got)
			continue;
		printf("# %s: %s\n", wrong[i].word, got ? got : "accepted");
		ok = false;
	}
	report(ok, "words that are wrong: what is expected is said");
}

static void test_meanings(void)
{
	struct how how = HOW_DEFAULT;
	bool ok = !how_take(&how, "meet=100ns") && how.interval == 100 && how.meet == NEVER &&
		!how_take(&how, "meet=4") && how.meet == 4 && how.interval == NEVER &&
		!how_take(&how, "meet=never") && how.meet == NEVER && how.interval == NEVER &&
		!how_take(&how, "delay=5,70") && how.delay[0] == 5 && how.delay[1] == 70 &&
		!how.delay[2] && !how_take(&how, "affinity=3,1") && how.affinity == LISTED &&
		how.nr_cpus == 2 && how.cpu[0] == 3 && how.cpu[1] == 1 &&
		!how_take(&how, "affinity=far") && how.affinity == FAR &&
		!how_take(&how, "layout=pages") && how.layout == LAYOUT_PAGES &&
		!how_take(&how, "adapt=no") && !how.adapt && !how_take(&how, "size=65536") &&
		how.size == 65536;

	report(ok, "words that are right mean what they say");
}

/* ---- CPUs */

static const char *root;

static void write_file(int cpu, const char *directory, const char *name, const char *text)
{
	char path[400];
	FILE *out;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d/%s", root, cpu, directory);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0777);
		*p = '/';
	}
	mkdir(path, 0777);
	snprintf(path + strlen(path), 40, "/%s", name);
	out = fopen(path, "we");
	if (out)
		fputs(text, out), fclose(out);
}

/*
 * Two packages, of two caches, of two cores, of two threads each; threads are numbered as on
 * Intel's.
 */
static void make_machine(void)
{
	for (int cpu = 0; cpu < 16; cpu++) {
		int core = cpu % 8;
		char text[60];

		sprintf(text, "%d,%d\n", core, core + 8);
		write_file(cpu, "topology", "thread_siblings_list", text);
		sprintf(text, "%d\n", core / 4);
		write_file(cpu, "topology", "physical_package_id", text);
		sprintf(text, "%d-%d,%d-%d\n", core / 2 * 2, core / 2 * 2 + 1, core / 2 * 2 + 8,
			core / 2 * 2 + 9);
		write_file(cpu, "cache/index3", "shared_cpu_list", text);
	}
}

static bool is_order(const struct cpus *cpus, const char *name, const int *expected)
{
	for (unsigned i = 0; i < cpus->nr_orders; i++)
		if (!strcmp(cpus->name[i], name) &&
		    !memcmp(cpus->order[i], expected, cpus->nr * sizeof(*expected)))
			return true;
	for (unsigned i = 0; i < cpus->nr_orders; i++) {
		printf("# %s:", cpus->name[i]);
		for (unsigned k = 0; k < cpus->nr; k++)
			printf(" %d", cpus->order[i][k]);
		printf("\n");
	}
	return false;
}

static void test_cpus(void)
{
	static const int near[] = { 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15 };
	static const int cores[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const int far[] = { 0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15 };
	struct how how = HOW_DEFAULT;
	static struct cpus all, one, listed, none, plain;

	allowed_cpus = 16;
	make_machine();
	report(cpus_find(&all, &how, root) && all.nr == 16 && all.nr_orders == 3 &&
	       is_order(&all, "near", near), "near: a core's threads are neighbours");
	report(is_order(&all, "cores", cores), "cores: a cache's cores are neighbours");
	report(is_order(&all, "far", far), "far: neighbours are in other packages, then caches");
	how_take(&how, "affinity=far");
	report(cpus_find(&one, &how, root) && one.nr_orders == 1 && is_order(&one, "far", far),
	       "an affinity that is given is the only one");
	how_take(&how, "affinity=9,2");
	report(cpus_find(&listed, &how, root) && listed.nr == 2 && listed.order[0][0] == 9 &&
	       listed.order[0][1] == 2, "CPUs that are listed, in their order");
	how_take(&how, "affinity=16");
	report(!cpus_find(&none, &how, root), "a CPU that the process may not use is refused");
	how = (struct how)HOW_DEFAULT;
	allowed_cpus = 3;
	report(cpus_find(&plain, &how, "/nowhere") && plain.nr == 3 && plain.nr_orders == 1 &&
	       is_order(&plain, "near", cores), "a machine that says nothing: cores in a row");
}

/* ---- what is learned */

/* Returns how many of 1,000 draws of the knob are @choice. */
static unsigned drawn(const struct knobs *knobs, unsigned knob, unsigned choice)
{
	uint64_t random = 88172645463325252ull;
	unsigned nr = 0;

	for (unsigned i = 0; i < 1000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		nr += knob_draw(knobs, knob, random * 0x9e3779b97f4a7c15ull >> 16) == choice;
	}
	return nr;
}

static void test_learning(void)
{
	static struct knobs knobs;
	unsigned char choice[KNOBS] = { 0 };
	unsigned before, least = 1000;

	knobs_begin(&knobs);
	before = drawn(&knobs, KNOB_MEET, 5);
	for (unsigned i = 0; i < 4000; i++) {
		choice[KNOB_MEET] = i % CHOICES;
		choice[KNOB_AHEAD] = i / CHOICES % 4;
		knobs_learn(&knobs, choice, choice[KNOB_MEET] == 5 ? 4e-3 : 1e-3);
	}
	printf("# of 1000 draws %u, then %u\n", before, drawn(&knobs, KNOB_MEET, 5));
	report(before < 200 && drawn(&knobs, KNOB_MEET, 5) > 400,
	       "a choice that is worth more is drawn more often");
	for (unsigned i = 0; i < CHOICES; i++)
		if (drawn(&knobs, KNOB_MEET, i) < least)
			least = drawn(&knobs, KNOB_MEET, i);
	report(least > 0, "and what is worth little is still tried");
	for (unsigned i = 0, most = 0; i < 4; i++) {
		most = drawn(&knobs, KNOB_AHEAD, i);
		if (most > 400)
			least = 0;
	}
	report(least, "of another knob, that made no difference, nothing is learned");
}

static void test_weights(void)
{
	static struct table table, other;
	uint64_t often[] = { 0, 1 }, rarely[] = { 1, 1 };
	double weight = 0;

	for (unsigned i = 0; i < 1000; i++)
		weight = add(&table, often, 1);
	report(weight == 1 && add(&table, rarely, 1) > 50, "a rare state is worth more");
	add(&other, rarely, 5);
	add_all(&table, &other);
	for (unsigned i = 0; i < TABLE; i++)
		weight = table.count[i] && !memcmp(table.value[i], rarely, sizeof(rarely)) ?
			(double)table.count[i] : weight;
	printf("# ");
	print_table(&other);
	report(weight == 6 && table.all == 1006 && !table.lost,
	       "tables of workers are one in the end");
	for (uint64_t i = 0; i < TABLE + 9; i++)
		add(&other, (uint64_t []) { i, 7 }, 1);
	report(other.lost == 10, "states that have no place are counted as lost");
}

int main(int argc, char **argv)
{
	char directory[] = "/tmp/nap-lab.XXXXXX", command[60];

	(void)argc;
	(void)argv;
	root = mkdtemp(directory);
	if (!root)
		return 1;
	printf("TAP version 13\n1..15\n");
	test_words();
	test_meanings();
	test_cpus();
	test_learning();
	test_weights();
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) || nr_failed;
}
