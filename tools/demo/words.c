// SPDX-License-Identifier: MIT
/* nap-demo words: count words on all workers and on one, and compare. */
#include "walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a word that are printed at most. */
#define WORD_SHOWN 60

static void print_word(const struct word *word)
{
	char count[32];
	uint32_t len = word->len;

	if (len > WORD_SHOWN) {
		len = WORD_SHOWN;
		/* Not in the middle of a UTF-8 sequence. */
		while (len > WORD_SHOWN - 4 && (word->text[len] & 0xc0) == 0x80)
			len--;
	}
	printf("%17s  %.*s%s\n", digits(word->count, count), (int)len, word->text,
	       len < word->len ? "..." : "");
}

static void line(const char *what, uint64_t n)
{
	char buf[32];

	printf("%-17s %15s", what, digits(n, buf));
}

static void print_result(const struct result *result)
{
	const struct tally *t = &result->tally;
	char bad[32], binary[32];

	line("files", t->files);
	printf("  (%s binary, their words not counted; %s more unreadable)\n",
	       digits(t->binary, binary), digits(t->bad_files, bad));
	line("directories", t->dirs);
	printf("  (%s more unreadable)\n", digits(t->bad_dirs, bad));
	line("links and others", t->others);
	puts("  (not followed, not read)");
	line("bytes", t->bytes);
	putchar('\n');
	line("words", t->words);
	putchar('\n');
	line("distinct words", result->distinct);
	printf("\nmost frequent:\n");
	for (unsigned i = 0; i < result->nr_top; i++)
		print_word(&result->top[i]);
}

static int differ(const char *what, const struct run *a, uint64_t m, const struct run *b,
		  uint64_t n)
{
	char bufm[32], bufn[32];

	if (m == n)
		return 0;
	fprintf(stderr, "nap-demo: %s differ: %s on %u worker%s, %s on %u\n", what,
		digits(m, bufm), a->workers, a->workers == 1 ? "" : "s", digits(n, bufn),
		b->workers);
	return 1;
}

static int top_differ(const struct result *a, const struct result *b)
{
	for (unsigned i = 0; i < a->nr_top && i < b->nr_top; i++) {
		const struct word *v = &a->top[i], *w = &b->top[i];

		if (v->count == w->count && v->len == w->len && !memcmp(v->text, w->text, v->len))
			continue;
		fprintf(stderr, "nap-demo: number %u of the most frequent words differs\n", i + 1);
		return 1;
	}
	return 0;
}

/* Returns how many things differ, after naming each. */
static int compare(const struct walk *many, const struct walk *one)
{
	const struct result *a = &many->result, *b = &one->result;
	const struct tally *s = &a->tally, *t = &b->tally;
	const struct run *m = &many->run, *n = &one->run;

	return differ("files", m, s->files, n, t->files) +
	       differ("binary files", m, s->binary, n, t->binary) +
	       differ("unreadable files", m, s->bad_files, n, t->bad_files) +
	       differ("directories", m, s->dirs, n, t->dirs) +
	       differ("unreadable directories", m, s->bad_dirs, n, t->bad_dirs) +
	       differ("links and others", m, s->others, n, t->others) +
	       differ("bytes", m, s->bytes, n, t->bytes) +
	       differ("words", m, s->words, n, t->words) +
	       differ("distinct words", m, a->distinct, n, b->distinct) +
	       differ("digests of all counts", m, a->digest, n, b->digest) +
	       top_differ(a, b);
}

static void print_left(const struct walk *walk)
{
	char dirs[32], files[32], off[32];

	fprintf(stderr, "nap-demo: stopped by %s while %s; left: %s directories and %s files "
		"that were queued", signals_name(), walk->title,
		digits(walk->left_dirs, dirs), digits(walk->left_files, files));
	if (walk->left_merges)
		fprintf(stderr, ", %s tasks of the merge", digits(walk->left_merges, off));
	if (walk->result.tally.broken_off)
		fprintf(stderr, "; %s more broken off midway",
			digits(walk->result.tally.broken_off, off));
	fputc('\n', stderr);
}

/* Returns 0, or the exit status after saying why. */
static int run_one(struct walk *walk, const struct options *options, unsigned workers)
{
	int ret = walk_run(walk, options, workers);

	if (signals_caught()) {
		print_left(walk);
		return signals_status();
	}
	if (!ret)
		return 0;
	if (walk->run.error == EOVERFLOW)
		fputs("nap-demo: a word of 4 GiB or more; there is no result\n", stderr);
	else
		report_error(walk->run.error);
	return EXIT_FAILED;
}

/* The files are read into the page cache first, so that both measured runs find them there. */
static int warm(const struct options *options, const struct roots *roots)
{
	struct walk walk = {
		.roots = roots, .title = "reading every file once", .verbose = options->verbose,
	};
	int status = run_one(&walk, options, options->workers);

	if (!status)
		printf("every file was read once to warm the page cache (%.3f s, not counted)\n\n",
		       (double)walk.run.wall / 1e9);
	walk_free(&walk);
	return status;
}

static int report(const struct options *options, const struct walk *many, const struct walk *one)
{
	print_result(&many->result);
	report_times(&many->run, &one->run);
	if (options->verbose)
		printf("of that, the merge of the workers' tables took %.3f s and %.3f s\n",
		       (double)many->merge_wall / 1e9, (double)one->merge_wall / 1e9);
	report_runs(options, &many->run, &one->run);
	fflush(stdout);	/* before what stderr may have to say */
	if (!compare(many, one)) {
		puts("\nthe results are equal");
		return 0;
	}
	fputs("nap-demo: the results differ; did the files change meanwhile?\n", stderr);
	return EXIT_FAILED;
}

static int measure(const struct options *options, const struct roots *roots)
{
	struct walk many = { .roots = roots, .title = "counting on all workers", .count = true };
	struct walk one = { .roots = roots, .title = "counting on one worker", .count = true };
	int status = run_one(&many, options, options->workers);

	if (!status)
		status = run_one(&one, options, 1);
	if (!status)
		status = report(options, &many, &one);
	walk_free(&many);
	walk_free(&one);
	return status;
}

int cmd_words(const struct options *options, int argc, char **argv)
{
	static char *usual[] = { "/usr/include", "/usr/share" };
	struct roots roots;
	int status;

	if (!argc) {
		argc = 2;
		argv = usual;
	}
	status = roots_open(&roots, argc, argv);
	progress_open();
	if (!status)
		status = warm(options, &roots);
	if (!status)
		status = measure(options, &roots);
	roots_close(&roots);
	return status;
}
