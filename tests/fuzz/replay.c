/* SPDX-License-Identifier: MIT */
/*
 * Runs inputs as tests, without libFuzzer: the files that are named, or those of the corpus, which
 * is a text (tests/fuzz/pack.sh).
 *
 * A fault ends the program with a message. The line before the message names the input.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/seam.h"
#include "scale.h"

#ifndef CORPUS
#define CORPUS		"tests/fuzz/corpus.txt"
#endif
#define INPUTS_PER_TEST	20
#define BYTES_MAX	4096
#define INPUT_SECONDS	30

static void bark(int number)
{
	(void)number;
	dprintf(2, "# HANG: an input takes longer than %d s\n", INPUT_SECONDS);
	fuzz_print();
	_exit(1);
}

static void run_input(const uint8_t *bytes, size_t size)
{
	/*
	 * This memory has the exact size of the input, so that a sanitizer sees reads beyond its
	 * end.
	 */
	uint8_t *exact = malloc(size + !size);

	if (!exact)
		abort();
	memcpy(exact, bytes, size);
	fflush(stdout);
	alarm(INPUT_SECONDS * (nap_test_slow() ? 5 : 1));
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static FILE *open_or_exit(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (file)
		return file;
	perror(path);
	exit(1);
}

static void run_file(const char *path)
{
	uint8_t bytes[BYTES_MAX];
	FILE *file = open_or_exit(path);
	size_t size = fread(bytes, 1, sizeof(bytes), file);

	fclose(file);
	printf("# %s\n", path);
	run_input(bytes, size);
}

/* Reads the bytes at the beginning of @line; returns how many there are. */
static size_t parse(const char *line, uint8_t *bytes)
{
	size_t n = 0;
	int used = 0;

	while (n < BYTES_MAX && sscanf(line, "%2hhx%n", &bytes[n], &used) == 1 && used == 2) {
		line += 2;
		n++;
	}
	return n;
}

/*
 * Reads the next input of the corpus, and counts lines. Returns its size; 0 at the end of the
 * corpus.
 */
static size_t next_input(FILE *corpus, uint8_t *bytes, unsigned *line)
{
	static char text[2 * BYTES_MAX + 100];
	size_t size = 0;

	while (!size && fgets(text, sizeof(text), corpus)) {
		++*line;
		size = parse(text, bytes);
	}
	return size;
}

static unsigned count_inputs(void)
{
	uint8_t bytes[BYTES_MAX];
	FILE *corpus = open_or_exit(CORPUS);
	unsigned n = 0, line = 0;

	while (next_input(corpus, bytes, &line))
		n++;
	fclose(corpus);
	return n;
}

static int run_corpus(void)
{
	uint8_t bytes[BYTES_MAX];
	unsigned n = count_inputs(), line = 0, nr = 0;
	FILE *corpus;

	if (!n) {
		printf("Bail out! no inputs in " CORPUS "\n");
		return 1;
	}
	corpus = open_or_exit(CORPUS);
	printf("TAP version 13\n1..%u\n", (n + INPUTS_PER_TEST - 1) / INPUTS_PER_TEST);
	for (unsigned i = 0; i < n; i++) {
		size_t size = next_input(corpus, bytes, &line);

		printf("# " CORPUS ":%u\n", line);
		run_input(bytes, size);
		if (i % INPUTS_PER_TEST == INPUTS_PER_TEST - 1 || i == n - 1)
			printf("ok %u %u inputs of the corpus\n", ++nr, i % INPUTS_PER_TEST + 1);
	}
	fclose(corpus);
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
