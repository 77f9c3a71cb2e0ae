/* SPDX-License-Identifier: MIT */
/*
 * Gates (src/sync/gate.h): callers enter and leave, while a closer closes the gate and waits
 * until it is empty. The last scenarios are about two other words of a pool: its phase and the
 * process that uses it.
 *
 * A gate promises: after gate_wait_empty() the closer sees what was done inside; a refused caller
 * sees what was done before the close; a caller that was inside does not touch the gate after it
 * has left. A refused caller may still touch the gate after gate_wait_empty().
 */
#include <nap/check.h>
#include <nap/nap.h>

#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "seam.h"

static uint32_t *gate;
static int inside[2], closed;

static void setup(void)
{
	gate = check_alloc(sizeof(*gate));
	check_name(gate, sizeof(*gate), "gate");
}

static void call(void *slot)
{
	if (!gate_enter(gate)) {
		CHECK(closed == 1);
		return;
	}
	*(int *)slot = 1;
	gate_leave(gate);
}

static void close_gate(void *unused)
{
	(void)unused;
	closed = 1;
	gate_close(gate);
	gate_wait_empty(gate, UINT64_MAX);
	inside[0] = inside[1] = 2;
}

/*
 * The closer overwrites what the callers write inside: a race, unless the callers have left [G1].
 */
CHECK_SCENARIO(gate_wait_empty, .about = "nobody is inside after it, and what they did is seen",
	.setup = setup,
	.threads = { { call, &inside[0], "caller1" }, { call, &inside[1], "caller2" },
		     { close_gate, .name = "closer" } });

static void close_only(void *unused)
{
	(void)unused;
	closed = 1;
	gate_close(gate);
}

/*
 * The gate is closed before the caller's first check, or between that check and the caller's
 * count [G2].
 */
CHECK_SCENARIO(gate_refused, .about = "who is refused sees what was before the gate was closed",
	.setup = setup,
	.threads = { { call, &inside[0], "caller" }, { close_only, .name = "closer" } });

static void setup_inside(void)
{
	setup();
	CHECK(gate_enter(gate) && gate_enter(gate));
}

static void leave(void *unused)
{
	(void)unused;
	gate_leave(gate);
}

static void close_free(void *unused)
{
	(void)unused;
	gate_close(gate);
	gate_wait_empty(gate, UINT64_MAX);
	check_free(gate);
}

/* Two callers that were inside leave: the wake by the last of them uses only the gate's address. */
CHECK_SCENARIO(gate_last_touch, .about = "leaving is the last touch: the gate may be freed then",
	.setup = setup_inside,
	.threads = { { leave, .name = "caller1" }, { leave, .name = "caller2" },
		     { close_free, .name = "closer" } });

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

static void stop(void *unused)
{
	(void)unused;
	closed = 1;
	CHECK(phase_raise(&pool, PHASE_STOP));
}

static void drain(void *unused)
{
	(void)unused;
	phase_raise(&pool, PHASE_DRAIN);
}

static void look_canceled(void *unused)
{
	(void)unused;
	if (pool_canceled(&pool))
		CHECK(closed == 1);
}

static void is_stopped(void)
{
	CHECK(pool_phase(&pool) == PHASE_STOP);
}

/*
 * A drain and a stop at once end as a stop. A thread that sees the stop sees what was done before
 * the stop [P1].
 */
CHECK_SCENARIO(phase, .about = "the phase only grows, and carries what was before it was raised",
	.finally = is_stopped,
	.threads = { { stop, .name = "stopper" }, { drain, .name = "drainer" },
		     { look_canceled, .name = "waiter" } });

static void first_use(void *unused)
{
	(void)unused;
	pool_start(&pool);
	CHECK(nap_load_relaxed(&pool.limit) == 1);
	CHECK(nap_load_relaxed(&pool.fork_gen) == 1);
}

/* A thread that reads the pool's limit also reads which process uses the pool [P2]. */
CHECK_SCENARIO(first_use, .about = "after the first use by any thread the pool knows its process",
	.threads = { { first_use }, { first_use } });
