/* SPDX-License-Identifier: MIT */
/*
 * The loop over files: each iteration reads a file, and counts its words into the slot of the
 * worker.
 */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUF_SIZE (64u << 10)

/* A NUL byte in the first HEAD bytes makes a file binary. */
#define HEAD (8u << 10)

#define W(c) [c] = 1
#define W4(c) W(c), W((c) + 1), W((c) + 2), W((c) + 3)
#define W16(c) W4(c), W4((c) + 4), W4((c) + 8), W4((c) + 12)
static const unsigned char in_word[256] = {
	W4('0'), W4('4'), W('8'), W('9'), W('_'),
	W16('A'), W4('Q'), W4('U'), W('Y'), W('Z'),
	W16('a'), W4('q'), W4('u'), W('y'), W('z'),
	W16(0x80), W16(0x90), W16(0xa0), W16(0xb0), W16(0xc0), W16(0xd0), W16(0xe0), W16(0xf0),
};

static void tally_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static int reserve(struct slot *slot, size_t cap)
{
	char *buf;

	if (slot->cap >= cap)
		return 0;
	buf = realloc(slot->buf, cap + WORD_PAD);
	if (!buf)
		return ENOMEM;
	/* Loads of eight bytes may reach into the pad. */
	memset(buf + cap, 0, WORD_PAD);
	slot->buf = buf;
	slot->cap = cap;
	return 0;
}

/*
 * Counts the words in the buffer's first *@len bytes. Unless the file ends there, a word that
 * touches the end moves to the buffer's beginning. *@len becomes the length of that word, else 0.
 */
static int count_words(struct slot *slot, size_t *len, bool eof)
{
	const unsigned char *p = (unsigned char *)slot->buf, *end = p + *len, *start;
	uint64_t words = 0;
	int error = 0;

	slot->buf[*len] = '\0';	/* a byte that is part of no word */
	*len = 0;
	while (!error) {
		while (p < end && !in_word[*p])
			p++;
		start = p;
		while (in_word[*p])
			p++;
		if (p == start)
			break;
		if (p == end && !eof) {
			*len = (size_t)(p - start);
			break;
		}
		error = vocabulary_count(&slot->voc, (const char *)start, (size_t)(p - start));
		words += !error;
	}
	memmove(slot->buf, start, *len);
	tally_add(&slot->tally.words, words);
	return error;
}

/* Reads more of the file after *@have bytes, and adds it to *@have. Sets @eof at the file's end. */
static int read_some(struct slot *slot, int fd, size_t *have, bool *eof)
{
	ssize_t n;

	if (__atomic_load_n(&run_stop, __ATOMIC_RELAXED))
		return ECANCELED;
	do
		n = read(fd, slot->buf + *have, slot->cap - *have);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno;
	tally_add(&slot->tally.bytes, (uint64_t)n);
	*have += (size_t)n;
	*eof = !n;
	return 0;
}

/*
 * Reads the file. The first HEAD bytes, which may take several reads, show whether the file is
 * binary.
 */
static int read_file(struct slot *slot, int fd, bool count)
{
	size_t have = 0;
	bool eof = false;
	int error = reserve(slot, BUF_SIZE);

	while (!error && !eof && have < HEAD)
		error = read_some(slot, fd, &have, &eof);
	if (error)
		return error;
	if (memchr(slot->buf, '\0', have < HEAD ? have : HEAD)) {
		tally_add(&slot->tally.binary, 1);
		count = false;
	}
	while (!error && !eof) {
		if (!count)
			have = 0;
		else
			error = count_words(slot, &have, false);
		if (!error && have == slot->cap)
			error = reserve(slot, 2 * slot->cap);
		if (!error)
			error = read_some(slot, fd, &have, &eof);
	}
	return !error && count ? count_words(slot, &have, true) : error;
}

/*
 * Counts a file. Only regular files are read. The name may have become something else since it was
 * listed: O_NONBLOCK keeps the open of a FIFO from waiting for a writer.
 */
static int count_file(struct slot *slot, const char *path, bool count)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC), error;
	struct stat st;

	if (fd < 0)
		return errno;
	if (fstat(fd, &st))
		error = errno;
	else
		error = S_ISREG(st.st_mode) ? read_file(slot, fd, count) : ENXIO;
	close(fd);
	return error;
}

/*
 * Counts files. A file that cannot be read is counted as unreadable, and named. Without memory or
 * descriptors there is no result, rather than a wrong one.
 */
static int count_files(size_t i, size_t end, void *arg)
{
	struct walk *walk = arg;
	struct slot *slot = nap_local_get(nap_worker_self(), &walk->local);
	int error = slot ? 0 : ENOMEM;

	for (; i < end && !error; i++) {
		const char *path = walk->list->files.path[i];

		error = count_file(slot, path, walk->count);
		if (!error)
			tally_add(&slot->tally.files, 1);
		if (!error || error == ECANCELED || error == ENOMEM || error == EMFILE ||
		    error == ENFILE || error == EOVERFLOW)
			continue;
		tally_add(&slot->tally.bad_files, 1);
		if (walk->verbose)
			complain(path, error);
		error = 0;
	}
	return -error;
}

/* Returns 0, or the positive errno of what failed. */
int walk_count(struct walk *walk)
{
	static const struct nap_loop stoppable = { .stop = &run_stop };

	return -nap_for_as(&walk->run.pool, &stoppable, 0, walk->list->files.count, count_files,
			   walk);
}
