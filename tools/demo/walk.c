// SPDX-License-Identifier: MIT
/* A walk from its first task to its result. */
#include "walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_progress(void *arg)
{
	struct walk *walk = arg;
	char files[32], bytes[32], line[128];
	struct tally tally;

	slots_tally(walk, &tally);
	snprintf(line, sizeof(line), "%s: %s files, %s MB", walk->title,
		 digits(tally.files, files), digits(tally.bytes / 1000000, bytes));
	progress_show(line);
}

static struct entry *root_entry(struct walk *walk, const struct root *root)
{
	return entry_new(walk, root, NULL, root->file ? root->file : ".", !root->file);
}

/* Frees what was not scheduled. */
static int refuse(struct walk *walk, struct nap_batch *batch, int ret)
{
	struct nap_task *task;

	while ((task = nap_batch_pop(batch)))
		entry_put(nap_container_of(task, struct entry, task));
	run_fail(&walk->run, -ret);
	return -ECANCELED;
}

static int schedule_roots(struct walk *walk)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct entry *entry;
	int ret;

	for (size_t i = 0; i < walk->roots->count; i++) {
		if (walk->roots->root[i].dropped)
			continue;
		entry = root_entry(walk, &walk->roots->root[i]);
		if (!entry)
			return refuse(walk, &batch, -ENOMEM);
		nap_batch_push(&batch, &entry->task);
	}
	ret = nap_group_add(&walk->run.group, (uint32_t)batch.count);
	if (!ret)
		ret = nap_schedule_batch(&walk->run.pool, &batch);
	return ret ? refuse(walk, &batch, ret) : 0;
}

static int timed(struct walk *walk)
{
	uint64_t before;
	int ret;

	run_start_clock(&walk->run);
	ret = schedule_roots(walk);
	if (!ret)
		ret = run_wait(&walk->run, show_progress, walk);
	if (!ret && walk->count) {
		before = run_clock();
		ret = merge(walk);
		walk->merge_wall = run_clock() - before;
	}
	run_stop_clock(&walk->run);
	return ret;
}

static void collect_left(struct walk *walk, struct nap_batch *left)
{
	struct nap_task *task;

	while ((task = nap_batch_pop(left))) {
		if (task->run == dir_task || task->run == file_task)
			entry_leave(nap_container_of(task, struct entry, task));
		else
			walk->left_merges++;
	}
}

/* Returns 0 with a result, or -ECANCELED when a signal or an error (run.error) stopped it. */
int walk_run(struct walk *walk, const struct options *options, unsigned workers)
{
	static unsigned long last_id;
	struct nap_batch left = NAP_BATCH_INIT;
	int ret;

	walk->id = ++last_id;
	ret = run_begin(&walk->run, options, workers);
	if (ret) {
		walk->run.error = -ret;
		return -ECANCELED;
	}
	ret = timed(walk);
	run_end(&walk->run, &left);
	collect_left(walk, &left);
	slots_tally(walk, &walk->result.tally);
	return ret;
}

/* The result's top words go with it. */
void walk_free(struct walk *walk)
{
	slots_free(walk);
	free(walk->shards);
	walk->shards = NULL;
	run_free(&walk->run);
}
