/* SPDX-License-Identifier: MIT */
/* Ways out of a callback other than a return, where none is allowed: each ends in one line. */
#include "unit/debug_dies.h"
#include "unit/leaving_places.h"

/* ---- ways out */

static void by_exit(void)
{
	pthread_exit(NULL);
}

static void by_cancellation(void)
{
	pthread_cancel(pthread_self());
	pthread_testcancel();
}

static void by_jump(void)
{
	longjmp(back, 1);
}

#define NR(array) (sizeof(array) / sizeof(*(array)))

/* ---- the thread's next steps after a jump out of a callback */

static void then_join(void)
{
	nap_pool_join(&pool, NULL);
}

static void then_quiesce(void)
{
	nap_pool_quiesce(&pool);
}

static void then_help(void)
{
	nap_pool_help(&pool, 0);
}

static void then_wait(void)
{
	nap_group_wait(&group);
}

static void nothing(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
}

static void then_call(void)
{
	nap_call(&pool, nothing, NULL);
}

static void then_end(void)
{
	pthread_exit(NULL);
}

static void (*const follows[])(void) = {
	then_join, then_quiesce, then_help, then_wait, then_call, then_end
};

static const struct place *place;
static void (*follow)(void);

/*
 * On musl the end of a thread unwinds nothing, so nap tells by the depth of the stack whether the
 * thread is still inside a call. nap_call() was left by a jump. If pthread_exit() then ran in a
 * frame as deep as nap_call()'s, the thread would seem to end inside nap_call(), where a thread may
 * end. So nap_call() gets a deeper frame.
 */
static __attribute__((noinline)) void run_deeper(void)
{
	char frames[4096];

	__asm__ volatile("" : : "r"(frames) : "memory");
	place->run();
	__asm__ volatile("" : : "r"(frames) : "memory");
}

/* Runs the place. A jump leads here, and not into the frame of the thread's next call. */
static void *visit(void *unused)
{
	(void)unused;
	alarm(20);
	signal(SIGALRM, SIG_DFL);
	if (!setjmp(back))
		(follow == then_end && place->but == MAY_EXIT ? run_deeper : place->run)();
	else
		nap_group_add(&group, 1);
	follow();
	return NULL;
}

static void misuse(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, visit, NULL);
	pthread_join(thread, NULL);
}

/* Whether the child has printed one line. Emulators print an abort in their own way. */
static bool is_line(void)
{
	char *end = strchr(said, '\n');

	if (end && (strncmp(end + 1, "==", 2) == 0 || strncmp(end + 1, "qemu", 4) == 0))
		end[1] = 0;
	return is_one_line();
}

/* Whether the line names @how. A debug build finds unjoined jobs first. */
static bool tells(const char *how)
{
#ifdef NAP_DEBUG
	if (strstr(said, "jobs not joined"))
		return true;
#endif
	return strstr(said, how);
}

static void expect_line(struct __test_metadata *_metadata, const char *how)
{
	ASSERT_TRUE(dies(misuse)) {
		TH_LOG("%s in %s: \"%s\"", how, place->name, said);
	}
	EXPECT_TRUE(is_line()) {
		TH_LOG("%s in %s: \"%s\"", how, place->name, said);
	}
	EXPECT_TRUE(tells(how)) {
		TH_LOG("%s in %s: \"%s\"", how, place->name, said);
	}
}

/* Ends a thread by @way, where this is not allowed, and checks that a line is printed. */
static void expect_line_at_the_end(struct __test_metadata *_metadata, __typeof__(leave) way,
				   const char *how)
{
	leave = way;
	follow = then_end;
	for (place = places; place < places + NR(places); place++)
		if (place->but != MAY_EXIT)
			expect_line(_metadata, how);
}

TEST(pthread_exit_ends_in_one_line)
{
	expect_line_at_the_end(_metadata, by_exit, "pthread_exit()");
}

TEST(a_cancellation_ends_in_one_line)
{
	expect_line_at_the_end(_metadata, by_cancellation, "a cancellation");
}

TEST(a_jump_ends_in_one_line)
{
	leave = by_jump;
	for (place = places; place < places + NR(places); place++)
		for (size_t i = 0; i < NR(follows) && place->but != NO_JUMP; i++) {
			follow = follows[i];
			expect_line(_metadata, "longjmp()");
		}
}

TEST_HARNESS_MAIN
