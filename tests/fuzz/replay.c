// SPDX-License-Identifier: MIT
/*
 * Without libFuzzer: run files of the corpus, of this directory or those that are named, as tests.
 *
 * A fault ends the program with a message; the line before says in which file.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/seam.h"
#include "scale.h"

#ifndef CORPUS
#define CORPUS		"tests/fuzz/corpus"
#endif
#define FILES_PER_TEST	20
#define BYTES_MAX	4096
#define FILE_SECONDS	30

static void bark(int number)
{
	(void)number;
	dprintf(2, "# HANG: a file takes longer than %d s\n", FILE_SECONDS);
	fuzz_print();
	_exit(1);
}

static void run_file(const char *path)
{
	uint8_t bytes[BYTES_MAX], *exact;
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file) {
		perror(path);
		exit(1);
	}
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	/* On the heap, so that a sanitizer sees reads beyond. */
	exact = malloc(size + !size);
	if (!exact)
		abort();
	memcpy(exact, bytes, size);
	printf("# %s\n", path);
	fflush(stdout);
	alarm(FILE_SECONDS * (nap_test_slow() ? 5 : 1));
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static int by_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int run_corpus(void)
{
	struct dirent **entries;
	int n = scandir(CORPUS, &entries, by_name, alphasort), nr = 0;

	if (n <= 0) {
		printf("Bail out! no files in " CORPUS " (run it where that is)\n");
		return 1;
	}
	printf("TAP version 13\n1..%d\n", (n + FILES_PER_TEST - 1) / FILES_PER_TEST);
	for (int i = 0; i < n; i++) {
		char path[sizeof(CORPUS) + 257];

		snprintf(path, sizeof(path), CORPUS "/%s", entries[i]->d_name);
		run_file(path);
		free(entries[i]);
		if (i % FILES_PER_TEST == FILES_PER_TEST - 1 || i == n - 1)
			printf("ok %d %d files of the corpus\n", ++nr, i % FILES_PER_TEST + 1);
	}
	free(entries);
	return 0;
}

int main(int argc, char **argv)
{
	signal(SIGALRM, bark);
	if (argc < 2)
		return run_corpus();
	for (int i = 1; i < argc; i++)
		run_file(argv[i]);
	return 0;
}
