/* SPDX-License-Identifier: MIT */
/*
 * Stand-ins for parts that a program does not use. Each function here is weak. The part has the
 * strong one, and a program that uses the part names another symbol of it: so the linker takes the
 * part from the library, and its function replaces this one.
 *
 *	part		comes with
 *	----		----------
 *	forked jobs	nap_fork_slow() in src/sched/jobs.c, and what that calls in src/worker/ask.c
 *	ends		nap_pool_shutdown(), nap_pool_notify_end(), which call what else src/sched/ends.c has
 *
 * So a stand-in never has anything to find; it leaves what the rest of the library looks at as the
 * part would. The linker takes the first of several that has a name: src/os/bare/bare.mk puts this
 * file in front of the library.
 */
#include "arch/atomic.h"
#include "sched/ends.h"
#include "sched/jobs.h"
#include "worker/ask.h"

/* ---- forked jobs */

__attribute__((weak))
struct nap_task *nap__steal_job(struct nap_worker *worker, struct nap_worker *victim, bool *more)
{
	(void)worker;
	(void)victim;
	(void)more;
	return NULL;
}

__attribute__((weak)) struct nap_task *nap__own_job(struct nap_worker *worker)
{
	(void)worker;
	return NULL;
}

__attribute__((weak)) uint32_t nap__ask_for_jobs(struct nap_worker *worker)
{
	(void)worker;
	return 0;
}

__attribute__((weak)) bool nap__jobs_wait(struct nap_pool *pool)
{
	(void)pool;
	return false;
}

/* ---- ends */

__attribute__((weak)) void nap__ends_look(struct nap_pool *pool)
{
	(void)pool;
}

/* The count of busy ones looks at that: src/life/remaining.c. */
__attribute__((weak)) void nap__ends_return(struct nap_worker *worker)
{
	/* As in src/sched/ends.c: what the tasks did. [N2] */
	nap_store_release(&worker->home, 1);
}

__attribute__((weak)) void nap__ends_tell(struct nap_pool *pool)
{
	(void)pool;
}
