/* SPDX-License-Identifier: MIT */
/*
 * nap/call.h. A thread from outside is a worker while it runs the function. The thread is beside
 * the pool's workers, and its waits run nothing. On a worker of the pool the call is a plain one.
 */
#include "spec.h"

int nap_call_until(struct nap_pool *pool, nap_call_fn fn, void *arg, uint64_t deadline)
{
	struct run *before = spec_self, *guest;

	(void)deadline;			/* no guest waits for a record */
	if (!pool || !fn)
		return -EINVAL;
	if (is_inside(pool)) {
		fn(spec_worker(), arg);
		return 0;
	}
	guest = spec_run(pool);
	guest->guest = true;
	guest->state = BEGUN;
	if (spec_list(guest))
		return is_stopped(pool) && check_choose(2) ? -ECANCELED : -ESHUTDOWN;
	spec_self = guest;
	spec_is_thread(guest);
	fn(spec_worker(), arg);
	spec_worker_ends();
	spec_self = before;
	store_release(&guest->ended, 1);
	return 0;
}

int nap_call(struct nap_pool *pool, nap_call_fn fn, void *arg)
{
	return nap_call_until(pool, fn, arg, NAP_FOREVER);
}

int nap_call_for(struct nap_pool *pool, nap_call_fn fn, void *arg, uint64_t timeout_ns)
{
	return nap_call_until(pool, fn, arg, timeout_ns);
}

struct nap_worker *nap_worker_self(void)
{
	return spec_self ? spec_worker() : NULL;
}
