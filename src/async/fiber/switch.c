/* SPDX-License-Identifier: MIT */
/*
 * Switching to a fiber's stack, and leaving it: src/async/fiber/fiber.h.
 *
 * struct nap__self (src/worker/self.h) stays with the thread. While a fiber runs self->outer is
 * NULL, unless a frame of nap's on the fiber's stack has to return before the fiber may leave its
 * stack.
 */
#include "arch/atomic.h"
#include "async/fiber/budget.h"
#include "async/fiber/direct.h"
#include "async/fiber/fiber.h"
#include "worker/nest.h"
#include "worker/probe.h"
#include "async/fiber/stacks.h"
#include "context.h"
#include "os/happens.h"
#include "os/os.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/runs.h"
#include "worker/self.h"
#include "worker/worker.h"

/* ---- the fiber's side */

static size_t stack_size(const struct nap_fiber *fiber, const char *low)
{
	return (size_t)((const char *)fiber - low);
}

static void *fiber_main(void *arg);


/*
 * Makes the first frame of a fiber that runs for the first time. If the thread is on the stack of
 * another fiber, @thread is the thread's context: the new fiber gets the floating-point control of
 * the thread, not of the other fiber. Otherwise @thread is NULL.
 */
static void fiber_begin(struct nap_fiber *fiber, const void *thread)
{
	const char *low = nap__stack_low(fiber->fibers, fiber);

	nap_store_relaxed(&fiber->life, FIBER_BEGUN);
	fiber->os = (struct nap__os_thread_state){ 0 };
	tools_begin(&fiber->tools, low, stack_size(fiber, low));
	/* Not noticed in tests when 16 for 15 or 14 for 15: the record begins a cache line. */
	fiber->sp = nap__context_make((void *)((uintptr_t)fiber & ~(uintptr_t)15), fiber_main,
				      fiber, thread);
}

/* Sets the words of the thread's record that depend on the running fiber. */
static void self_runs(struct nap__self *self, struct nap_fiber *fiber)
{
	self->fiber = fiber;
	self->budget = BUDGET_FULL;
	if (!nesting_is_off(self))
		self->stack_half = fiber->half;
}

/* Prepares the switch from @fiber, which runs or has @ended, to the stack of @to. */
IN_LINE void prepare_fiber(struct nap_fiber *fiber, struct nap_fiber *to, bool ended)
{
	struct nap__fiber_host *host = fiber->host;

	host->fiber = to;
	host->left = fiber;
	to->host = host;
	self_runs(nap__self_in_parent(), to);
	os_thread_state_switch(&host->thread, &fiber->os, &to->os);
	if (has_tools()) {
		const char *low = nap__stack_low(to->fibers, to);

		tools_switch(&fiber->tools, ended, &to->tools, low, stack_size(to, low));
	}
}

static inline void prepare_thread(struct nap_fiber *fiber, struct nap_task *task, bool ended)
{
	struct nap__fiber_host *host = fiber->host;

	host->task = task;
	tools_leave(&host->tools, &fiber->tools, ended);
}

/* Returns the fiber of @task, which @fiber has dequeued; NULL: @task is not the task of a fiber. */
static inline struct nap_fiber *fiber_of(const struct nap_fiber *fiber, struct nap_task *task)
{
	return task && task->run == fiber->task.run ?
		       nap_container_of(task, struct nap_fiber, task) : NULL;
}

/* The first call on the stack of @fiber after a switch to it. */
IN_LINE void arrive(struct nap_fiber *fiber)
{
	struct nap__fiber_host *host = fiber->host;
	struct nap_fiber *left = host->left;

	tools_arrive(&fiber->tools, left ? NULL : &host->tools);
	if (left) {
		host->left = NULL;
		nap__fiber_left(left);
	}
}

/*
 * Switches to the fiber of the task @next. If @next is NULL, or no task of a fiber, switches to the
 * thread, which then runs @next. Out of line, so that state of the thread that was read before
 * the switch is not used after it.
 */
static __attribute__((noinline)) void leave_stack(struct nap_fiber *fiber, struct nap_task *next)
{
	struct nap_fiber *to = fiber_of(fiber, next);

	if (!to) {
		prepare_thread(fiber, next, false);
		nap__context_jump(&fiber->sp, fiber->host->sp);
	} else if (nap_load_relaxed(&to->life) == FIBER_SPAWNED) {
		fiber_begin(to, fiber->host->sp);
		prepare_fiber(fiber, to, false);
		nap__context_jump(&fiber->sp, to->sp);
	} else {
		prepare_fiber(fiber, to, false);
		nap__context_switch(&fiber->sp, to->sp);
	}
	arrive(fiber);
}

void nap__fiber_suspend(struct nap_fiber *fiber)
{
	/*
	 * Sees what the thread that ended the wait has done: pairs with change_if() and
	 * nap__fiber_wait_ready(). [A3]
	 */
	if (!(nap_load_acquire(&fiber->wait.state) & WAIT_READY))
		leave_stack(fiber, direct_next(fiber->host));
}

void nap__fiber_yield(struct nap_fiber *fiber)
{
	struct nap_task *next;

	if (!direct_turn(fiber->host, &next)) {
		nap__self_in_parent()->budget = BUDGET_FULL;
	} else if (next || !pool_forked(fiber->pool)) {
		fiber->yields = true;
		leave_stack(fiber, next);
	}
}

/*
 * Returns the stack to switch to. fiber_main() returns it to nap__context_begin(), so that the
 * processor, which predicts returns, sees as many returns as calls. A tool may count calls, too: if
 * a tool watches, this function switches itself, and does not return. Out of line, as is
 * leave_stack().
 */
static __attribute__((noinline)) void *leave_for_ever(struct nap_fiber *fiber)
{
	struct nap_fiber *to;
	struct nap_task *next;
	void *sp;

	nap_store_relaxed(&fiber->life, FIBER_ENDED);
	next = nap__direct_end(fiber->host, &to);
	if (!to)
		to = fiber_of(fiber, next);
	if (to && nap_load_relaxed(&to->life) == FIBER_SPAWNED)
		fiber_begin(to, fiber->host->sp);
	if (to)
		prepare_fiber(fiber, to, true);
	else
		prepare_thread(fiber, next, true);
	sp = to ? to->sp : fiber->host->sp;
	if (has_tools())
		nap__context_switch(&fiber->sp, sp);
	return sp;
}

static void *fiber_main(void *arg)
{
	struct nap_fiber *fiber = arg;

	nothing_leaves();
	arrive(fiber);
	unseen_end();
	fiber->result = fiber->fn(fiber->arg);
	unseen_begin();
	return leave_for_ever(fiber);
}

/* ---- the thread's side */

static void go_in(struct nap__fiber_host *host, struct nap_fiber *fiber, bool direct)
{
	struct nap__self *self = nap__self();
	struct nap_worker *worker = self->worker;

	host->worker = worker;
	host->left = NULL;
	host->task = NULL;
	host->sections = worker->sections;
	host->top = nap_top(worker);
	host->fiber_before = self->fiber;
	host->outer = self->outer;
	host->stack_half = self->stack_half;
	/*
	 * Inside a wait, or if the worker has forked jobs, the thread continues after each fiber:
	 * so the fibers do not switch directly.
	 */
	host->direct = direct && !self->fiber && !self->outer && host->top == worker->frames;
	host->fiber = fiber;
	fiber->host = host;
	self->outer = NULL;
	self_runs(self, fiber);
	nap__os_thread_find(&host->thread);
	os_thread_state_switch(&host->thread, &host->os, &fiber->os);
}

/*
 * Restores the thread's state. In the child of a fork made by a fiber, the thread has left the
 * pool.
 */
static void go_out(struct nap__fiber_host *host)
{
	struct nap__self *self = nap__self();

	os_thread_state_switch(&host->thread, &host->fiber->os, &host->os);
	self->stack_half = host->stack_half;
	self->fiber = host->fiber_before;
	if (!pool_forked(host->fiber->pool))
		self->outer = host->outer;
}

static __attribute__((noinline)) void trace_resume(struct nap_fiber *fiber)
{
	bool begins = nap_load_relaxed(&fiber->life) == FIBER_SPAWNED;

	nap_store_relaxed(&fiber->wait.object, NULL);
	nap_store_relaxed(&fiber->wait.on, NAP_TRACE_ON_UNKNOWN);
	trace_object(fiber->pool, TRACE_FLAGS(NAP_TRACE_FIBER_RESUME, begins), fiber,
		     (uintptr_t)fiber->fn);
}

/*
 * Traces that the fiber has left its stack; nap__fiber_end() traces the end of a fiber. If the
 * fiber waits, also notes the time, as a dump does, so that a later dump can say since when.
 */
static __attribute__((noinline)) void trace_suspend(struct nap_fiber *fiber)
{
	uint32_t on = fiber->yields ? NAP_TRACE_ON_YIELD : nap_load_relaxed(&fiber->wait.on);

	if (nap_load_relaxed(&fiber->life) == FIBER_ENDED)
		return;
	if (!fiber->yields)
		seen_for(&fiber->seen, nap_load_relaxed(&fiber->wait.state) / WAIT_NUMBER,
			 nap__os_now());
	trace_object(fiber->pool, TRACE_FLAGS(NAP_TRACE_FIBER_SUSPEND, on), fiber,
		     (uintptr_t)nap_load_relaxed(&fiber->wait.object));
}

/*
 * Returns the context of the thread, which has left its own stack for that of @fiber, or of a fiber
 * below @fiber. NULL: @fiber is NULL, and the thread is on its own stack.
 */
static const void *thread_beneath(const struct nap_fiber *fiber)
{
	const void *sp = NULL;

	for (; fiber; fiber = fiber->host->fiber_before)
		sp = fiber->host->sp;
	return sp;
}

struct nap_fiber *nap__fiber_enter(struct nap_fiber *fiber, struct nap_task **next)
{
	struct nap__fiber_host host;

	probe3(resume, fiber->pool, fiber, fiber->fn);
	if (is_watched(fiber->pool))
		trace_resume(fiber);
	if (nap_load_relaxed(&fiber->life) == FIBER_SPAWNED)
		fiber_begin(fiber, thread_beneath(nap__self_in_parent()->fiber));
	go_in(&host, fiber, next);
	if (has_tools()) {
		const char *low = nap__stack_low(fiber->fibers, fiber);

		tools_enter(&host.tools, &fiber->tools, low, stack_size(fiber, low));
	}
	nap__context_jump(&host.sp, fiber->sp);
	tools_return(&host.tools);
	if (nap_load_relaxed(&host.fiber->life) == FIBER_ENDED)
		tools_ended(&host.fiber->tools);
	go_out(&host);
	probe3(suspend, host.fiber->pool, host.fiber, host.fiber->fn);
	if (is_watched(host.fiber->pool))
		trace_suspend(host.fiber);
	if (next)
		*next = host.task;
	return host.fiber;
}
