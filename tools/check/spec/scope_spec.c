/* SPDX-License-Identifier: MIT */
/*
 * nap/scope.h. The fibers of a scope end before nap_scope_end() returns, which sees what they did.
 * The first one that returns a negative number cancels the others and the owner; so does a cancel.
 * Afterwards no fiber is spawned.
 *
 * scope->members is the last run that was spawned; canceled, owner and failure are under the lock.
 */
#include "spec.h"

static void lock(struct nap_scope *scope)
{
	while (!cas_acquire(&scope->lock, 0, 1))
		;
}

static void unlock(struct nap_scope *scope)
{
	store_release(&scope->lock, 0);
}

int nap_scope_begin(struct nap_scope *scope, struct nap_pool *pool)
{
	if (!scope || !pool)
		return -EINVAL;
	if (is_inside(pool) && !spec_self->fiber)
		return -EDEADLK;
	*scope = (struct nap_scope){ .pool = pool, .owner = nap_fiber_self() };
	return 0;
}

/* Under the lock. */
static void cancel_all(struct nap_scope *scope)
{
	scope->canceled = true;
	for (struct run *run = (struct run *)scope->members; run; run = run->earlier)
		store_relaxed(&run->canceled, 1);
	if (scope->owner)
		store_relaxed(&((struct run *)scope->owner)->canceled, 1);
}

/* A fiber of a scope has ended. */
static void over(struct run *run)
{
	struct nap_scope *scope = run->queue;

	lock(scope);
	if (run->result < 0 && !scope->failure) {
		scope->failure = run->result;
		cancel_all(scope);
	}
	unlock(scope);
}

/*
 * The lock is held until the new fiber is listed, so that a failure at that moment cancels it, too.
 */
int nap_scope_spawn(struct nap_scope *scope, nap_fiber_fn fn, void *arg)
{
	struct run *run;
	int err;

	if (!scope || !fn)
		return -EINVAL;
	lock(scope);
	if (scope->canceled) {
		unlock(scope);
		return -ECANCELED;
	}
	run = spec_run(scope->pool);
	run->fiber = fn;
	run->arg = arg;
	run->over = over;
	run->queue = scope;
	err = spec_begin(run);
	if (!err) {
		run->earlier = (struct run *)scope->members;
		store_release(&scope->members, (struct nap_fiber *)run);
	}
	unlock(scope);
	return err;
}

int nap_scope_cancel(struct nap_scope *scope)
{
	if (!scope)
		return -EINVAL;
	lock(scope);
	cancel_all(scope);
	unlock(scope);
	return 0;
}

/* Whether all fibers of the scope have ended. A fiber may spawn others until its end. */
static bool all_over(struct nap_scope *scope)
{
	struct nap_fiber *last = acquire(&scope->members);

	for (struct run *run = (struct run *)last; run; run = run->earlier)
		if (!acquire(&run->ended))
			return false;
	return acquire(&scope->members) == last;
}

/* The scope no longer cancels its owner. A cancellation from elsewhere cancels all. */
static bool leaves(struct nap_scope *scope)
{
	struct run *owner = (struct run *)scope->owner;
	bool canceled;

	lock(scope);
	canceled = owner && relaxed(&owner->canceled) && !scope->canceled;
	if (owner && scope->canceled)
		store_relaxed(&owner->canceled, 0);
	scope->owner = NULL;
	if (canceled)
		cancel_all(scope);
	unlock(scope);
	return canceled;
}

intptr_t nap_scope_end(struct nap_scope *scope)
{
	bool canceled, shielded;

	if (!scope)
		return -EINVAL;
	if (is_inside(scope->pool) && !spec_self->fiber)
		return -EDEADLK;
	if (is_stopped(scope->pool))
		check_fail("the specification has no scopes in a stopped pool");
	canceled = leaves(scope);
	shielded = nap_fiber_shield(true);
	WAIT("the end of the scope", scope, all_over(scope), NAP_FOREVER);
	nap_fiber_shield(shielded);
	return scope->failure ? scope->failure : canceled ? -ECANCELED : 0;
}
