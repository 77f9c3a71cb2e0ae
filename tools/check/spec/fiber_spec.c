/* SPDX-License-Identifier: MIT */
/*
 * nap/fiber.h. A fiber is a run that leaves its worker when it waits, and then goes on on any
 * worker. Its handle is given up once, by nap_await() or by nap_detach().
 */
#include "spec.h"

enum { DETACHED, HELD, AWAITED };

int nap_spawn(struct nap_pool *pool, struct nap_fiber **fiber, nap_fiber_fn fn, void *arg)
{
	struct run *run;
	int err;

	if (!pool || !fn)
		return -EINVAL;
	run = spec_run(pool);
	run->fiber = fn;
	run->arg = arg;
	run->handle = fiber ? HELD : DETACHED;
	err = spec_begin(run);
	if (!err && fiber)
		*fiber = (struct nap_fiber *)run;
	return err;
}

/* A handle that was given up before is a fault of the program. */
static void is_held(const struct run *run)
{
	if (relaxed(&run->handle) == DETACHED)
		check_fail("the handle of a fiber is used, and was given up before");
}

int nap_await_until(struct nap_fiber *fiber, intptr_t *result, uint64_t deadline)
{
	struct run *run = (struct run *)fiber;
	int err;

	if (!fiber)
		return -EINVAL;
	if (run == spec_self)
		return -EDEADLK;
	is_held(run);
	if (!cas_relaxed(&run->handle, HELD, AWAITED))
		return -EBUSY;
	err = WAIT("the fiber", run, acquire(&run->ended) || is_stopped(run->pool), deadline);
	if (!err && !acquire(&run->ended))
		err = -ECANCELED;
	store_relaxed(&run->handle, err ? HELD : DETACHED);
	if (!err && result)
		*result = run->result;
	return err;
}

int nap_await(struct nap_fiber *fiber, intptr_t *result)
{
	return nap_await_until(fiber, result, NAP_FOREVER);
}

int nap_await_for(struct nap_fiber *fiber, intptr_t *result, uint64_t timeout_ns)
{
	return nap_await_until(fiber, result, timeout_ns);
}

int nap_detach(struct nap_fiber *fiber)
{
	struct run *run = (struct run *)fiber;

	if (!fiber)
		return -EINVAL;
	is_held(run);
	return cas_relaxed(&run->handle, HELD, DETACHED) ? 0 : -EBUSY;
}

/* The fiber's waits end with -ECANCELED, the present one or the next one. */
int nap_fiber_cancel(struct nap_fiber *fiber)
{
	struct run *run = (struct run *)fiber;

	if (!fiber)
		return -EINVAL;
	is_held(run);
	store_relaxed(&run->canceled, 1);
	return 0;
}

bool nap_fiber_canceled(void)
{
	return spec_self && spec_self->fiber &&
	       (relaxed(&spec_self->canceled) || is_stopped(spec_self->pool));
}

bool nap_fiber_shield(bool shielded)
{
	bool before = spec_self && spec_self->fiber && spec_self->shielded;

	if (spec_self && spec_self->fiber)
		spec_self->shielded = shielded;
	return before;
}

struct nap_fiber *nap_fiber_self(void)
{
	return spec_self && spec_self->fiber ? (struct nap_fiber *)spec_self : NULL;
}

void nap_yield(void)
{
	if (spec_self && spec_self->fiber) {
		spec_waits();
		spec_goes_on();
	}
}
