/* SPDX-License-Identifier: MIT */
/*
 * Arguments and results of every kind that fits into a frame (NAP_JOB()), in three cases: the job
 * is not stolen; its own worker runs it in another wait; another worker has stolen it.
 */
#include <stddef.h>

#include "jobs_fixture.h"

static struct nap_pool pool;

enum how { NOBODY, SELF, OTHER, NR_HOWS };
static const char *const hows[] = { "kept", "run by its own worker", "taken" };
static uint32_t nr_begun;

/* Waits until the last forked job is in the state that @how says. */
static void await(enum how how)
{
	if (how == SELF)
		nap_pool_help(&pool, 1);
	while (how == OTHER && !nap_load_acquire(&nr_begun))
		sched_yield();
}

#define TYPES(name, result_t, argument_t, result, to)						\
static result_t name(struct nap_worker *worker, struct nap_frame *top, argument_t a);		\
NAP_JOB(name, result_t, argument_t)								\
static result_t name(struct nap_worker *worker, struct nap_frame *top, argument_t a)		\
{												\
	(void)worker;										\
	(void)top;										\
	nap_fetch_add_release(&nr_begun, 1);							\
	return result;										\
}												\
static bool name##_agrees(struct nap_worker *worker, enum how how)				\
{												\
	struct nap_frame *top = nap_top(worker);						\
	argument_t a = to;									\
	result_t should_be = result;								\
	result_t is;										\
												\
	nr_begun = 0;										\
	name##_fork(worker, top, a);								\
	await(how);										\
	is = name##_join(worker, top, a);							\
	return !memcmp(&is, &should_be, sizeof(is)) && nr_begun == 1;				\
}

/* The largest and the most strictly aligned types that a frame allows. */
struct largest {
	unsigned char bytes[NAP_JOB_SIZE];
};
struct strictest {
	long n __attribute__((aligned(16)));
	long minus_n;
};

static struct largest turned(struct largest of)
{
	struct largest turned;

	for (int i = 0; i < NAP_JOB_SIZE; i++)
		turned.bytes[i] = of.bytes[NAP_JOB_SIZE - 1 - i];
	return turned;
}

static int somewhere;

TYPES(char_of_char, char, char, (char)(a + 1), 'x')
TYPES(long_of_short, long, short, -(long)a, 12345)
TYPES(double_of_float, double, float, (double)a / 2, 0.3f)
TYPES(pointer_of_pointer, const void *, int *, a + 1, &somewhere)
TYPES(largest_of_largest, struct largest, struct largest, turned(a),
      ((struct largest){ "All forty-eight bytes are there, turned round!" }))
TYPES(largest_of_char, struct largest, char, ((struct largest){ { a, a } }), 'y')
TYPES(char_of_largest, unsigned char, struct largest, a.bytes[NAP_JOB_SIZE - 2],
      ((struct largest){ "All forty-eight bytes are there, turned round!" }))
TYPES(strictest_of_strictest, struct strictest, struct strictest,
      ((struct strictest){ a.n + 1, a.minus_n - 1 }), ((struct strictest){ 5, -5 }))
TYPES(bool_of_enum, bool, enum how, a == OTHER, OTHER)

static void add_to(struct nap_worker *worker, struct nap_frame *top, long *sum);
NAP_JOB_VOID(add_to, long *)

static void add_to(struct nap_worker *worker, struct nap_frame *top, long *sum)
{
	(void)worker;
	(void)top;
	*sum += 7;
	nap_fetch_add_release(&nr_begun, 1);
}

static bool nothing_of_pointer_agrees(struct nap_worker *worker, enum how how)
{
	struct nap_frame *top = nap_top(worker);
	long sum = 1;

	nr_begun = 0;
	add_to_fork(worker, top, &sum);
	await(how);
	add_to_join(worker, top, &sum);
	return sum == 8 && nr_begun == 1;
}

static const struct {
	const char *name;
	bool (*agrees)(struct nap_worker *worker, enum how how);
} types[] = {
	{ "char of char", char_of_char_agrees },
	{ "long of short", long_of_short_agrees },
	{ "double of float", double_of_float_agrees },
	{ "pointer of pointer", pointer_of_pointer_agrees },
	{ "48 bytes of 48 bytes", largest_of_largest_agrees },
	{ "48 bytes of char", largest_of_char_agrees },
	{ "char of 48 bytes", char_of_largest_agrees },
	{ "16 bytes aligned to 16", strictest_of_strictest_agrees },
	{ "bool of enum", bool_of_enum_agrees },
	{ "nothing of pointer", nothing_of_pointer_agrees },
};

static enum how how;
static size_t type;
static bool agrees;

static void fork_type(struct nap_worker *worker)
{
	agrees = types[type].agrees(worker, how);
}

TEST(every_type_comes_through)
{
	watchdog(&pool, 0);
	for (how = NOBODY; how < NR_HOWS; how++) {
		nap_pool_init(&pool, &(struct nap_config){ .max_workers = how == OTHER ? 2 : 1 });
		for (type = 0; type < sizeof(types) / sizeof(types[0]); type++) {
			agrees = false;
			ASSERT_EQ(run_on_worker(&pool, fork_type), 0);
			EXPECT_TRUE(agrees) {
				TH_LOG("%s, %s", types[type].name, hows[how]);
			}
		}
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

TEST_HARNESS_MAIN
