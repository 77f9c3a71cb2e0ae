/* SPDX-License-Identifier: MIT */
/*
 * grep -rn PATTERN PATH...: searches several files at a time, and prints the lines of each file
 * in order.
 *
 *	cc -O2 grep.c -lnap -o nap-grep && ./nap-grep 'struct .*stat' /usr/include
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <nap/nap.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct nap_pool pool;
static const char *pattern;
static bool plain;		/* the pattern is a plain string */
static regex_t regex;
static char **files;
static size_t nr_files;
static uint32_t nr_matches;

static int note_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if (type != FTW_F || !S_ISREG(st->st_mode))
		return 0;
	if (!(nr_files & (nr_files - 1)))
		files = realloc(files, (nr_files ? 2 * nr_files : 1) * sizeof(*files));
	return files && (files[nr_files++] = strdup(path)) ? 0 : -1;
}

/* Returns the first line from @at on that matches, or NULL. */
static const char *next_match(const char *at, const char *end)
{
	regmatch_t whole = { 0, end - at };

	if (plain)
		return memmem(at, (size_t)(end - at), pattern, strlen(pattern));
	return regexec(&regex, at, 1, &whole, REG_STARTEND) ? NULL : at + whole.rm_so;
}

static void search(FILE *out, const char *path, const char *text, const char *end)
{
	const char *counted = text, *at = text;
	size_t line = 1;

	while (at < end && (at = next_match(at, end))) {
		const char *begin = memrchr(text, '\n', (size_t)(at - text));
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		begin = begin ? begin + 1 : text;
		stop = stop ? stop : end;
		for (; counted < begin; line++)
			counted = (char *)memchr(counted, '\n', (size_t)(end - counted)) + 1;
		fprintf(out, "%s:%zu:%.*s\n", path, line, (int)(stop - begin), begin);
		__atomic_fetch_add(&nr_matches, 1, __ATOMIC_RELAXED);
		at = stop + 1;
	}
}

static int grep_files(size_t i, size_t end, void *unused)
{
	for (; i < end; i++) {
		int fd = open(files[i], O_RDONLY);
		off_t size = lseek(fd, 0, SEEK_END);
		char *found = NULL, *text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
		FILE *out = open_memstream(&found, &(size_t){ 0 });

		if (fd < 0 || !out)
			perror(files[i]);
		else if (text != MAP_FAILED)
			search(out, files[i], text, text + size);
		if (out && !fclose(out))
			/* one call, so that no other thread's lines come in between */
			fputs(found, stdout);
		free(found);
		munmap(text, (size_t)size);
		close(fd);
	}
	return unused != NULL;
}

int main(int argc, char **argv)
{
	if (argc < 3 || regcomp(&regex, pattern = argv[1], REG_NEWLINE))
		return fprintf(stderr, "usage: %s PATTERN PATH...\n", argv[0]), 2;
	plain = !strpbrk(pattern, "\\[]*.^$");
	for (int i = 2; i < argc; i++)
		if (nftw(argv[i], note_file, 64, FTW_PHYS))
			return perror(argv[i]), 2;
	nap_for(&pool, 0, nr_files, grep_files, NULL);
	return nap_pool_join(&pool, NULL) || !nr_matches;
}
