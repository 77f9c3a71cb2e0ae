/* SPDX-License-Identifier: MIT */
/*
 * A switch of stacks, by nap__context_switch() or nap__context_jump(), preserves what a function
 * call preserves: the callee-saved registers and the floating-point control, of both contexts. The
 * end of a context preserves them for the context that goes on.
 */
#include <stdint.h>

#include "context.h"
#include "context_exercise.h"
#include "harness.h"

#define TURNS 100

/* Each run has its own stack, because AddressSanitizer remembers the frames of a used stack. */
static uint64_t stacks[6][2048] __attribute__((aligned(16)));
static int nr_stacks;
static void *here, *there;
static int turns_there, wrong_there;
static void (*how)(void **save, void *sp);

/* Fills the words with values that differ by word, context and round. */
static void fill(uint64_t *regs, uint64_t seed, uint64_t control)
{
	for (uint64_t i = 0; i < CONTEXT_WORDS; i++)
		regs[i] = (seed * CONTEXT_WORDS + i + 1) * 0x9e3779b97f4a7c15u;
	regs[CONTEXT_WORDS - 1] = control;
}

/* Counts the words that are not as fill() made them. */
static int differ(const uint64_t *regs, uint64_t seed, uint64_t control)
{
	uint64_t want[CONTEXT_WORDS];
	int n = 0;

	fill(want, seed, control);
	for (int i = 0; i < CONTEXT_WORDS; i++)
		n += regs[i] != want[i];
	return n;
}

/* The other context: switches to and fro TURNS times, and ends. */
static void *goes_to_and_fro(void *arg)
{
	uint64_t regs[CONTEXT_WORDS];

	while (turns_there < TURNS) {
		uint64_t seed = 1000 + (uint64_t)turns_there;

		fill(regs, seed, *(uint64_t *)arg);
		context_exercise(regs, &there, here, how);
		wrong_there += differ(regs, seed, *(uint64_t *)arg);
		turns_there++;
	}
	return here;
}

/* Switches to and fro; returns how many words were wrong on the calling side. */
static int go_to_and_fro(uint64_t here_control, uint64_t there_control)
{
	uint64_t regs[CONTEXT_WORDS];
	int wrong = 0;

	turns_there = wrong_there = 0;
	there = nap__context_make(stacks[nr_stacks++] + 2048, goes_to_and_fro, &there_control,
				  NULL);
	for (uint64_t turn = 0; turn <= TURNS; turn++) {
		fill(regs, turn, here_control);
		context_exercise(regs, &here, there, how);
		wrong += differ(regs, turn, here_control);
	}
	return wrong;
}

static void (*const kinds[])(void **save, void *sp) = { nap__context_switch, nap__context_jump };

TEST(registers_are_preserved)
{
	for (int i = 0; i < 2; i++) {
		how = kinds[i];
		EXPECT_EQ(go_to_and_fro(CONTROL_PLAIN, CONTROL_PLAIN), 0);
		EXPECT_EQ(turns_there, TURNS);
		EXPECT_EQ(wrong_there, 0);
	}
}

TEST(each_has_its_floating_point_control)
{
	for (int i = 0; i < 2; i++) {
		how = kinds[i];
		EXPECT_EQ(go_to_and_fro(CONTROL_PLAIN, CONTROL_OTHER), 0);
		EXPECT_EQ(turns_there, TURNS);
		EXPECT_EQ(wrong_there, 0);
		EXPECT_EQ(go_to_and_fro(CONTROL_OTHER, CONTROL_PLAIN), 0);
		EXPECT_EQ(wrong_there, 0);
	}
}

TEST_HARNESS_MAIN
