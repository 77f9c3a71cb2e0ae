/* SPDX-License-Identifier: MIT */
/*
 * The end of a scope: nap/scope.h. Typically the caller waits for the group that counts the fibers.
 * After a stop of their pool the caller makes sure that some thread runs them.
 */
#include <nap/scope.h>

#include <errno.h>

#include "async/fiber/fiber.h"
#include "async/fiber/scope.h"
#include "life/pool.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/pause.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "worker/self.h"

/*
 * Lets the fibers run. No wait of the caller lasts, because its own pool or the scope's pool is
 * stopped. The fibers of a stopped pool run only in its join, which may come only after this call.
 * So a caller from outside ends that pool here. A fiber gives way: the joiner of its pool runs the
 * fibers one after the other (src/async/fiber/stop.c).
 */
static void let_fibers_run(struct nap_scope *scope, uint64_t deadline, uint32_t *looks)
{
	struct nap_fiber *fiber;

	unseen_begin();
	fiber = nap__fiber_waiting();
	if (pool_canceled(scope->pool) && !insider(scope->pool))
		nap__pool_end(scope->pool, deadline);
	else if (fiber)
		nap__fiber_yield(fiber);
	else
		pause_briefly(looks);
	unseen_end();
}

/* Cancels the fibers of a canceled caller, and waits for them. */
static int end_canceled(struct nap_scope *scope, uint64_t deadline)
{
	bool shielded = nap_fiber_shield(true);
	uint32_t looks = 0;
	int err;

	nap_scope_cancel(scope);
	while ((err = nap_group_wait_until(&scope->group, deadline)) == -ECANCELED) {
		if (deadline_passed(deadline)) {
			err = -ETIMEDOUT;
			break;
		}
		let_fibers_run(scope, deadline, &looks);
	}
	nap_fiber_shield(shielded);
	return err;
}

int nap_scope_end_until(struct nap_scope *scope, uint64_t deadline, intptr_t *result)
{
	intptr_t canceled = 0;
	int err;

	if (!scope)
		return -EINVAL;
	if (pool_forked(scope->pool))
		return -ESHUTDOWN;
	unseen_begin();
	nap__scope_close(scope);
	unseen_end();
	err = nap_group_wait_until(&scope->group, deadline);
	if (err == -ECANCELED) {
		canceled = err;
		err = end_canceled(scope, deadline);
	}
	if (!err && result)
		*result = scope->failure ? scope->failure : canceled;
	return err;
}

intptr_t nap_scope_end(struct nap_scope *scope)
{
	intptr_t result = 0;
	int err = nap_scope_end_until(scope, NAP_FOREVER, &result);

	return err ? err : result;
}
