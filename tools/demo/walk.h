/* SPDX-License-Identifier: MIT */
/*
 * nap-demo words: loops over the files below the paths of the command line.
 *
 *	list.c	finds the files, before anything is measured
 *	file.c	reads files in parallel, and counts the words of each into the worker's own tables
 *	merge.c	adds up the workers' tables, shard by shard
 */
#ifndef DEMO_WALK_H
#define DEMO_WALK_H

#include "demo.h"
#include "table.h"

#define TOP 10

struct paths {
	char **path;
	size_t count;
};

/* The files and directories that were found. */
struct list {
	struct paths files;
	struct paths dirs;
	uint64_t bad_dirs;
	uint64_t others;	/* symbolic links, sockets, devices */
};

/* Numbers only. The slot's worker writes them, and the main thread reads them at the same time. */
struct tally {
	uint64_t files;
	uint64_t bad_files;
	uint64_t binary;
	uint64_t bytes;
	uint64_t words;
};

/* A worker's own part of the counts. */
struct slot {
	struct slot *next;
	struct tally tally;
	struct vocabulary voc;
	char *buf;
	size_t cap;	/* size of @buf, without its pad */
};

/* Counts of all words, or of the words of some shards. */
struct counts {
	uint64_t distinct;
	uint64_t digest;	/* a digest of all words and counts, in any order */
	struct word top[TOP];
	uint64_t nr_top;
};

struct walk {
	struct run run;
	const struct list *list;
	const char *title;	/* the line of progress begins with it */
	bool count;	/* count words; else only read the files */
	bool verbose;	/* name files that cannot be read */
	struct nap_local local;	/* has the slot of each worker */
	struct slot *slots;	/* atomic: a stack that only grows */
	struct tally tally;
	struct counts counts;
	uint64_t merge_wall;
};

/* list.c */
int list_files(struct list *list, bool verbose, int nr_roots, char **roots);
void list_free(struct list *list);
void complain(const char *path, int error);

/* file.c, merge.c: run the loops over files */
int walk_count(struct walk *walk);
int walk_merge(struct walk *walk);

#endif /* DEMO_WALK_H */
