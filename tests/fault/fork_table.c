/* SPDX-License-Identifier: MIT */
/*
 * Every place where a thread can be inside nap when the process forks, and everything that the
 * child does then, printed as a table. An empty cell fails. Each cell is a process of its own: it
 * has threads at the place, forks, judges its child, and goes on with the pool to its end. Each
 * cell runs under each idle protocol. In a slow build it runs under one protocol, another one for
 * the next cell.
 */
#include "fault/fork_places.h"

#include "fault/report.h"

static const char is_use[] = "to schedule a task is to use the pool";
static const char ends_at_once[] = "a pool that nobody has used is quiet: the call returns at once";

#define CROWD (GROUP | NO_POOL | QUIESCE | GUEST)

static const struct place places[] = {
	{ "worker in a task", task_on_worker, CROWD, 2, ON_WORKER, is_use },
	{ "worker in a task in a wait", nested_on_worker, CROWD, 1, ON_WORKER, is_use },
	{ "worker in a job that it stole", job_on_worker, CROWD, 2, ON_WORKER, is_use },
	{ "worker between fork and join", jobs_of_worker, CROWD, 2, ON_WORKER, is_use },
	{ "worker in a call left to it", call_left_to_worker, NO_POOL | GROUP, 1, ON_WORKER, NULL },
	{ "worker in worker_start", start_callback, CROWD, 4, ON_WORKER, NULL },
	{ "worker in worker_stop", stop_callback, NO_POOL | GROUP, 2, ON_WORKER, NULL },
	{ "starter in spawn_failed", failure_callback, NO_POOL, 0, NO_CALLS, NULL },
	{ "the same, with a task queued", failure_in_prewarm, NO_POOL, 0, NO_CALLS, NULL },
	{ "checker in @stuck", stuck_callback, WORKER, 1, 0, is_use },
	{ "joiner in @end of a nap_local", end_callback, NO_POOL | GROUP, 1, 0, is_use },
	{ "helper in a task", task_of_helper, WORKER | CROWD, 1, 0, is_use },
	{ "helper in a call in a task", call_of_helper, WORKER | CROWD, 1, 0, is_use },
	{ "guest in its call", call_of_guest, CROWD, 2, 0, NULL },
	{ "waiter in a task", task_of_waiter, HELPER | NO_POOL, 0, 0, is_use },
	{ "quiesce in a task", task_of_quiesce, HELPER | NO_POOL, 0, 0, is_use },
	{ "joiner in a task", task_of_joiner, HELPER | NO_POOL, 0, 0, is_use },
	{ "other: worker asleep", sleeping_worker, 0, 2, OUTSIDE, NULL },
	{ "other: worker in a task", fork_here, WORKER, 2, OUTSIDE, is_use },
	{ "other: helper in a task", fork_here, WORKER | HELPER, 1, OUTSIDE, is_use },
	{ "other: guest in its call", fork_here, GUEST, 2, OUTSIDE, NULL },
	{ "other: waiter on a group", fork_here, GROUP, 2, OUTSIDE, NULL },
	{ "other: waiter, group of no pool", fork_here, NO_POOL, 2, OUTSIDE | NO_USE, NULL },
	{ "other: quiesce", fork_here, GUEST | QUIESCE, 2, OUTSIDE, NULL },
	{ "other: joiner", sleeping_joiner, WORKER | GROUP | NO_POOL, 2, OUTSIDE, ends_at_once },
};

/* ---- a cell */

/* Whether a child whose worker thread ends runs no exit handlers. */
static bool ends_silently(void)
{
#if defined(NAP_TEST_BARE)
	return place_is(cell.place, ON_WORKER);
#elif defined(__GLIBC__)
	/*
	 * glibc counts threads that the child does not have, so the child's last thread ends
	 * without exit handlers.
	 */
	return place_is(cell.place, ON_WORKER) && cell.way == UNTOLD;
#else
	return false;	/* musl's _Fork() sets the number of threads */
#endif
}

static const char *why_not(void)
{
#ifdef NAP_TEST_EMULATED
	if (cell.way == UNTOLD)
		return "qemu-user wipes no page (MADV_WIPEONFORK)";
#endif
	if (!cell.used && cell.place->not_unused)
		return cell.place->not_unused;
	if (cell.action == RETURNS && place_is(cell.place, OUTSIDE))
		return "who forks is not inside";
	if (cell.action == CALLS && place_is(cell.place, NO_CALLS))
		return "spawn_failed may not call into the pool";
	if (cell.action == NEW && ends_silently())
		return "the child ends with its only thread, and no exit handler runs";
#ifdef NAP_TEST_TSAN
	if (cell.action != CALLS && place_is(cell.place, ON_WORKER))
		return "ThreadSanitizer cannot exit on a thread that has ended";
#endif
	return NULL;
}

static void use_before(void)
{
	static struct nap_task task = NAP_TASK_INIT(count_run);

	CHECK(nap_schedule(&pool, &task) == 0);
	CHECK(nap_pool_quiesce(&pool) == 0);
}

/* Ends the pool in the parent: every thread that was inside comes out. */
static void finish(void)
{
	bool silent = cell.action == RETURNS && ends_silently();
	int err;

	CHECK(WIFEXITED(child_status) && WEXITSTATUS(child_status) == (silent ? 0 : CAME_BACK));
	CHECK(nap_group_done(&with_pool) == 0 && nap_group_done(&without_pool) == 0);
	for (uint32_t i = 0; i < nr_actors; i++) {
		pthread_join(actors[i].thread, NULL);
		CHECK(actors[i].err == 0);
	}
	err = nap_pool_join(&pool, NULL);
	CHECK(err == 0 || err == -EALREADY);
	CHECK(count_workers() == 0);
}

static _Noreturn void run_cell(void)
{
	const struct place *place = cell.place;
	const struct nap_config config = {
		.idle = cell.idle, .max_workers = place->workers ? place->workers : 1,
		.worker_start = on_start, .worker_stop = on_stop, .spawn_failed = on_failure,
		.most_blocked = place->go == stuck_callback,
	};

#ifndef NAP_TEST_BARE
	CHECK(atexit(child_is_back) == 0);
#endif
	note_stack();
	starts_fail = !place->workers;
	CHECK(nap_pool_init(&pool, &config) == 0);
	if (place->go == end_callback)
		CHECK(nap_local_add(&pool, &local) == 0);
	nap_group_init(&with_pool, &pool);
	nap_group_init(&without_pool, NULL);
	nap_group_add(&with_pool, 1);
	nap_group_add(&without_pool, 1);
	if (cell.used)
		use_before();
	if (cell.used || place_is(place, OUTSIDE))
		bring(place->company);
	place->go();
	finish();
	_exit(0);
}

/* ---- printing the table */

enum { COLUMNS = 2 * WAYS * ACTIONS };
static const char *table[ARRAY_SIZE(places)][COLUMNS];	/* cells' texts; NULL: empty */
static const char ok[] = "ok", bad[] = "BAD";
static unsigned long nr_run_cells, nr_good;

static const char *result_of_cell(void)
{
	const char *reason = why_not();

	if (reason)
		return reason;
	for (int i = 0; i < (nap_test_slow() ? 1 : NAP__IDLE_PROTOCOLS); i++, cell.idle++) {
		pid_t child;
		int status;

		cell.idle %= NAP__IDLE_PROTOCOLS;
		fflush(stdout);
		child = fork();
		if (child == 0)
			run_cell();
		status = await_process(child);
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			printf("# BAD: %s, idle protocol %u, %s%s, pool %s: status %x\n",
			       cell.place->name, cell.idle,
			       cell.action == RETURNS ? "returns" :
			       cell.action == CALLS ? "calls" : "new",
			       cell.way == UNTOLD ? ", untold" : "",
			       cell.used ? "used" : "never used", status);
			return bad;
		}
	}
	return ok;
}

static void fill_row(const struct place *place, const char **row)
{
	for (int i = 0; i < COLUMNS; i++) {
		cell = (struct cell){ .place = place, .used = i < COLUMNS / 2,
				      .way = (enum way)(i / ACTIONS % WAYS),
				      .action = (enum action)(i % ACTIONS),
				      .idle = (enum nap_idle)(nr_run_cells % NAP__IDLE_PROTOCOLS) };
		row[i] = result_of_cell();
		nr_run_cells += row[i] == ok || row[i] == bad;
		nr_good += row[i] == ok;
	}
}

/* Why cells are empty, in the order in which the reasons occur. */
static const char *reasons[8];

static int number_of(const char *reason)
{
	int i = 0;

	while (reasons[i] && reasons[i] != reason)
		i++;
	reasons[i] = reason;
	return i;
}

static void print_cell(const char *what)
{
	if (!what)
		printf("     ");
	else if (what == ok || what == bad)
		printf("  %s%s", what, what == ok ? " " : "");
	else
		printf("  (%c)", 'a' + number_of(what));
}

static void print_table(void)
{
	printf("# the pool:                       used before                   never used\n");
	printf("# a child of                      fork()         %s        fork()         %s\n",
	       UNTOLD_NAME, UNTOLD_NAME);
	printf("# that                            ret. call new  ret. call new  ret. call new  "
	       "ret. call new\n");
	for (size_t r = 0; r < ARRAY_SIZE(places); r++) {
		printf("# %s", places[r].name);
		for (size_t i = strlen(places[r].name); i < 32; i++)
			printf(" ");
		for (int i = 0; i < COLUMNS; i++)
			print_cell(table[r][i]);
		printf("\n");
	}
	for (int i = 0; i < (int)ARRAY_SIZE(reasons) && reasons[i]; i++)
		printf("# (%c) %s\n", 'a' + i, reasons[i]);
	fflush(stdout);
}

TEST(every_place_and_what_the_child_does)
{
	for (size_t r = 0; r < ARRAY_SIZE(places); r++)
		fill_row(&places[r], table[r]);
	print_table();
	for (size_t r = 0; r < ARRAY_SIZE(places); r++)
		for (int i = 0; i < COLUMNS; i++) {
			EXPECT_TRUE(table[r][i] && table[r][i] != bad) {
				TH_LOG("%s: column %d", places[r].name, i);
			}
		}
	fault_report("forks with threads inside", nr_run_cells, nr_run_cells, nr_good);
}

TEST_HARNESS_MAIN
