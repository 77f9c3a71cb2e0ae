/* SPDX-License-Identifier: MIT */
/*
 * Scopes: nap/scope.h. The end of a scope: scope_end.c.
 *
 * The fibers of a scope are in a list under the scope's lock, and the scope's group counts them. A
 * canceling thread claims their waits under the lock, and resumes the fibers after it has released
 * the lock. Until then none of these fibers can end, because no other thread resumes a fiber whose
 * wait is claimed.
 */
#include "async/fiber/scope.h"

#include <errno.h>

#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "sync/debug.h"
#include "sync/lock.h"
#include "wait/group.h"
#include "worker/enter.h"
#include "worker/self.h"

static void open_by(struct nap_scope *scope, struct nap_fiber *owner)
{
	if (!owner)
		return;
	scope->owner = owner;
	scope->outer = owner->scopes;
	owner->scopes = scope;
}

static bool is_canceled(struct nap_scope *scope)
{
	bool canceled;

	lock_take(&scope->lock);
	canceled = scope->canceled;
	lock_give(&scope->lock);
	return canceled;
}

void nap__scope_close(struct nap_scope *scope)
{
	struct nap_fiber *owner = scope->owner;
	struct nap_scope **link;

	if (!owner)
		return;
	for (link = &owner->scopes; *link != scope; link = &(*link)->outer)
		;
	*link = scope->outer;
	/*
	 * Under the lock, as in cancel_all(): so from here on this scope does not set WAIT_SCOPED.
	 */
	lock_take(&scope->lock);
	scope->owner = NULL;
	lock_give(&scope->lock);
	nap_fetch_and_relaxed(&owner->wait.state, ~WAIT_SCOPED);
	/* Another scope of the fiber may have set WAIT_SCOPED, too. */
	for (struct nap_scope *s = owner->scopes; s; s = s->outer)
		if (is_canceled(s))
			nap_fetch_or_relaxed(&owner->wait.state, WAIT_SCOPED);
}

int nap_scope_begin(struct nap_scope *scope, struct nap_pool *pool)
{
	bool would_block;

	if (!scope || !pool)
		return -EINVAL;
	debug_aligned(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	would_block = scope_would_block(pool);
	unseen_end();
	if (would_block)
		return -EDEADLK;
	*scope = (struct nap_scope){ .pool = pool, .group = NAP_GROUP_INIT(pool) };
	unseen_begin();
	open_by(scope, nap__fiber_waiting());
	unseen_end();
	return 0;
}

bool nap__scope_enter(struct nap_scope *scope, struct nap_fiber *fiber)
{
	bool open;

	lock_take(&scope->lock);
	open = !scope->canceled;
	if (open) {
		fiber->scope = scope;
		fiber->in_scope = scope->members;
		fiber->scope_link = &scope->members;
		if (fiber->in_scope)
			fiber->in_scope->scope_link = &fiber->in_scope;
		scope->members = fiber;
		nap__group_add(&scope->group, 1);
	}
	lock_give(&scope->lock);
	return open;
}

/*
 * Asks @fiber to end. If this claims the fiber's wait, puts the fiber at the head of the list @all.
 * Returns the list.
 */
static struct nap_fiber *scope_ask(struct nap_fiber *fiber, uint32_t flag, struct nap_fiber *all)
{
	uint32_t number;

	if (!wait_ask(&fiber->wait, flag, &number) ||
	    !nap__fiber_wait_claim(&fiber->wait, number, WAIT_CANCELED))
		return all;
	fiber->asked = all;
	return fiber;
}

/*
 * Called under the lock: asks each fiber to end. Returns the list, linked by asked, of the fibers
 * whose waits were claimed.
 */
static struct nap_fiber *cancel_all(struct nap_scope *scope)
{
	struct nap_fiber *all = NULL;

	scope->canceled = true;
	if (scope->owner)
		all = scope_ask(scope->owner, WAIT_SCOPED, all);
	for (struct nap_fiber *f = scope->members; f; f = f->in_scope)
		all = scope_ask(f, WAIT_ASKED, all);
	return all;
}

static void scope_go_on(struct nap_fiber *all)
{
	while (all) {
		struct nap_fiber *next = all->asked;

		nap__fiber_wait_ready(&all->wait);
		all = next;
	}
}

void nap__scope_leave(struct nap_fiber *fiber)
{
	struct nap_scope *scope = fiber->scope;
	struct nap_fiber *asked = NULL;

	lock_take(&scope->lock);
	*fiber->scope_link = fiber->in_scope;
	if (fiber->in_scope)
		fiber->in_scope->scope_link = fiber->scope_link;
	if (fiber->result < 0 && !scope->failure) {
		scope->failure = fiber->result;
		asked = cancel_all(scope);
	}
	lock_give(&scope->lock);
	scope_go_on(asked);
}

int nap_scope_cancel(struct nap_scope *scope)
{
	struct nap_fiber *asked;

	if (!scope)
		return -EINVAL;
	if (pool_forked(scope->pool))
		return -ESHUTDOWN;
	unseen_begin();
	lock_take(&scope->lock);
	asked = cancel_all(scope);
	lock_give(&scope->lock);
	scope_go_on(asked);
	unseen_end();
	return 0;
}
