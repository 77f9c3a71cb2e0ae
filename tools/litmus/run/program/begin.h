/* SPDX-License-Identifier: MIT */
/* Reads how the test is run, and makes teams for it. */
#ifndef LAB_BEGIN_H
#define LAB_BEGIN_H

_Noreturn static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void read_how(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *wrong = how_take(&how, argv[i]);

		if (!wrong)
			continue;
		fprintf(stderr, "%s: expected %s\n", argv[i], wrong);
		exit(2);
	}
	if (!how.runs && how.seconds <= 0)
		how.runs = 1000000;
	/* A test that takes longer waits for something that never comes. */
	if (how.patience <= 0)
		how.patience = 60 + (how.seconds > 0 ? 2 * how.seconds : (double)how.runs / 20000);
	alarm(how.patience < 1e6 ? (unsigned)how.patience : 1000000);
}

/* Returns the clock's ticks in a nanosecond, measured for a few milliseconds. */
static double measure_ticks(void)
{
	double from = now();
	uint64_t first = ticks();

	while (now() - from < 0.004)
		;
	return (double)(ticks() - first) / (now() - from) / 1e9;
}

static void make_worker(struct team *team, unsigned number)
{
	struct worker *w = &team->worker[number];

	w->number = number;
	w->team = team;
	w->random = ((uint64_t)getpid() << 32 ^ (uint64_t)time(NULL)) *
		(2 * (number + ROLES * team->number) + 3) | 1;
	w->table = calloc(1, sizeof(*w->table));
	if (!w->table)
		fail("no memory");
}

static struct team *make_team(unsigned number)
{
	struct team *team = aligned_alloc(256, sizeof(*team));

	if (!team)
		fail("no memory");
	memset(team, 0, sizeof(*team));
	team->number = number;
	team->instances = aligned_alloc(4096, room);
	team->out = aligned_alloc(4096, (size_t)ROLES * how.size * SLOTS * 8 / 4096 * 4096 + 4096);
	if (!team->instances || !team->out)
		fail("no memory");
	memset(team->instances, 0, room);
	team->goal = how.runs ? how.runs / how.copies + (number < how.runs % how.copies) :
		UINT64_MAX;
	for (unsigned r = 0; r < ROLES; r++)
		team->next.role[r] = r;
	knobs_begin(&team->knobs);
	for (unsigned i = 0; i < nr_workers; i++)
		make_worker(team, i);
	return team;
}

/* A thread that waits in a loop for another has a worker of its own: the kernel schedules both. */
static void begin(int argc, char **argv)
{
	read_how(argc, argv);
	if (!cpus_find(&cpus, &how, getenv("LAB_SYS") ? getenv("LAB_SYS") : "/sys"))
		fail("affinity: there are no such CPUs");
	nr_workers = LOOPS || ROLES <= cpus.nr ? ROLES : cpus.nr;
	if (!how.copies)
		how.copies = cpus.nr >= nr_workers ? cpus.nr / nr_workers : 1;
	how.copies = how.copies > MOST_COPIES ? MOST_COPIES : how.copies;
	patience = nr_workers * how.copies > cpus.nr ? 50 : 5000;
	room = (size_t)how.size * layouts[0].stride;
	room = (room < ROOM ? ROOM : room + 4095) / 4096 * 4096;
	ticks_a_ns = measure_ticks();
	for (unsigned i = 0; i < how.copies; i++)
		teams[i] = make_team(i);
	began = now();
}

#endif /* LAB_BEGIN_H */
