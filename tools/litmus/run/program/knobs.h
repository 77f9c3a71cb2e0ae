/* SPDX-License-Identifier: MIT */
/*
 * Knobs are what can differ from batch to batch (layout, step, delays and so on). For each batch a
 * choice of each knob is drawn, and this file learns which choices are worth most.
 *
 * A choice is drawn by its score: the mean worth of the batches that had this choice, divided by
 * the mean worth of all batches. A batch is worth the outcomes that it has counted in a second,
 * each weighted by how rare its state is (table.h). So all outcomes of a rare state together are
 * worth as much as those of a frequent one, and the state that the test asks for is worth as much
 * as all others. One draw in thirty-two ignores the scores, so that a choice that was unlucky comes
 * back.
 */
#ifndef LAB_KNOBS_H
#define LAB_KNOBS_H

#define CHOICES	8u

enum { KNOB_LAYOUT, KNOB_SIZE, KNOB_STEP, KNOB_MEET, KNOB_LATE, KNOB_AHEAD, KNOB_DELAY,
       KNOB_CACHE = KNOB_DELAY + ROLES, KNOBS = KNOB_CACHE + ROLES * LOCATIONS };

/* The choices. A meet_choice above 0 is a mask of indices; below 0, a time in nanoseconds. */
static const unsigned smaller_choice[] = { 0, 0, 1, 3 };
static const unsigned step_choice[] = { 1, 3, 17, 0, 0 };
#define MEET_NEVER 65535
static const int meet_choice[] = { 0, 3, 31, MEET_NEVER, -50, -100, -200, -400 };
static const unsigned late_choice[] = { 0, 0, 3, 15, 63, 255 };
static const unsigned ahead_choice[] = { 0, 1, 4, 16 };
static const unsigned delay_choice[] = { 0, 0, 0, 8, 24, 60, 150, 400 };
static const unsigned cache_choice[] = { 0, 0, 0, TOUCH_READ, TOUCH_WRITE, TOUCH_FLUSH };
/* A choice that takes long is worth less until it has shown what it finds. */
#define SLOW		0.6

struct knobs {
	double score[KNOBS][CHOICES];
	double mean;			/* the mean of what a batch is worth per tick */
};

#define CHOICES_OF(array) (sizeof(array) / sizeof(*(array)))

static unsigned knob_choices(unsigned knob)
{
	switch (knob) {
	case KNOB_LAYOUT: return LAYOUTS;
	case KNOB_SIZE: return CHOICES_OF(smaller_choice);
	case KNOB_STEP: return CHOICES_OF(step_choice);
	case KNOB_MEET: return CHOICES_OF(meet_choice);
	case KNOB_LATE: return CHOICES_OF(late_choice);
	case KNOB_AHEAD: return CHOICES_OF(ahead_choice);
	default: return knob < KNOB_CACHE ? CHOICES_OF(delay_choice) : CHOICES_OF(cache_choice);
	}
}

static bool knob_is_slow(unsigned knob, unsigned choice)
{
	switch (knob) {
	case KNOB_LAYOUT: return choice == LAYOUT_PAGES;
	case KNOB_MEET: return !meet_choice[choice];
	case KNOB_LATE: return late_choice[choice] > 100;
	default: break;
	}
	if (knob < KNOB_DELAY || choice >= knob_choices(knob))
		return false;
	return knob < KNOB_CACHE ? delay_choice[choice] > 100 : cache_choice[choice] == TOUCH_FLUSH;
}

static void knobs_begin(struct knobs *knobs)
{
	for (unsigned knob = 0; knob < KNOBS; knob++)
		for (unsigned i = 0; i < CHOICES; i++)
			knobs->score[knob][i] = knob_is_slow(knob, i) ? SLOW : 1;
}

static double fourth_power(double x)
{
	return x * x * x * x;
}

/* Draws a choice, with a probability in proportion to the fourth power of the choice's score. */
static unsigned knob_draw(const struct knobs *knobs, unsigned knob, uint64_t random)
{
	unsigned nr = knob_choices(knob), i;
	double all = 0, at;

	if (!(random & 31))
		return (unsigned)(random >> 8) % nr;
	for (i = 0; i < nr; i++)
		all += fourth_power(knobs->score[knob][i]);
	at = all * (double)(random >> 16 & 0xffff) / 65536;
	for (i = 0; i < nr - 1; i++) {
		at -= fourth_power(knobs->score[knob][i]);
		if (at < 0)
			break;
	}
	return i;
}

/* Learns that a batch with these choices was worth @worth a tick. */
static void knobs_learn(struct knobs *knobs, const unsigned char *choice, double worth)
{
	double part;

	if (knobs->mean <= 0)
		knobs->mean = worth;
	knobs->mean += (worth - knobs->mean) / 64;
	part = knobs->mean > 0 ? worth / knobs->mean : 1;
	part = part > 8 ? 8 : part;
	for (unsigned knob = 0; knob < KNOBS; knob++) {
		double *score = &knobs->score[knob][choice[knob]];

		*score += (part - *score) / 32;
		*score = *score < 0.05 ? 0.05 : *score;
	}
}

#endif /* LAB_KNOBS_H */
