// SPDX-License-Identifier: MIT
/* The task of a file: read it, and count its words into the slot of the thread. */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUF_SIZE (64u << 10)

/* A NUL byte in so much of its beginning makes a file binary. */
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

static int reserve(struct slot *slot, size_t cap)
{
	char *buf;

	if (slot->cap >= cap)
		return 0;
	buf = realloc(slot->buf, cap + WORD_PAD);
	if (!buf)
		return -1;
	/* Loads may reach into the pad. */
	memset(buf + cap, 0, WORD_PAD);
	slot->buf = buf;
	slot->cap = cap;
	return 0;
}

/*
 * Count the words in the buffer's first @len bytes. A word that touches the end is moved to the
 * beginning of the buffer, unless the file ends there. Returns its length, or a negative errno.
 */
static ssize_t count_words(struct slot *slot, size_t len, bool eof)
{
	const unsigned char *p = (unsigned char *)slot->buf, *end = p + len, *start;
	uint64_t words = 0;
	size_t rest = 0;
	int ret = 0;

	slot->buf[len] = '\0';	/* part of no word */
	for (;;) {
		while (p < end && !in_word[*p])
			p++;
		start = p;
		while (in_word[*p])
			p++;
		if (p == start)
			break;
		if (p == end && !eof) {
			rest = (size_t)(p - start);
			break;
		}
		ret = vocabulary_count(&slot->voc, (const char *)start, (size_t)(p - start));
		if (ret)
			break;
		words++;
	}
	memmove(slot->buf, start, rest);
	tally_add(&slot->tally.words, words);
	return ret ? ret : (ssize_t)rest;
}

static ssize_t read_some(struct slot *slot, int fd, size_t at)
{
	ssize_t n;

	do
		n = read(fd, slot->buf + at, slot->cap - at);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	tally_add(&slot->tally.bytes, (uint64_t)n);
	return n;
}

/* The beginning of the file, in as many reads as it takes. Returns the length. */
static ssize_t read_head(struct slot *slot, int fd)
{
	size_t have = 0;
	ssize_t n;

	do {
		n = read_some(slot, fd, have);
		if (n < 0)
			return n;
		have += (size_t)n;
	} while (n && have < HEAD);
	return (ssize_t)have;
}

static int read_only(struct walk *walk, struct slot *slot, int fd)
{
	ssize_t n;

	do {
		if (run_stopped(&walk->run))
			return -ECANCELED;
		n = read_some(slot, fd, 0);
	} while (n > 0);
	return (int)n;
}

/* @have bytes of the file are in the buffer. */
static int read_and_count(struct walk *walk, struct slot *slot, int fd, size_t have)
{
	ssize_t n, rest;

	for (;;) {
		rest = count_words(slot, have, false);
		if (rest < 0)
			return (int)rest;
		if ((size_t)rest == slot->cap && reserve(slot, 2 * slot->cap))
			return -ENOMEM;
		if (run_stopped(&walk->run))
			return -ECANCELED;
		n = read_some(slot, fd, (size_t)rest);
		if (n < 0)
			return (int)n;
		if (!n)
			break;
		have = (size_t)(rest + n);
	}
	rest = count_words(slot, (size_t)rest, true);
	return rest < 0 ? (int)rest : 0;
}

static int process(struct walk *walk, struct slot *slot, int fd)
{
	ssize_t have;
	size_t head;

	if (reserve(slot, BUF_SIZE))
		return -ENOMEM;
	have = read_head(slot, fd);
	if (have < 0)
		return (int)have;
	head = (size_t)have < HEAD ? (size_t)have : HEAD;
	if (memchr(slot->buf, '\0', head)) {
		tally_add(&slot->tally.binary, 1);
		return read_only(walk, slot, fd);
	}
	return walk->count ? read_and_count(walk, slot, fd, (size_t)have)
			   : read_only(walk, slot, fd);
}

/*
 * Only regular files are read, also when the name has become something else since it was listed:
 * O_NONBLOCK keeps the open of a FIFO from waiting for a writer. Returns 0 or a negative errno.
 */
static int open_and_process(struct walk *walk, struct slot *slot, struct entry *file)
{
	int fd = entry_open(slot, file, O_RDONLY | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int ret;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = -ENXIO;
	else
		ret = process(walk, slot, fd);
	close(fd);
	return ret;
}

void file_task(struct nap_task *task)
{
	struct entry *file = nap_container_of(task, struct entry, task);
	struct walk *walk = file->walk;
	struct slot *slot = slot_get(walk);
	int ret = slot ? open_and_process(walk, slot, file) : -ENOMEM;

	switch (-ret) {
	case 0:
		tally_add(&slot->tally.files, 1);
		break;
	case ENOMEM: case EMFILE: case ENFILE: case EOVERFLOW:
		run_fail(&walk->run, -ret);	/* nothing is counted wrong in silence */
		break;
	case ECANCELED:
		tally_add(&slot->tally.broken_off, 1);
		break;
	default:
		tally_add(&slot->tally.bad_files, 1);
		if (walk->verbose)
			entry_complain(slot, file, -ret);
	}
	entry_put(file);
	nap_group_done(&walk->run.group);
}
