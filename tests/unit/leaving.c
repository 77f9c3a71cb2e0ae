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

/* The next two are named in the line, and so are not left before their calls return. */
#define STAY() __asm__ volatile("" : : : "memory")

MISUSES void then_want_to_be_told(void)
{
	static struct nap_cq cq;
	static struct nap_end end;

	nap_cq_init(&cq);
	nap_end_init(&end, leave_task, &cq);
	nap_pool_notify_end(&pool, &end);
	STAY();
}

MISUSES void then_wait_for_a_slot(void)
{
	static struct nap_pool with_slots = NAP_POOL_INIT(.max_workers = 1);
	static struct nap_slot slot;
	static struct nap_submitter full = NAP_SUBMIT_INIT(&with_slots, &slot, 1);

	nap_pool_init(&with_slots, &(struct nap_config){ .max_workers = 1 });
	full.taken = 1;
	nap_submit_wait_until(&full, leave_slot, NULL, 0);
	STAY();
}

static void then_end(void)
{
	pthread_exit(NULL);
}

static void (*const follows[])(void) = {
	then_join, then_quiesce, then_help, then_wait, then_call, then_want_to_be_told,
	then_wait_for_a_slot, then_end
};

static const struct place *place;
static void (*follow)(void);

static bool is_named(void)
{
	return follow == then_want_to_be_told || follow == then_wait_for_a_slot;
}

/*
 * Whether the frames of a thread that ends are unwound. Then the line says how the callback was
 * left. If nothing is unwound, nap finds at the thread's end that a callback is still running, and
 * the line names a jump, too.
 */
#ifdef __GLIBC__
static const bool unwinds = true;
#else
static const bool unwinds;
#endif

/*
 * On musl the end of a thread unwinds nothing, so nap tells by the depth of the stack whether the
 * thread is still inside a call. nap_call() was left by a jump. If pthread_exit() then ran in a
 * frame as deep as nap_call()'s, the thread would seem to end inside nap_call(), where a thread may
 * end. So nap_call() gets a deeper frame. The same goes for a place whose frames are smaller than
 * those of the next call, which depends on the compiler's options.
 */
static __attribute__((noinline)) void run_deeper(void)
{
	char frames[4096];

	__asm__ volatile("" : : "r"(frames) : "memory");
	place->run();
	__asm__ volatile("" : : "r"(frames) : "memory");
}

static bool is_deeper(void)
{
	return is_named() || !unwinds || (follow == then_end && place->but == MAY_EXIT);
}

/* Runs the place. A jump leads here, and not into the frame of the thread's next call. */
static void *visit(void *unused)
{
	(void)unused;
	alarm(20);
	signal(SIGALRM, SIG_DFL);
	if (!setjmp(back))
		(is_deeper() ? run_deeper : place->run)();
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

/* How often the line has named then_want_to_be_told(), and then_wait_for_a_slot(). */
static uint32_t nr_named[2];

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
	if (is_named()) {
		EXPECT_TRUE(names_misuse()) {
			TH_LOG("%s in %s: \"%s\"", how, place->name, said);
		}
		nr_named[follow == then_wait_for_a_slot] += strstr(said, ", called from ") != NULL;
	}
}

/* Ends a thread by @way, where this is not allowed, and checks that a line is printed. */
static void expect_line_at_the_end(struct __test_metadata *_metadata, __typeof__(leave) way,
				   const char *how)
{
	leave = way;
	follow = then_end;
	for (place = places; place < places + NR(places); place++)
		if (place->but != MAY_EXIT) {
			expect_line(_metadata, how);
			EXPECT_FALSE(unwinds && strstr(said, "longjmp()")) {
				TH_LOG("%s: \"%s\"", place->name, said);
			}
		}
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
	/* Where the way out leads back to the caller, its next call notices. */
	EXPECT_GT(nr_named[0], 0);
	EXPECT_EQ(nr_named[0], nr_named[1]);
}

TEST_HARNESS_MAIN
