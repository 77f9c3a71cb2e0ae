/* SPDX-License-Identifier: MIT */
/* nap-demo words: counts words on all workers and on one, and compares the two. */
#include "walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a walk over all files */

/* Makes a slot for a worker, or for the main thread if there is no worker. */
static void *slot_make(struct nap_worker *worker, void *arg)
{
	struct walk *walk = arg;
	struct slot *slot = calloc(1, sizeof(*slot));

	(void)worker;
	if (!slot)
		return NULL;
	slot->next = __atomic_load_n(&walk->slots, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&walk->slots, &slot->next, slot, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return slot;
}

/* Called in the main thread; the sums are exact when no worker runs. */
static void sum_up(struct walk *walk)
{
	uint64_t *to = (uint64_t *)&walk->tally;
	struct slot *slot = __atomic_load_n(&walk->slots, __ATOMIC_ACQUIRE);

	walk->tally = (struct tally){ .files = 0 };
	for (; slot; slot = slot->next)
		for (size_t i = 0; i < sizeof(walk->tally) / sizeof(*to); i++)
			to[i] += __atomic_load_n((uint64_t *)&slot->tally + i, __ATOMIC_RELAXED);
}

static void show_progress(struct run *run)
{
	struct walk *walk = nap_container_of(run, struct walk, run);
	char files[32], bytes[32], line[128];

	sum_up(walk);
	snprintf(line, sizeof(line), "%s: %s files, %s MB", walk->title,
		 digits(walk->tally.files, files), digits(walk->tally.bytes / 1000000, bytes));
	report_progress(line);
}

static int work(struct run *run, struct nap_worker *worker)
{
	struct walk *walk = nap_container_of(run, struct walk, run);
	int error = walk_count(walk);

	(void)worker;
	return !error && walk->count ? walk_merge(walk) : error;
}

/* Returns 0, or the exit status after a message. */
static int walk_on(struct walk *walk, const struct options *options, unsigned workers)
{
	uint64_t left;
	char files[32];
	int error;

	walk->local = (struct nap_local)NAP_LOCAL_INIT(slot_make, NULL, walk);
	walk->run = (struct run){ .work = work, .tick = show_progress, .local = &walk->local };
	error = run_on(&walk->run, options, workers);
	sum_up(walk);
	left = walk->list->files.count - walk->tally.files - walk->tally.bad_files;
	if (run_stop)
		return report_stopped(" while %s; left: %s files", walk->title,
				      digits(left, files));
	if (error != EOVERFLOW)
		return error ? report_error(error) : 0;
	fputs("nap-demo: a word of 4 GiB or more; there is no result\n", stderr);
	return EXIT_FAILED;
}

/* Frees the walk, and with it the result's top words. */
static void walk_free(struct walk *walk)
{
	struct slot *slot;

	while ((slot = walk->slots)) {
		walk->slots = slot->next;
		vocabulary_free(&slot->voc);
		free(slot->buf);
		free(slot);
	}
	run_free(&walk->run);
}

/* ---- output */

/* The most bytes of a word that are printed. */
#define WORD_SHOWN 60

static void print_word(const struct word *word)
{
	char count[32];
	uint32_t len = word->len;

	if (len > WORD_SHOWN) {
		len = WORD_SHOWN;
		/* do not cut a UTF-8 sequence */
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

static void print_result(const struct walk *walk)
{
	const struct tally *t = &walk->tally;
	char bad[32], binary[32];

	line("files", t->files);
	printf("  (%s binary, their words not counted; %s more unreadable)\n",
	       digits(t->binary, binary), digits(t->bad_files, bad));
	line("directories", walk->list->dirs.count - walk->list->bad_dirs);
	printf("  (%s more unreadable)\n", digits(walk->list->bad_dirs, bad));
	line("links and others", walk->list->others);
	puts("  (not followed, not read)");
	line("bytes", t->bytes);
	putchar('\n');
	line("words", t->words);
	putchar('\n');
	line("distinct words", walk->counts.distinct);
	printf("\nmost frequent:\n");
	for (unsigned i = 0; i < walk->counts.nr_top; i++)
		print_word(&walk->counts.top[i]);
}

static bool same_word(const struct word *v, const struct word *w)
{
	return v->count == w->count && v->len == w->len && !memcmp(v->text, w->text, v->len);
}

static bool same_result(const struct walk *many, const struct walk *one)
{
	const struct counts *a = &many->counts, *b = &one->counts;

	for (unsigned i = 0; i < a->nr_top && i < b->nr_top; i++)
		if (!same_word(&a->top[i], &b->top[i]))
			return false;
	return !memcmp(&many->tally, &one->tally, sizeof(one->tally)) &&
	       a->distinct == b->distinct && a->digest == b->digest;
}

static int report(const struct options *options, const struct walk *many, const struct walk *one)
{
	print_result(many);
	report_times(&many->run, &one->run);
	if (options->verbose)
		printf("of that, the merge of the workers' tables took %.3f s and %.3f s\n",
		       (double)many->merge_wall / 1e9, (double)one->merge_wall / 1e9);
	report_runs(options, &many->run, &one->run);
	if (same_result(many, one)) {
		puts("\nthe results are equal");
		return 0;
	}
	puts("\non one worker:\n");
	print_result(one);
	fflush(stdout);	/* so that it stands before stderr's output */
	fputs("nap-demo: the results differ; did the files change meanwhile?\n", stderr);
	return EXIT_FAILED;
}

/* Reads the files into the page cache, so that both measured runs find them there. */
static int warm(const struct options *options, const struct list *list)
{
	struct walk walk = {
		.list = list, .title = "reading every file once", .verbose = options->verbose,
	};
	int status = walk_on(&walk, options, options->workers);

	if (!status)
		printf("every file was read once to warm the page cache (%.3f s, not counted)\n\n",
		       (double)walk.run.wall / 1e9);
	walk_free(&walk);
	return status;
}

static int measure(const struct options *options, const struct list *list)
{
	struct walk many = { .list = list, .title = "counting on all workers", .count = true };
	struct walk one = { .list = list, .title = "counting on one worker", .count = true };
	int status = walk_on(&many, options, options->workers);

	if (!status)
		status = walk_on(&one, options, 1);
	if (!status)
		status = report(options, &many, &one);
	walk_free(&many);
	walk_free(&one);
	return status;
}

int cmd_words(const struct options *options, int argc, char **argv)
{
	static char *usual[] = { "/usr/include", "/usr/share" };
	struct list list = { .others = 0 };
	int status;

	run_ends_by_itself();
	status = argc ? list_files(&list, options->verbose, argc, argv) :
			list_files(&list, options->verbose, 2, usual);
	if (!status)
		status = warm(options, &list);
	if (!status)
		status = measure(options, &list);
	list_free(&list);
	return status;
}
