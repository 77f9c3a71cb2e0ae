/* SPDX-License-Identifier: MIT */
/*
 * A walk through the table of waits (tests/fault/waits.h): some of its cells run at the same time,
 * chosen at random, on the same two pools. So waits are nested in other waits, and a stop ends all
 * of them at once.
 *
 * The soak counts a cell as a task. Each round prints its seed; NAP_WALK_SEED=n begins with the
 * round of seed n.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/os.h"
#include "fault/waits.h"
#include "soak.h"

#define MOST		8	/* the highest number of cells at a time */
#define TASKS_A_CELL	50	/* a cell takes about as long as this number of tasks */

static struct world world;
static struct cell cells[MOST];
static uint32_t nr_cells;
static uint64_t state;

/*
 * Returns a number below @n, by xorshift64* (Vigna, "An experimental exploration of Marsaglia's
 * xorshift generators", 2016).
 */
static uint32_t below(uint32_t n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1du) >> 33) % n;
}

/* Events that concern one cell; and events that concern a pool, and so all its cells. */
static const enum event own[] = {
	POSSIBLE, ZERO, PAST, SOON, NEVER, CANCELED, CANCEL, RACE, CLOSED,
};
static const enum event of_pools[] = { DRAINS, STOPPED, STOPS, OTHER_STOPS };

static bool is_of_pools(enum event event)
{
	return event == DRAINS || event == STOPPED || event == STOPS || event == OTHER_STOPS;
}

/*
 * Whether this caller is a worker of the other pool that becomes a worker of home, too, during its
 * call. It may run tasks of the other pool nested in the call. Such a task is then inside home, so
 * its calls give other answers than the table has. So no walk has such callers: waits_table.c tries
 * them, where no other cell runs at the same time.
 */
static bool makes_two(const struct call *call, enum who who)
{
	return who == BOTH || (who == OTHERS && !strcmp(call->name, "loop"));
}

/*
 * Whether the cell might wait for itself. The end of a scope of a stopped pool joins this pool
 * (nap/scope.h), and the join waits for all threads inside the pool. The cell's caller, a worker of
 * the other pool, may be one of these threads: it may be in a wait of another cell inside the
 * stopped pool, and run the task that ends the scope nested in this wait.
 */
static bool waits_for_itself(const struct call *call, enum who who, enum event event)
{
	return is_of_pools(event) && who == OTHERS && call->flags & IS_SCOPE;
}

/*
 * Chooses a cell of the table that can run beside other cells. @classed: another cell holds the
 * only permit of the class.
 */
static void choose(struct cell *cell, enum event event, bool *classed)
{
	const struct call *call;
	enum event its;
	enum who who;

	do {
		its = is_of_pools(event) ? event : own[below(sizeof(own) / sizeof(*own))];
		call = waits_calls[below(waits_nr_calls)];
		who = (enum who)below(WHOS);
	} while (who == HELPER || who == STARTS || (who == CLASSED && *classed) ||
		 (call->flags & NOT_SHARED) || makes_two(call, who) ||
		 waits_for_itself(call, who, its) || !waits_expected(call, who, its).code);
	*classed |= who == CLASSED;
	waits_init(cell, call, who, its, &world);
}

static void begin(uint32_t n, enum event event)
{
	bool classed = false;

	/*
	 * Each cell may need two workers: one for the caller, and one that takes its job. The class
	 * has one permit.
	 */
	waits_begin_world(&world, CLASSED, event, 2 * n + 2);
	for (uint32_t i = 0; i < n; i++) {
		choose(&cells[i], event, &classed);
		nr_cells = i + 1;
		waits_begin(&cells[i]);
		if (event != STOPPED)
			waits_before(&cells[i]);
	}
	for (uint32_t i = 0; i < n && event == STOPPED; i++)
		waits_before(&cells[i]);
}

/*
 * Waits until the caller is asleep. A caller may run another cell in its wait: then it is not
 * asleep. A wait for a group may begin after its event, but every other wait must have begun
 * before: a condition does not keep a signal, and a job has to be stolen. So if the wait is for no
 * group, this function first waits until the caller is in a list.
 */
static void settle_one(struct cell *cell)
{
	bool (*listed)(struct cell *cell) = cell->call->listed;

	while (listed && !(cell->call->flags & IS_GROUP) && !listed(cell) &&
	       !waits_is_set(&cell->returned))
		usleep(20);
	waits_settle(cell, 100);
}

static void settle(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (cells[i].stays || cells[i].event > NEVER)
			settle_one(&cells[i]);
}

static void happen(uint32_t n, enum event event)
{
	for (uint32_t i = 0; i < (is_of_pools(event) ? 1 : n); i++)
		waits_meanwhile(&cells[i]);
}

/*
 * Whether the answer is the table's. With other cells in the pool, a joiner may have ended the
 * fibers of a scope before the scope's owner is notified of the stop. Then success is right, too.
 */
static bool is_right(const struct cell *cell, char answer)
{
	bool scope = cell->call->flags & IS_SCOPE;

	if (cell->code == '?' || (scope && cell->event == STOPS && cell->code == 'C'))
		return answer == '0' || answer == 'C';
	return answer == cell->code;
}

static void finish(struct cell *cell)
{
	waits_finish_caller(cell);
	WAITS_CHECK(cell, is_right(cell, waits_code(cell->answer)));
}

/* Whether the cell's wait ends only when home is joined, after a stop. */
static bool needs_join(const struct cell *cell)
{
	return world.home_stops && waits_is_fiber(cell->who) && strchr("C?", cell->code);
}

/*
 * Ends the cells in the order in which their calls return. If a call runs another cell nested in
 * its wait, the call of that cell returns first. Calls that return only in the pool's join are
 * ended last, because then no other call is on their threads.
 */
static void end(uint32_t n)
{
	uint32_t nr_left = n;
	bool ended[MOST] = { false };

	for (uint32_t i = 0; i < n; i++) {
		if (cells[i].stays)
			waits_give(&cells[i]);
		/*
		 * A pool that ends refuses a caller, even if what the caller waits for is possible.
		 * But the end of the pool may wait for this call, so the wait is made possible.
		 */
		else if (is_of_pools(cells[i].event) && cells[i].code == 'S')
			cells[i].call->possible(&cells[i]);
		nr_left -= needs_join(&cells[i]);
	}
	while (nr_left) {
		for (uint32_t i = 0; i < n; i++) {
			if (ended[i] || needs_join(&cells[i]) || !waits_is_set(&cells[i].returned))
				continue;
			waits_end(&cells[i]);
			ended[i] = true;
			nr_left--;
		}
		usleep(20);
	}
	for (uint32_t i = 0; i < n; i++)
		if (!ended[i])
			waits_end(&cells[i]);
	for (uint32_t i = 0; i < n; i++)
		finish(&cells[i]);
	waits_end_world(&world, &cells[0]);
	nr_cells = 0;
}

static uint32_t one_round(unsigned int shape)
{
	uint32_t n = 1 + below(MOST);
	enum event event = below(3) ? NEVER : of_pools[below(sizeof(of_pools) / sizeof(*of_pools))];

	tally_add(&soak_tally->offered[shape], n);
	begin(n, event);
	settle(n);
	happen(n, event);
	end(n);
	tally_add(&soak_tally->run[shape], n);
	return n;
}

void walk_print(void)
{
	if (!nr_cells)
		return;
	dprintf(2, "# a walk, NAP_WALK_SEED=%lu\n", (unsigned long)waits_seed);
	for (uint32_t i = 0; i < nr_cells; i++)
		dprintf(2, "#   %s, %s, %s: %s, thread %d; to be %c%s\n", cells[i].call->name,
			waits_who[cells[i].who], waits_event[cells[i].event],
			cells[i].returned ? "has returned" : cells[i].go ? "calls" :
			cells[i].here ? "is about to call" : "is not there", cells[i].tid,
			cells[i].code, cells[i].given ? ", given" : "");
}

void soak_walk(unsigned int shape, unsigned long tasks)
{
	const char *seed = getenv("NAP_WALK_SEED");

	if (!waits_seed)
		waits_seed = seed ? strtoul(seed, NULL, 10) : nap__os_now() | 1;
	waits_idle = soak_idle;
	monitor_watch(&world.home);
	monitor_watch(&world.other);
	for (unsigned long done = 0; done < tasks && !soak_interrupted();) {
		state = waits_seed;
		done += one_round(shape) * TASKS_A_CELL;
		waits_seed++;
	}
	monitor_forget(&world.home);
	monitor_forget(&world.other);
}
