/* SPDX-License-Identifier: MIT */
/*
 * main() begins with the same data in every execution, whatever the last execution wrote there;
 * getopt() begins anew. A function whose effect would stay, as setenv(), is refused.
 *
 * arguments -vn 3 --all --what=ever -x a,b last
 * verdict main: no fault$
 */
#define _GNU_SOURCE
#include <assert.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int turn;

static void *take_turn(void *arg)
{
	turn++;
	return arg;
}

static int all;

static void read_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, &all, 1 }, { "what", required_argument, NULL, 'w' }, { 0 },
	};
	char found[8] = { 0 };
	int index = -1, letter;

	assert(optind == 1);
	for (int n = 0; (letter = getopt_long(argc, argv, "vn:", options, &index)) != -1; n++) {
		found[n] = letter ? (char)letter : '0';
		if (letter == '?')
			break;	/* -x; not at the end */
		assert(letter != 'n' || !strcmp(optarg, "3"));
	}
	assert(!strcmp(found, "vn0w?") && all && index == 1);
}

int main(int argc, char **argv, char **environment)
{
	char *words, *path = getenv("PATH");
	pthread_t thread;

	assert(argc == 8 && !strcmp(argv[0], "program"));
	read_options(argc, argv);
	words = argv[6];
	assert(!strcmp(strsep(&words, ","), "a") && !strcmp(words, "b"));
	argv[7] = NULL;
	argv[0][0] = 'P';
	assert(*path != '?' && environment[0] && environment[0][0] != '?');
	*path = environment[0][0] = '?';
	pthread_create(&thread, NULL, take_turn, NULL);
	turn++;
	pthread_join(thread, NULL);
	return turn != 2;
}
