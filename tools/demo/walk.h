/* SPDX-License-Identifier: MIT */
/*
 * A walk: a task for every directory and every file below the roots.
 *
 *	walk_run() -> root tasks -> dir.c: list, a batch of tasks per listing
 *	                              -> file.c: read and count, into the slot of the thread
 *	           -> merge.c: a task per shard
 */
#ifndef DEMO_WALK_H
#define DEMO_WALK_H

#include "demo.h"
#include "table.h"

#define TOP 10

/* A path of the command line: a directory, or the one that holds the file, without links. */
struct root {
	char *full;	/* the path itself */
	char *dir;	/* a directory: the same path */
	const char *file;	/* the name of a file root; NULL for a directory */
	int fd;		/* O_PATH of @dir */
	bool owns_fd;	/* files of one directory share it */
	bool dropped;	/* another root covers it */
};

struct roots {
	struct root *root;
	size_t count;
};

/*
 * A directory or a file that was found, and the task that looks into it. Queued in tens of
 * thousands, so it holds no file descriptor: it is opened through the names of its ancestors.
 */
struct entry {
	struct nap_task task;
	struct walk *walk;
	const struct root *root;
	struct entry *parent;
	uint32_t refs;	/* A: one of its own, one of each child */
	bool is_dir;
	char name[];
};

/* Access: written by the slot's thread, read by the main thread meanwhile. */
struct tally {
	uint64_t files;
	uint64_t binary;
	uint64_t bytes;
	uint64_t words;
	uint64_t dirs;
	uint64_t bad_files;
	uint64_t bad_dirs;
	uint64_t others;	/* symbolic links, sockets, devices */
	uint64_t broken_off;	/* by a stop, at a file or in a directory */
};

/*
 * What a thread that runs tasks needs for itself: a worker or a thread that helps, of which there
 * may be several and which have no index; so a slot is made when a thread runs its first task.
 */
struct slot {
	struct slot *next;
	struct tally tally;
	struct vocabulary voc;
	char *buf;
	size_t cap;	/* of @buf, without its pad */
	char *path;
	size_t path_cap;
};

struct result {
	struct tally tally;
	uint64_t distinct;
	uint64_t digest;	/* of all words and counts, in any order */
	struct word top[TOP];
	unsigned nr_top;
};

struct walk {
	struct run run;
	const struct roots *roots;
	const char *title;	/* of the progress line */
	bool count;	/* else the files are only read */
	bool verbose;	/* name what cannot be read */
	unsigned long id;	/* I: tells this walk's slots from an earlier walk's */
	struct slot *slots;	/* A: a stack that only grows */
	struct shard *shards;	/* of the merge; tasks may refer to them until the join */
	uint64_t left_dirs;	/* A: tasks that a stop left over */
	uint64_t left_files;	/* A */
	uint64_t left_merges;
	uint64_t merge_wall;
	struct result result;
};

/* roots.c */
int roots_open(struct roots *roots, int argc, char **argv);
void roots_close(struct roots *roots);

/* beneath.c */
int open_beneath(int dirfd, char *path, size_t len, int flags);

/* entry.c */
struct entry *entry_new(struct walk *walk, const struct root *root, struct entry *parent,
			const char *name, bool is_dir);
void entry_put(struct entry *entry);
void entry_leave(struct entry *entry);
int entry_open(struct slot *slot, struct entry *entry, int flags);
void entry_complain(struct slot *slot, struct entry *entry, int error);

/* dir.c, file.c: the tasks */
void dir_task(struct nap_task *task);
void file_task(struct nap_task *task);

/* merge.c */
int merge(struct walk *walk);

/* slot.c */
struct slot *slot_get(struct walk *walk);
void slots_tally(struct walk *walk, struct tally *sum);
void slots_free(struct walk *walk);
static inline void tally_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* walk.c */
int walk_run(struct walk *walk, const struct options *options, unsigned workers);
void walk_free(struct walk *walk);

#endif /* DEMO_WALK_H */
