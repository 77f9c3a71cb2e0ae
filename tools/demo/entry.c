// SPDX-License-Identifier: MIT
/* Entries: their life, their path, and how they are opened. */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Out of descriptors: how often and how long to wait until other workers close theirs. */
#define FD_TRIES 5000
#define FD_WAIT_US 1000

struct entry *entry_new(struct walk *walk, const struct root *root, struct entry *parent,
			const char *name, bool is_dir)
{
	size_t size = strlen(name) + 1;
	struct entry *entry = malloc(sizeof(*entry) + size);

	if (!entry)
		return NULL;
	nap_task_init(&entry->task, is_dir ? dir_task : file_task);
	entry->walk = walk;
	entry->root = root;
	entry->parent = parent;
	entry->refs = 1;
	entry->is_dir = is_dir;
	memcpy(entry->name, name, size);
	if (parent)
		__atomic_fetch_add(&parent->refs, 1, __ATOMIC_RELAXED);
	return entry;
}

/* A loop, because trees may be deeper than the stack. */
void entry_put(struct entry *entry)
{
	struct entry *parent;

	while (entry && __atomic_fetch_sub(&entry->refs, 1, __ATOMIC_ACQ_REL) == 1) {
		parent = entry->parent;
		free(entry);
		entry = parent;
	}
}

/* A stop came before this one's turn. */
void entry_leave(struct entry *entry)
{
	struct walk *walk = entry->walk;

	__atomic_fetch_add(entry->is_dir ? &walk->left_dirs : &walk->left_files, 1,
			   __ATOMIC_RELAXED);
	entry_put(entry);
}

static int reserve(struct slot *slot, size_t need)
{
	size_t cap = slot->path_cap ? slot->path_cap : 4096;
	char *path;

	if (need <= slot->path_cap)
		return 0;
	while (cap < need)
		cap *= 2;
	path = realloc(slot->path, cap);
	if (!path)
		return -1;
	slot->path = path;
	slot->path_cap = cap;
	return 0;
}

/* Into slot->path, below the root's directory; returns its length, or -1: no memory. */
static ssize_t entry_path(struct slot *slot, const struct entry *entry)
{
	const struct entry *e;
	size_t len = 0, n;
	char *p;

	for (e = entry; e; e = e->parent)
		len += strlen(e->name) + 1;
	if (reserve(slot, len))
		return -1;
	p = slot->path + len;
	for (e = entry; e; e = e->parent) {
		*--p = e == entry ? '\0' : '/';
		n = strlen(e->name);
		p -= n;
		memcpy(p, e->name, n);
	}
	return (ssize_t)len - 1;
}

/* Returns a descriptor, or -1 and errno; ENOMEM, EMFILE and ENFILE are no fault of the file. */
int entry_open(struct slot *slot, struct entry *entry, int flags)
{
	ssize_t len = entry_path(slot, entry);
	int fd = -1;

	if (len < 0) {
		errno = ENOMEM;
		return -1;
	}
	for (int i = 0; i < FD_TRIES; i++) {
		fd = open_beneath(entry->root->fd, slot->path, (size_t)len, flags | O_CLOEXEC);
		if (fd >= 0 || (errno != EMFILE && errno != ENFILE))
			break;
		if (run_stopped(&entry->walk->run))
			break;
		usleep(FD_WAIT_US);
	}
	return fd;
}

/* Names come from the file system: nothing in them may act on the terminal. */
static size_t escape(char *to, const char *from, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	char *p = to;
	unsigned char c;

	while (len--) {
		c = (unsigned char)*from++;
		if (c >= ' ' && c != 0x7f && c != '\\') {
			*p++ = (char)c;
		} else {
			*p++ = '\\';
			*p++ = 'x';
			*p++ = hex[c >> 4];
			*p++ = hex[c & 15];
		}
	}
	return (size_t)(p - to);
}

static size_t append(char *to, const char *text)
{
	return escape(to, text, strlen(text));
}

/* Say which file could not be read. Without memory for the message it goes without saying. */
void entry_complain(struct slot *slot, struct entry *entry, int error)
{
	const char *dir = entry->root->dir, *rest, *why = strerror(error);
	ssize_t len = entry_path(slot, entry);
	char *message;
	size_t n = 0;

	if (len < 0)
		return;
	message = malloc(4 * (strlen(dir) + (size_t)len) + 128);
	if (!message)
		return;
	rest = strncmp(slot->path, "./", 2) ? slot->path : slot->path + 2;
	memcpy(message, "nap-demo: ", 10);
	n = 10 + append(message + 10, dir);
	if (strcmp(rest, ".")) {
		if (message[n - 1] != '/')
			message[n++] = '/';
		n += append(message + n, rest);
	}
	n += (size_t)snprintf(message + n, 100, ": %s\n", why);
	progress_message(message, n);
	free(message);
}
