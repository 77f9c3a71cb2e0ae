/* SPDX-License-Identifier: MIT */
/*
 * A team: workers that run the test together, on an array of instances of its locations, and what
 * their next batch is. The first worker plans.
 */
#ifndef LAB_TEAM_H
#define LAB_TEAM_H

struct touching {
	unsigned place, how;
};

struct batch {
	const struct layout *layout;
	unsigned nr, mask;		/* the number of instances; the mask of their indices */
	unsigned start, step, turn;
	unsigned apart;			/* the workers meet where index & apart is 0 */
	uint64_t begin, interval;	/* or an instance starts each @interval ticks; 0: no */
	unsigned late;			/* a mask: the greatest number of random steps */
	unsigned delay[ROLES];
	unsigned ahead;
	unsigned nr_touching[ROLES];
	struct touching touching[ROLES][LOCATIONS];
	unsigned role[ROLES];		/* worker w runs w, w + nr_workers and so on of these */
	unsigned order;			/* of the CPUs */
	bool over;
};

/* What a batch was drawn from, kept until it is known what it was worth. */
struct drawn {
	unsigned char choice[KNOBS];
	uint64_t begin, ticks;
};

struct worker {
	_Alignas(256) unsigned round;	/* written only by this worker */
	_Alignas(256) unsigned number;
	struct team *team;
	unsigned order;
	uint64_t random;
	double worth[2];		/* of the outcomes it has counted of a batch, by turn */
	struct table *table;
	pthread_t thread;
};

struct team {
	struct worker worker[ROLES];
	unsigned number, turn;
	char *instances;
	uint64_t *out;			/* [role][index][slot] */
	struct batch next;
	struct drawn drawn[2];
	struct knobs knobs;
	uint64_t goal, done;
	uint64_t begin;			/* when the batch's first instance is due */
	double ended;
};

#define MOST_COPIES	256
#define ROOM		(4u << 20)	/* bytes of instances, at least */

static struct team *teams[MOST_COPIES];
static struct how how = HOW_DEFAULT;
static struct cpus cpus;
static unsigned nr_workers, patience;
static double began, ticks_a_ns;
static size_t room;			/* bytes of a team's instances */

/* Returns the worker of this number among those of all teams. */
static struct worker *worker_at(unsigned i)
{
	return &teams[i / nr_workers]->worker[i % nr_workers];
}

static uint64_t draw(struct worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random * 0x9e3779b97f4a7c15ull >> 16;
}

/* Waits until all workers have come here. */
static void meet(struct worker *w)
{
	unsigned round = w->round + 1, tries = 0;

	__atomic_store_n(&w->round, round, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < nr_workers; i++) {
		const unsigned *other = &w->team->worker[i].round;

		while ((int)(__atomic_load_n(other, __ATOMIC_ACQUIRE) - round) < 0) {
			if (++tries % patience)
				pause_cpu();
			else
				sched_yield();
		}
	}
}

#endif /* LAB_TEAM_H */
