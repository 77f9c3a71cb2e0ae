/* SPDX-License-Identifier: MIT */
/*
 * NAP_TRACE: nap/trace.h. Typically the variable is not set, and a pool's first use costs one test
 * of a word. If it is set, each pool that is used has a file. The file is created at the first use,
 * and written at the pool's join, or, if the pool is not joined, at the exit.
 *
 * A pool's file is numbered in the order of the first uses. The child of a fork begins anew, with
 * the number of the process in the name, and leaves the files of its parent's pools alone.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "os/linux/text.h"
#include "os/os.h"
#include "sync/gate.h"
#include "sync/process_lock.h"
#include "trace/trace.h"

/* The room after the name for the numbers of the process and of the pool. */
#define NUMBERS	32

static uint32_t off;			/* A: 1: NAP_TRACE is not set, or is too long */
static uint32_t process;		/* A: the process whose pools are counted; 0: none yet */
static uint32_t lock;			/* src/sync/process_lock.h */
/* The following are protected by the lock: */
static char path[4096 + NUMBERS];
static size_t name_length;		/* the length of the variable's value, in @path */
static uint32_t events;			/* stored last; 0: the environment was not read yet */
static uint32_t nr_pools;
static struct nap__trace *traced;	/* the traces whose files are to be written */

static __attribute__((format(printf, 1, 2))) void complain(const char *fmt, ...)
{
	char line[384];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	/* Not noticed in tests when <= for <, 2 for 1 or 0 for 1: every line is shorter. */
	nap__os_write(2, line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

static uint32_t read_events(void)
{
	const char *text = secure_getenv("NAP_TRACE_EVENTS");
	const char *end = text;
	uint64_t n;

	if (!text)
		return NAP_TRACE_EVENTS;
	if (nap__parse_digits(&end, &n) && !*end && n && n <= NAP_TRACE_EVENTS_MAX)
		return (uint32_t)n;
	complain("nap: NAP_TRACE_EVENTS=%.64s is no number of events, 1 to %u\n", text,
		 NAP_TRACE_EVENTS_MAX);
	return NAP_TRACE_EVENTS;
}

/* Called under the lock. False: no pool is traced. */
static bool read_environment(void)
{
	const char *name = secure_getenv("NAP_TRACE");

	if (!name || !*name)
		return false;
	if (strlen(name) >= sizeof(path) - 2 * NUMBERS) {
		complain("nap: NAP_TRACE is too long a name\n");
		return false;
	}
	strcpy(path, name);
	name_length = strlen(name);
	events = read_events();
	return true;
}

/*
 * Called under the lock: whether pools are traced. The child of a fork comes here with what the
 * parent has set, of which the last steps may be missing: so it repeats them.
 */
static bool is_wanted(void)
{
	uint32_t here = nap_load_relaxed(&nap__fork_gen), before = nap_load_relaxed(&process);

	if (before == here)
		return true;
	/* Stored first: so a child knows that its parent may have a file of the plain name. */
	nap_store_relaxed(&process, here);
	if (!events && !read_environment()) {
		nap_store_relaxed(&off, 1);
		return false;
	}
	if (before) {
		nr_pools = 0;
		traced = NULL;
		/* Not noticed in tests when 3 for 2 or 1 for 2: the number has seven digits. */
		snprintf(path + name_length, NUMBERS / 2, ".%u", nap__os_process_number());
	}
	return true;
}

/* Returns why a file was not created, and what to do, as one text; NULL: the errno is shown. */
static const char *reason_of(int err)
{
	switch (err) {
	case -EEXIST:
		return "it is there already, and is not overwritten; "
		       "remove it, or name another file";
	case -ENOENT:
	case -ENOTDIR:
		return "its directory is not there; make it, or name another one";
	case -EISDIR:
		return "it is a directory; name a file in it";
	case -ENAMETOOLONG:
		return "its name is too long; name another file";
	case -EACCES:
	case -EPERM:
	case -EROFS:
		return "this process may not write there; name a file in another directory";
	case -EMFILE:
	case -ENFILE:
		return "too many files are open; raise the limit (ulimit -n)";
	case -ENOSPC:
	case -EDQUOT:
		return "the disk is full; name a file on another one";
	}
	return NULL;
}

static void complain_of_file(int err)
{
	const char *reason = reason_of(err);
	char number[32];

	snprintf(number, sizeof(number), "errno %d", -err);
	complain("nap: NAP_TRACE: this pool is not traced, because %.180s cannot be created: %s\n",
		 path, reason ? reason : number);
}

static int create_next(void)
{
	size_t len = strlen(path);
	int fd;

	if (++nr_pools > 1)
		/* Not noticed in tests when 3 for 2 or 1 for 2: the number has one digit. */
		snprintf(path + len, NUMBERS / 2, ".%u", nr_pools);
	fd = nap__os_create(path);
	/* Not noticed in tests when <= for <: nap__os_create() returns no number below 3. */
	if (fd < 0)
		complain_of_file(fd);
	path[len] = 0;
	return fd;
}

static void begin_listed(struct nap_pool *pool)
{
	struct nap_trace_options options = { .events = events };
	struct nap__trace *trace;
	int fd;

	/* Another thread that uses the pool for the first time was faster. */
	if (nap_load_relaxed(&pool->trace))
		return;
	fd = create_next();
	/* Not noticed in tests when <= for <: nap__os_create() returns no number below 3. */
	if (fd < 0)
		return;
	if (nap__trace_begin(pool, &options, &trace)) {
		complain("nap: NAP_TRACE: no memory\n");
		nap__os_close(fd);
		return;
	}
	trace->file = fd;
	trace->pool = pool;
	trace->next = traced;
	traced = trace;
}

void nap__trace_from_start(struct nap_pool *pool)
{
	if (nap_load_relaxed(&off))
		return;
	process_lock_take(&lock);
	if (!nap_load_relaxed(&off) && is_wanted())
		begin_listed(pool);
	process_lock_give(&lock);
}

int nap__trace_unlist(struct nap__trace *trace)
{
	int file;

	process_lock_take(&lock);
	for (struct nap__trace **t = &traced; *t; t = &(*t)->next)
		if (*t == trace) {
			*t = trace->next;
			break;
		}
	file = trace->file;
	process_lock_give(&lock);
	return file;
}

/*
 * Writes the file of one pool, unless the visits are closed: then the pool's joiner writes it. A
 * pool that is joined after this has no file to write.
 */
static void write_one(struct nap__trace *trace)
{
	struct nap_pool *pool = trace->pool;

	if (!gate_enter(&pool->visits))
		return;
	nap__trace_to(pool, trace, trace->file, 0);
	nap__os_close(trace->file);
	trace->file = -1;
	/* Not noticed in tests when dropped: the process ends, also beside a join. */
	gate_leave(&pool->visits);
}

static void write_listed(void)
{
	process_lock_take(&lock);
	while (traced) {
		struct nap__trace *trace = traced;

		traced = trace->next;
		write_one(trace);
	}
	process_lock_give(&lock);
}

/*
 * Writes at the exit the files of pools that were not joined. In the child of a fork the pools are
 * the parent's, and their memory may be unmapped.
 */
__attribute__((destructor)) static void write_rest(void)
{
	uint32_t of;

	unseen_begin();
	of = nap_load_relaxed(&process);
	if (of && of == nap_load_relaxed(&nap__fork_gen))
		write_listed();
	unseen_end();
}
