/* SPDX-License-Identifier: MIT */
/* The first worker of a team plans the next batch. */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

static void shuffle(struct worker *w, unsigned *number, unsigned nr)
{
	for (unsigned i = nr; i > 1; i--) {
		unsigned other = (unsigned)(draw(w) % i), kept = number[i - 1];

		number[i - 1] = number[other];
		number[other] = kept;
	}
}

static void plan_meeting(struct batch *batch, int choice)
{
	int meeting = how.meet > 0 ? how.meet - 1 : how.interval > 0 ? -how.interval :
		how.meet == NEVER ? MEET_NEVER : choice;
	double interval = (double)-meeting * ticks_a_ns;

	/* Threads that wait for one CPU waste it. */
	if (meeting < 0 && nr_workers > cpus.nr)
		meeting = MEET_NEVER;
	batch->apart = meeting < 0 ? MEET_NEVER : (unsigned)meeting;
	batch->interval = meeting >= 0 ? 0 : interval < 1 ? 1 : (uint64_t)interval;
}

static void plan_touching(struct batch *batch, const unsigned char *choice)
{
	for (unsigned r = 0; r < ROLES; r++) {
		batch->nr_touching[r] = 0;
		for (unsigned i = 0; i < LOCATIONS; i++) {
			unsigned kind = cache_choice[choice[KNOB_CACHE + r * LOCATIONS + i]];

			if (!kind || how.cache == CACHE_NONE ||
			    (how.cache == CACHE_PREFETCH && kind == TOUCH_FLUSH) ||
			    (how.cache == CACHE_FLUSH && kind != TOUCH_FLUSH))
				continue;
			batch->touching[r][batch->nr_touching[r]++] =
				(struct touching) { batch->layout->place[i], kind };
		}
	}
}

/*
 * Sets the batch's layout, and the number of instances, which is smaller if each location has a
 * page.
 */
static void plan_size(struct batch *batch, const unsigned char *choice, uint64_t left)
{
	unsigned nr = how.size, layout = how.layout >= 0 ? (unsigned)how.layout :
		choice[KNOB_LAYOUT];

	batch->layout = &layouts[layout % LAYOUTS];
	while (nr > 16 && (size_t)nr * batch->layout->stride > room)
		nr /= 2;
	if (nr >> smaller_choice[choice[KNOB_SIZE]] >= 16)
		nr >>= smaller_choice[choice[KNOB_SIZE]];
	batch->mask = nr - 1;
	batch->nr = left < nr ? (unsigned)left : nr;
}

static void plan_batch(struct worker *w, struct batch *batch, const unsigned char *choice)
{
	uint64_t random = draw(w);

	plan_size(batch, choice, w->team->goal - w->team->done);
	plan_meeting(batch, meet_choice[choice[KNOB_MEET]]);
	plan_touching(batch, choice);
	batch->start = (unsigned)(random >> 8);
	batch->step = how.step > 0 ? (unsigned)how.step : step_choice[choice[KNOB_STEP]];
	if (!batch->step)
		batch->step = (unsigned)(random >> 20) | 1;
	batch->turn = (unsigned)random & 1;
	batch->late = how.late < 0 ? late_choice[choice[KNOB_LATE]] : (unsigned)how.late;
	batch->ahead = ahead_choice[choice[KNOB_AHEAD]];
	for (unsigned r = 0; r < ROLES; r++)
		batch->delay[r] = how.delayed ? how.delay[r % HOW_DELAYS] :
			delay_choice[choice[KNOB_DELAY + r]];
	shuffle(w, batch->role, ROLES);
}

/* Learns from the batch before the last: all workers have counted it. */
static void learn(struct team *team, const struct drawn *drawn, unsigned turn)
{
	double worth = 0;

	for (unsigned i = 0; i < nr_workers; i++)
		worth += team->worker[i].worth[turn];
	if (how.adapt && drawn->ticks)
		knobs_learn(&team->knobs, drawn->choice, worth / (double)drawn->ticks);
}

static void plan(struct worker *w)
{
	struct team *team = w->team;
	unsigned turn = ++team->turn & 1;
	struct drawn *drawn = &team->drawn[turn];
	uint64_t at = ticks();

	team->done += team->next.nr;
	team->ended = now();
	if (team->drawn[!turn].begin)
		team->drawn[!turn].ticks = at - team->drawn[!turn].begin;
	learn(team, drawn, turn);
	drawn->begin = at;
	for (unsigned knob = 0; knob < KNOBS; knob++)
		drawn->choice[knob] = (unsigned char)knob_draw(&team->knobs, knob, draw(w));
	plan_batch(w, &team->next, drawn->choice);
	team->next.order = (unsigned)((team->ended - began) * 20) % cpus.nr_orders;
	team->next.over = !team->next.nr ||
		(how.seconds > 0 && team->ended - began >= how.seconds);
}

#endif /* LAB_PLAN_H */
