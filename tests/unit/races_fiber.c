/* SPDX-License-Identifier: MIT */
/*
 * The waits of fibers, with a step of another thread between any two accesses (tests/race/). src/
 * is compiled into the test, which has one thread: it stands for the fiber (tests/race_fiber.h).
 */
#include "../src/async/fiber/wait.c"
#include "../src/async/fiber/wait_end.c"
#include "../src/async/fiber/group.c"

#include "harness.h"
#include "race_fiber.h"
#include "race_waits.h"

/* ---- a wait that several threads end */

TEST(a_wait_is_ended_by_its_own_number_while_it_is_open)
{
	for (uint32_t number = SEVENTH - WAIT_NUMBER; number <= SEVENTH + WAIT_NUMBER;
	     number += WAIT_NUMBER) {
		for (uint32_t flag = 0; flag <= WAIT_OPEN; flag += WAIT_OPEN) {
			bool ends = flag && number == SEVENTH;
			struct nap__fiber_wait_node node = { .wait = of_fiber, .number = number };

			open_wait(0);
			of_fiber->state = SEVENTH | flag;
			EXPECT_EQ(nap__fiber_wait_claim(of_fiber, number, WAIT_TIMED_OUT), ends);
			EXPECT_EQ(of_fiber->state, SEVENTH | (ends ? WAIT_TIMED_OUT : flag));
			of_fiber->state = SEVENTH | flag;
			EXPECT_EQ(nap__fiber_wait_claim_whole(of_fiber, number),
				  ends ? CLAIM_OPEN : CLAIM_NONE);
			EXPECT_EQ(of_fiber->state, SEVENTH | (ends ? 0 : flag));
			of_fiber->state = SEVENTH | flag;
			EXPECT_EQ(nap__fiber_wait_end(of_fiber, number, WAIT_CANCELED), ends);
			EXPECT_EQ(of_fiber->state,
				  SEVENTH | (ends ? WAIT_READY | WAIT_CANCELED : flag));
			of_fiber->state = SEVENTH | WAIT_OFF | flag;
			EXPECT_EQ(nap__fiber_wait_end_off(&node, &pool), ends);
			EXPECT_EQ(of_fiber->state, SEVENTH | WAIT_OFF | (ends ? WAIT_READY : flag));
			EXPECT_EQ(nr_ready, 0);
		}
	}
}

TEST(only_a_fiber_of_the_pool_that_is_off_is_taken_by_its_caller)
{
	struct nap__fiber_wait_node node = { .wait = of_fiber, .number = SEVENTH };
	struct nap_pool other = { .phase = 0 };

	open_wait(0);
	EXPECT_FALSE(nap__fiber_wait_end_off(&node, &pool));
	open_wait(WAIT_OFF);
	EXPECT_FALSE(nap__fiber_wait_end_off(&node, &other));
	of_fiber->fiber = NULL;
	EXPECT_FALSE(nap__fiber_wait_end_off(&node, &pool));
	EXPECT_EQ(of_fiber->state, SEVENTH | WAIT_OPEN | WAIT_OFF);
	of_fiber->fiber = &fiber;
	EXPECT_TRUE(nap__fiber_wait_end_off(&node, &pool));
}

static void leave_stack(void)
{
	nap_fetch_or_relaxed(&of_fiber->state, WAIT_OFF);
}

static void ask_to_end(void)
{
	nap_fetch_or_relaxed(&of_fiber->state, WAIT_ASKED);
}

/* The thread that ends the wait schedules the fiber. */
TEST(a_fiber_that_leaves_its_stack_meanwhile_is_scheduled)
{
	EACH_RACE(leave_stack) {
		open_wait(0);
		race_begin();
		ASSERT_TRUE(nap__fiber_wait_end(of_fiber, SEVENTH, WAIT_WOKEN));
		race_end();
		ASSERT_EQ(nr_ready, raced ? 1 : 0);
		ASSERT_EQ(of_fiber->state, SEVENTH | WAIT_READY | (raced ? WAIT_OFF : 0));
	}
	EXPECT_GT(race_turn, 1);
	EACH_RACE(leave_stack) {
		open_wait(0);
		race_begin();
		ASSERT_TRUE(nap__fiber_wait_claim(of_fiber, SEVENTH, WAIT_WOKEN));
		race_end();
		ASSERT_EQ(nr_ready, 0);
		ASSERT_EQ(of_fiber->state, SEVENTH | (raced ? WAIT_OFF : 0));
		leave_stack();
		nap__fiber_wait_ready(of_fiber);
		ASSERT_EQ(nr_ready, 1);
		ASSERT_EQ(of_fiber->state, SEVENTH | WAIT_READY | WAIT_OFF);
	}
	EACH_RACE(leave_stack) {
		open_wait(0);
		race_begin();
		ASSERT_EQ(nap__fiber_wait_claim_whole(of_fiber, SEVENTH),
			  raced || !race_at ? CLAIM_OFF : CLAIM_OPEN);
		race_end();
		ASSERT_EQ(of_fiber->state, SEVENTH | (raced ? WAIT_OFF | WAIT_READY : 0));
	}
	EXPECT_GT(race_turn, 2);
}

/* A fiber that is asked to end before its wait is open does not wait. */
TEST(a_wait_begins_with_the_next_number)
{
	const uint32_t before = SEVENTH | WAIT_READY | WAIT_OFF | WAIT_TIMED_OUT;
	struct nap__sleeper begun;

	pool.plain = nap_load_relaxed(&nap__fork_gen);
	EACH_RACE(ask_to_end) {
		int err;

		of_fiber->state = before;
		memset(&begun, 0, sizeof(begun));
		race_begin();
		err = begin_fiber(&begun, &fiber);
		race_end();
		ASSERT_EQ(err, raced ? -ECANCELED : 0);
		ASSERT_EQ(of_fiber->state, raced ? before | WAIT_ASKED :
						   (SEVENTH + WAIT_NUMBER) | WAIT_OPEN);
		ASSERT_TRUE(raced || (begun.wait == of_fiber && begun.number == of_fiber->state));
	}
	EXPECT_GT(race_turn, 2);
	/* What asks the fiber to end stays, and is ignored by a fiber that is shielded. */
	of_fiber->state = SEVENTH | WAIT_READY | WAIT_KEPT;
	ASSERT_EQ(begin_fiber(&begun, &fiber), 0);
	EXPECT_EQ(of_fiber->state, (SEVENTH + WAIT_NUMBER) | WAIT_OPEN | WAIT_KEPT);
}

/* A stop ends also the waits of a fiber that ignores that it is asked. */
TEST(a_wait_is_refused_to_a_fiber_that_has_to_end)
{
	static const uint32_t asked[] = { 0, WAIT_ASKED, WAIT_SCOPED, WAIT_TO_END };

	for (int is_stopped = 0; is_stopped < 2; is_stopped++) {
		for (int is_plain = 0; is_plain < 2 - is_stopped; is_plain++) {
			pool.phase = is_stopped ? PHASE_STOP : 0;
			pool.plain = nap_load_relaxed(&nap__fork_gen) + !is_plain;
			for (int i = 0; i < 4; i++) {
				int err = is_stopped || i ? -ECANCELED : 0;

				EXPECT_EQ(refused(&fiber, asked[i]), err);
				EXPECT_EQ(refused(&fiber, asked[i] | WAIT_SHIELDED),
					  is_stopped ? -ECANCELED : 0);
			}
		}
	}
}

TEST(who_asks_ends_the_wait_of_a_fiber_that_waits_without_a_shield)
{
	for (uint32_t flags = 0; flags < 4; flags++) {
		uint32_t word = SEVENTH | (flags & 1 ? WAIT_OPEN : 0) |
				(flags & 2 ? WAIT_SHIELDED : 0), number = 0;

		of_fiber->state = word;
		EXPECT_EQ(wait_ask(of_fiber, WAIT_SCOPED, &number), flags == 1);
		EXPECT_EQ(number, word);
		EXPECT_EQ(of_fiber->state, word | WAIT_SCOPED);
	}
}

static void become_ready(void)
{
	nap__fiber_wait_ready(of_fiber);
}

TEST(a_fiber_whose_wait_was_claimed_is_suspended_until_it_is_ready)
{
	static const struct {
		uint32_t why;
		int err;
	} ends[] = {
		{ WAIT_WOKEN, 0 }, { WAIT_TIMED_OUT, -ETIMEDOUT }, { WAIT_CANCELED, -ECANCELED }
	};
	struct nap__sleeper opened = { .wait = of_fiber, .number = SEVENTH };

	open_wait(0);
	EXPECT_EQ(nap__sleeper_withdraw(&opened), -EAGAIN);
	EXPECT_EQ(of_fiber->state, SEVENTH);
	EXPECT_EQ(nr_suspended, 0);
	for (int i = 0; i < 3; i++) {
		open_wait(0);
		at_suspension = become_ready;
		ASSERT_TRUE(nap__fiber_wait_claim(of_fiber, SEVENTH, ends[i].why));
		EXPECT_EQ(nap__sleeper_withdraw(&opened), ends[i].err);
		EXPECT_EQ(nr_suspended, 1);
		EXPECT_EQ(nap__sleep(&opened, NAP_FOREVER), ends[i].err);
		EXPECT_EQ(nr_suspended, 2);
	}
}

/* ---- a deadline of a fiber is a timer, which is armed as long as the fiber sleeps */

static struct nap__async async;
static struct nap__timer_node *armed;
static bool is_earliest, was_right = true;
static uint32_t nr_attended, nr_taken;
static uint64_t armed_for;

/* The heap is changed with its lock, and nothing else is done with it. */
static void heap_is(bool locked)
{
	was_right = was_right && (async.timers.lock != LOCK_FREE) == locked;
}

WRAP(bool, nap__timers_put, (struct nap__timers *timers, struct nap__timer_node *put))
{
	heap_is(true);
	was_right = was_right && timers == &async.timers && put->armed && put->wait == of_fiber &&
		    put->number / WAIT_NUMBER == of_fiber->state / WAIT_NUMBER &&
		    timers->order == (is_watched(&pool) ? now : 0);
	armed = put;
	armed_for = put->when;
	return is_earliest;
}

WRAP(void, nap__timers_take, (struct nap__timers *timers, struct nap__timer_node *taken))
{
	heap_is(true);
	nr_taken += timers == &async.timers && taken == armed;
}

WRAP(void, nap__timers_attend, (struct nap_pool *of, struct nap__timers *timers))
{
	heap_is(false);
	nr_attended += of == &pool && timers == &async.timers;
}

static void time_comes(void)
{
	heap_is(false);
	armed->armed = false;
	was_right = nap__fiber_wait_end(armed->wait, armed->number, WAIT_TIMED_OUT) && was_right;
}

static void event_comes(void)
{
	heap_is(false);
	was_right = nap__fiber_wait_end(of_fiber, SEVENTH, WAIT_WOKEN) && was_right;
}

/* A timer at time 0 would not be armed. */
TEST(a_deadline_of_a_fiber_is_a_timer)
{
	struct nap__sleeper opened = { .wait = of_fiber, .number = SEVENTH };

	pool.async = &async;
	for (int way = 0; way < 16; way++) {
		bool comes = way & 1;
		uint64_t deadline = way & 8 ? BEGINS + TIMEOUT : 0;

		is_earliest = way & 2;
		pool.watched = way & 4;
		async.timers.order = 0;
		nr_attended = nr_taken = 0;
		was_right = true;
		open_wait(0);
		at_suspension = comes ? time_comes : event_comes;
		EXPECT_EQ(nap__sleep(&opened, deadline), comes ? -ETIMEDOUT : 0);
		EXPECT_TRUE(was_right);
		EXPECT_EQ(armed_for, deadline ? deadline : 1);
		EXPECT_EQ(nr_attended, is_earliest);
		EXPECT_EQ(nr_taken, !comes);
		EXPECT_EQ(async.timers.lock, LOCK_FREE);
	}
}

/* ---- giving up a wait */

static void say_ready(void)
{
	nap__fiber_wait_ready(&sleeper.own);
}

/* A thread whose wait was claimed waits until the other thread lets go of it. */
TEST(a_wait_that_was_claimed_is_given_up_too_late)
{
	ASSERT_EQ(nap__sleeper_begin(&sleeper, NULL), 0);
	EXPECT_EQ(nap__sleeper_withdraw(&sleeper), -EAGAIN);
	EXPECT_FALSE(nap__fiber_wait_claim(sleeper.wait, sleeper.number, WAIT_WOKEN));
	EACH_RACE(say_ready) {
		ASSERT_EQ(nap__sleeper_begin(&sleeper, NULL), 0);
		ASSERT_TRUE(nap__fiber_wait_claim(sleeper.wait, sleeper.number, WAIT_WOKEN));
		race_begin();
		ASSERT_EQ(nap__sleeper_withdraw(&sleeper), 0);
		ASSERT_TRUE(group_is_complete(&sleeper.group));
		race_end();
	}
	EXPECT_GT(race_turn, PAUSES_AWAKE);
}

static struct nap__fiber_wait_node node;

static void let_it_go(void)
{
	nap_store_release(&node.let_go, true);
}

TEST(a_node_is_let_go_of_by_the_thread_that_finds_the_wait_ended)
{
	struct nap__sleeper opened = { .wait = of_fiber, .number = SEVENTH };

	memset(&node, 0xff, sizeof(node));
	wait_node_init(&node, &opened);
	EXPECT_EQ(node.wait, of_fiber);
	EXPECT_EQ(node.number, SEVENTH);
	EXPECT_EQ(node.let_go, false);
	open_wait(WAIT_OFF);
	nap__fiber_wait_tell(&node);
	EXPECT_EQ(of_fiber->state, SEVENTH | WAIT_OFF | WAIT_READY);
	EXPECT_EQ(nr_ready, 1);
	EXPECT_EQ(node.let_go, false);
	nap__fiber_wait_tell(&node);
	EXPECT_EQ(nr_ready, 1);
	EXPECT_EQ(node.let_go, true);
	EACH_RACE(let_it_go) {
		node.let_go = false;
		race_begin();
		nap__fiber_wait_node_await(&node);
		ASSERT_TRUE(node.let_go);
		race_end();
	}
	EXPECT_GT(race_turn, PAUSES_AWAKE);
}

/* ---- a fiber waits for a group */

static struct nap_pool other;
static struct nap_group group;
static uintptr_t taken_out;
static uint32_t nr_of_foreign;
static void (*at_foreign)(struct nap__visit *visit);

/* A sleep in which another pool ends. */
WRAP(int, nap__foreign_sleep, (struct nap__visit *visit, struct nap__sleeper *slept,
     uint64_t deadline))
{
	(void)slept;
	(void)deadline;
	nr_of_foreign++;
	of_fiber->state &= ~WAIT_OPEN;
	at_foreign(visit);
	return FOREIGN_ENDS;
}

static void finish_one(void)
{
	if (nap_group_done(&group))
		abort();
}

/* The last work is done, and the list of the group is closed later. */
static void finish_by_half(void)
{
	nap_fetch_sub_relaxed(&group.state, 1);
}

static void close_list(void)
{
	waitlist_close(&group.waiters, EVENT_LATCH);
}

static void time_comes_by_half(void)
{
	time_comes();
	finish_by_half();
}

/* Another thread takes the fiber out of the list, and tells it later. */
static void time_comes_and_is_taken_out(void)
{
	time_comes();
	taken_out = waitlist__detach(&group.waiters);
}

static void tell_it(void)
{
	waitlist__give(taken_out, EVENT_LATCH, NULL);
	taken_out = 0;
}

static void begin_group(struct nap_pool *of)
{
	pool.async = &async;
	pool.phase = 0;
	pool.fork_gen = 0;
	pool.plain = nap_load_relaxed(&nap__fork_gen);
	memset(&other, 0, sizeof(other));
	of_fiber->state = SEVENTH;
	is_earliest = false;
	at_suspension = NULL;
	last_step = NULL;
	nr_of_foreign = nr_suspended = 0;
	nap_group_init(&group, of);
	nap_group_add(&group, 1);
}

static int wait_for_it(uint64_t deadline)
{
	int err = 1;
	bool is_fiber;

	be_fiber(true);
	is_fiber = nap__fiber_group_wait(&group, deadline, &err);
	be_fiber(false);
	return is_fiber ? err : 2;
}

static bool has_left(void)
{
	return !(of_fiber->state & WAIT_OPEN) && async.timers.lock == LOCK_FREE &&
	       (!group.waiters || waitlist_closed(&group.waiters));
}

TEST(a_fiber_waits_until_the_group_is_complete)
{
	EACH_RACE(finish_one) {
		begin_group(NULL);
		race_begin();
		ASSERT_EQ(wait_for_it(NAP_FOREVER), 0);
		race_end();
		ASSERT_TRUE(group_is_complete(&group));
		ASSERT_TRUE(has_left());
	}
	EXPECT_GT(race_turn, 8);
	begin_group(NULL);
	ASSERT_FALSE(nap__fiber_group_wait(&group, NAP_FOREVER, &result));
#ifndef NAP_NO_TRACE
	/* for a dump: what was waited for last */
	EXPECT_EQ(of_fiber->on, NAP_TRACE_ON_GROUP);
	EXPECT_EQ(of_fiber->object, &group);
#endif
}

/* No work is left, and the list is closed later for another waiter. */
TEST(a_fiber_that_comes_late_waits_until_the_list_is_closed)
{
	begin_group(NULL);
	group.state = GROUP_WAITER_ONE;
	at_suspension = close_list;
	EXPECT_EQ(wait_for_it(NAP_FOREVER), 0);
	EXPECT_EQ(nr_suspended, 1);
	EXPECT_TRUE(waitlist_closed(&group.waiters));
}

/* If a wait is given up the group is as before. */
TEST(a_fiber_gives_up_unless_the_group_is_complete)
{
	now = BEGINS;
	EACH_RACE(finish_one) {
		int err;

		begin_group(NULL);
		at_suspension = time_comes;
		race_begin();
		err = wait_for_it(BEGINS + TIMEOUT);
		race_end();
		ASSERT_TRUE(err == -ETIMEDOUT || (raced && !err));
		ASSERT_TRUE(has_left());
		ASSERT_EQ(group_is_complete(&group), raced);
		ASSERT_TRUE(!err || group.state == !raced);
	}
	EXPECT_GT(race_turn, 8);
	begin_group(NULL);
	EXPECT_EQ(wait_for_it(BEGINS), -ETIMEDOUT);
	EXPECT_EQ(group.state, 1);
	EXPECT_EQ(nr_suspended, 0);
}

TEST(a_fiber_that_gives_up_too_late_waits_until_the_list_is_closed)
{
	begin_group(NULL);
	at_suspension = time_comes_by_half;
	last_step = close_list;
	EXPECT_EQ(wait_for_it(BEGINS + TIMEOUT), 0);
	EXPECT_TRUE(waitlist_closed(&group.waiters));
	EXPECT_TRUE(has_left());
}

TEST(a_fiber_that_was_taken_out_waits_until_it_is_let_go_of)
{
	begin_group(NULL);
	at_suspension = time_comes_and_is_taken_out;
	last_step = tell_it;
	EXPECT_EQ(wait_for_it(BEGINS + TIMEOUT), -ETIMEDOUT);
	EXPECT_EQ(taken_out, 0);
	EXPECT_EQ(group.state, 1);
	EXPECT_TRUE(has_left());
}

static void stop_other(struct nap__visit *visit)
{
	visit->stopped = true;
	visit->pool = NULL;
}

static void drain_other(struct nap__visit *visit)
{
	visit->pool = NULL;
	finish_one();
}

/* The visit of the pool goes on, and the fiber leaves the pool at last. */
static void finish_in_other(struct nap__visit *visit)
{
	visit->inside = gate_enter(&other.visits);
	finish_one();
}

static void fork_in_other(struct nap__visit *visit)
{
	visit->inside = gate_enter(&other.visits);
	other.fork_gen = nap_load_relaxed(&nap__fork_gen) + 1;
}

TEST(a_fiber_waits_for_a_group_of_another_pool)
{
	static const struct {
		void (*comes)(struct nap__visit *visit);
		int err;
		uint64_t state, visits;
	} ends[] = {
		{ stop_other, -ECANCELED, 1, 0 }, { drain_other, 0, GROUP_WAITER_ONE, 0 },
		{ finish_in_other, 0, GROUP_WAITER_ONE, 0 },
		/* In the child nothing is undone, because no thread of it waits there. */
		{ fork_in_other, -ESHUTDOWN, GROUP_WAITER_ONE + 1, GATE_ONE },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		begin_group(&other);
		at_foreign = ends[i].comes;
		EXPECT_EQ(wait_for_it(NAP_FOREVER), ends[i].err);
		EXPECT_EQ(group.state, ends[i].state);
		EXPECT_EQ(other.visits, ends[i].visits);
		EXPECT_EQ(nr_of_foreign, 1);
		EXPECT_TRUE(has_left());
	}
}

TEST(a_wait_for_a_group_is_refused_where_the_group_does_nothing_more)
{
	begin_group(&other);
	other.phase = PHASE_STOP;
	EXPECT_EQ(wait_for_it(NAP_FOREVER), -ECANCELED);
	begin_group(&other);
	other.fork_gen = nap_load_relaxed(&nap__fork_gen) + 1;
	EXPECT_EQ(wait_for_it(NAP_FOREVER), -ESHUTDOWN);
	begin_group(NULL);
	pool.fork_gen = nap_load_relaxed(&nap__fork_gen) + 1;
	EXPECT_EQ(wait_for_it(NAP_FOREVER), -ESHUTDOWN);
	begin_group(NULL);
	of_fiber->state |= WAIT_ASKED;
	EXPECT_EQ(wait_for_it(NAP_FOREVER), -ECANCELED);
	EXPECT_EQ(group.state, 1);
	EXPECT_EQ(nr_of_foreign, 0);
}

TEST(a_thread_only_sleeps_unless_it_waits_for_a_pool)
{
	memset(&sleeper, 0, sizeof(sleeper));
	EXPECT_EQ(nap__sleeper_begin(&sleeper, NULL), 0);
	EXPECT_TRUE(sleeper.only_sleeps);
	EXPECT_EQ(sleeper.group.pool, NULL);
	memset(&sleeper, 1, sizeof(sleeper));
	EXPECT_EQ(nap__sleeper_begin(&sleeper, &pool), 0);
	EXPECT_FALSE(sleeper.only_sleeps);
	EXPECT_EQ(sleeper.group.pool, &pool);
}

TEST_HARNESS_MAIN
