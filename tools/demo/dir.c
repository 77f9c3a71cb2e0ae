// SPDX-License-Identifier: MIT
/* The task of a directory: list it, and schedule a task for everything in it as one batch. */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* DT_*; file systems that do not say are asked, and what has gone meanwhile is DT_UNKNOWN. */
static unsigned char type_of(int fd, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type;
	if (fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
		return DT_UNKNOWN;
	return IFTODT(st.st_mode);
}

/* Returns 0 or -ENOMEM. */
static int add(struct slot *slot, struct entry *dir, struct nap_batch *batch, unsigned char type,
	       const char *name)
{
	struct entry *entry;

	if (type != DT_DIR && type != DT_REG) {
		tally_add(&slot->tally.others, 1);
		return 0;
	}
	entry = entry_new(dir->walk, dir->root, dir, name, type == DT_DIR);
	if (!entry)
		return -ENOMEM;
	nap_batch_push(batch, &entry->task);
	return 0;
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Returns 0, or the positive errno of what failed; what was listed until then is in @batch. */
static int list(struct slot *slot, struct entry *dir, DIR *stream, struct nap_batch *batch)
{
	struct dirent *d;

	for (;;) {
		if (run_stopped(&dir->walk->run))
			return ECANCELED;
		errno = 0;
		d = readdir(stream);
		if (!d)
			return errno;
		if (is_dots(d->d_name))
			continue;
		if (add(slot, dir, batch, type_of(dirfd(stream), d), d->d_name))
			return ENOMEM;
	}
}

static int open_and_list(struct slot *slot, struct entry *dir, struct nap_batch *batch)
{
	int fd = entry_open(slot, dir, O_RDONLY | O_DIRECTORY);
	DIR *stream;
	int error;

	if (fd < 0)
		return errno;
	stream = fdopendir(fd);
	if (!stream) {
		error = errno;
		close(fd);
		return error;
	}
	error = list(slot, dir, stream, batch);
	closedir(stream);
	return error;
}

/* The group counts the new tasks before the first of them can be done. */
static void publish(struct walk *walk, struct nap_batch *batch)
{
	struct nap_task *task;
	int ret = batch->count > INT32_MAX ? -EOVERFLOW : 0;

	if (!ret)
		ret = nap_group_add(&walk->run.group, (uint32_t)batch->count);
	if (!ret)
		ret = nap_schedule_batch(&walk->run.pool, batch);
	if (ret && ret != -ESHUTDOWN)
		run_fail(&walk->run, -ret);
	while ((task = nap_batch_pop(batch)))
		entry_leave(nap_container_of(task, struct entry, task));
}

void dir_task(struct nap_task *task)
{
	struct entry *dir = nap_container_of(task, struct entry, task);
	struct nap_batch batch = NAP_BATCH_INIT;
	struct walk *walk = dir->walk;
	struct slot *slot = slot_get(walk);
	int error = slot ? open_and_list(slot, dir, &batch) : ENOMEM;

	if (error == ENOMEM || error == EMFILE || error == ENFILE) {
		run_fail(&walk->run, error);	/* nothing is counted wrong in silence */
	} else if (error == ECANCELED) {
		tally_add(&slot->tally.broken_off, 1);
	} else if (error) {
		tally_add(&slot->tally.bad_dirs, 1);
		if (walk->verbose)
			entry_complain(slot, dir, error);
	} else {
		tally_add(&slot->tally.dirs, 1);
	}
	publish(walk, &batch);
	entry_put(dir);
	nap_group_done(&walk->run.group);
}
