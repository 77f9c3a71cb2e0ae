/* SPDX-License-Identifier: MIT */
/*
 * Two threads on the same words: an operation that is not atomic loses updates, an operation that
 * does not order shows old values. Passing proves little on a machine that keeps more order than
 * it has to (x86, and everything that qemu emulates on it); the listings in Documentation/ and
 * the litmus tests carry the proof. Nothing here depends on time.
 */
#include <pthread.h>
#include <sched.h>

#include "arch/atomic.h"
#include "harness.h"
#include "late.h"

#define line __attribute__((aligned(64)))
#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* Pauses in a loop that waits for the other thread, which may have no CPU of its own. */
static void relax(unsigned *spins)
{
	if (++*spins % 256)
		nap_cpu_relax();
	else
		sched_yield();
}

/* Waits until both threads have arrived: the two arrivals of round n make the count 2n + 2. */
static void meet(uint32_t *count, uint32_t round)
{
	unsigned spins = 0;

	nap_fetch_add_acq_rel(count, 1);
	while ((int32_t)(nap_load_acquire(count) - (2 * round + 2)) < 0)
		relax(&spins);
}

/*
 * The body of both threads: @me is 0 or 1, and 0 is the test's own thread. Both start together,
 * because most bodies take less time than the creation of a thread.
 */
struct sides {
	void (*body)(void *shared, unsigned me);
	void *shared;
	uint32_t start;
};

static void *second_side(void *arg)
{
	struct sides *sides = arg;

	meet(&sides->start, 0);
	sides->body(sides->shared, 1);
	return NULL;
}

static int both(void (*body)(void *shared, unsigned me), void *shared)
{
	struct sides sides = { body, shared, 0 };
	pthread_t thread;
	int err = pthread_create(&thread, NULL, second_side, &sides);

	if (err)
		return err;
	meet(&sides.start, 0);
	body(shared, 0);
	return pthread_join(thread, NULL);
}

/* Both threads increment one counter. No increment is lost, whatever the order. */
struct increments {
	unsigned long times;
	void (*increment)(void *counter);
	union {
		uint32_t w;
		uint64_t d;
	} counter line;
};

#define DEFINE_INCREMENT(bits, order)							\
static void add##bits##_##order(void *counter)						\
{											\
	uint##bits##_t *c = counter;							\
											\
	nap_fetch_add_##order(c, 1);							\
}											\
static void sub##bits##_##order(void *counter)						\
{											\
	uint##bits##_t *c = counter;							\
											\
	nap_fetch_sub_##order(c, -1);							\
}											\
static void cas##bits##_##order(void *counter)						\
{											\
	uint##bits##_t *c = counter, old = nap_load_relaxed(c), seen;			\
											\
	while ((seen = nap_cmpxchg_##order(c, old, old + 1)) != old)			\
		old = seen;								\
}
#define FOR_ORDERS(X, bits)								\
	X(bits, relaxed)								\
	X(bits, acquire)								\
	X(bits, release)								\
	X(bits, acq_rel)								\
	X(bits, seq_cst)
FOR_ORDERS(DEFINE_INCREMENT, 32)
FOR_ORDERS(DEFINE_INCREMENT, 64)

struct named_increment {
	const char *name;
	unsigned bits;
	void (*increment)(void *counter);
};
#define ROW_INCREMENT(bits, order)							\
	{ "fetch_add" #bits "_" #order, bits, add##bits##_##order },			\
	{ "fetch_sub" #bits "_" #order, bits, sub##bits##_##order },			\
	{ "cmpxchg" #bits "_" #order, bits, cas##bits##_##order },
static const struct named_increment increment_ways[] = {
	FOR_ORDERS(ROW_INCREMENT, 32)
	FOR_ORDERS(ROW_INCREMENT, 64)
};

static void increments_body(void *shared, unsigned me)
{
	struct increments *s = shared;

	(void)me;
	for (unsigned long i = 0; i < s->times; i++)
		s->increment(&s->counter);
}

TEST(increments)
{
	for (unsigned i = 0; i < ARRAY_LENGTH(increment_ways); i++) {
		const struct named_increment *way = &increment_ways[i];
		struct increments s = { nap_test_count(200000), way->increment, { .d = 0 } };
		/* the count passes 2^32: a 32-bit counter wraps, a 64-bit one carries */
		uint64_t start = way->bits == 32 ? UINT32_MAX - 100 : (uint64_t)UINT32_MAX - 100;
		uint64_t want = start + 2 * s.times;

		s.counter.d = start;
		if (way->bits == 32)
			want = (uint32_t)want;
		ASSERT_EQ(0, both(increments_body, &s));
		EXPECT_EQ(want, s.counter.d) {
			TH_LOG("%s", way->name);
		}
	}
}

/*
 * Bits: fetch_or and fetch_and of one side leave the other side's bits alone.
 */
struct bits {
	unsigned long times;
	unsigned wrong[2];
	uint32_t w line;
	uint64_t d line;
};

#define DEFINE_BITS(unused, order)							\
static void bits_##order(void *shared, unsigned me)					\
{											\
	struct bits *s = shared;							\
	uint32_t w = (uint32_t)0x55555555 << me;					\
	uint64_t d = (uint64_t)0x5555555555555555 << me;				\
											\
	for (unsigned long i = 0; i < s->times; i++) {					\
		s->wrong[me] += (nap_fetch_or_##order(&s->w, w) & w) != 0;		\
		s->wrong[me] += (nap_fetch_or_##order(&s->d, d) & d) != 0;		\
		s->wrong[me] += (nap_fetch_and_##order(&s->w, ~w) & w) != w;		\
		s->wrong[me] += (nap_fetch_and_##order(&s->d, ~d) & d) != d;		\
	}										\
}
FOR_ORDERS(DEFINE_BITS, 0)

#define BITS_BODY(unused, order) bits_##order,
static void (*const bits_bodies[])(void *shared, unsigned me) = { FOR_ORDERS(BITS_BODY, 0) };

TEST(bits)
{
	for (unsigned i = 0; i < ARRAY_LENGTH(bits_bodies); i++) {
		struct bits s = { .times = nap_test_count(100000) };

		ASSERT_EQ(0, both(bits_bodies[i], &s));
		EXPECT_EQ(0, s.wrong[0] + s.wrong[1]);
		EXPECT_EQ(0, s.w);
		EXPECT_EQ(0, s.d);
	}
}

/*
 * Exchange: three tokens, one in each hand and one on the table. Each side exchanges the token in
 * its hand for the token on the table; in the end there are still three tokens, each once. The
 * holder of a token may access the token's data, because its exchange acquires what the other
 * thread's exchange has released.
 */
struct tokens {
	unsigned long times;
	uint64_t hand[2];
	uint64_t owned[4];		/* not atomic: only the token's holder accesses it */
	uint32_t table32 line;
	uint64_t table64 line;
};

/* Tokens of 64 bits differ in their upper halves, too. */
#define TOKEN32(n) (n)
#define TOKEN64(n) ((uint64_t)(n) << 32 | (n))

#define DEFINE_TOKENS(bits, order, holds)						\
static void tokens##bits##_##order(void *shared, unsigned me)				\
{											\
	struct tokens *s = shared;							\
	uint##bits##_t hand = TOKEN##bits(me + 1);					\
											\
	for (unsigned long i = 0; i < s->times; i++) {					\
		hand = nap_xchg_##order(&s->table##bits, hand);				\
		if (holds)								\
			s->owned[(uint32_t)hand & 3]++;					\
	}										\
	s->hand[me] = hand;								\
}
#define DEFINE_ALL_TOKENS(bits)								\
	DEFINE_TOKENS(bits, relaxed, 0)							\
	DEFINE_TOKENS(bits, acquire, 0)							\
	DEFINE_TOKENS(bits, release, 0)							\
	DEFINE_TOKENS(bits, acq_rel, 1)							\
	DEFINE_TOKENS(bits, seq_cst, 1)
DEFINE_ALL_TOKENS(32)
DEFINE_ALL_TOKENS(64)

struct named_tokens {
	const char *name;
	void (*body)(void *shared, unsigned me);
	int holds;
};
#define ROW_TOKENS(bits)								\
	{ "xchg" #bits "_relaxed", tokens##bits##_relaxed, 0 },				\
	{ "xchg" #bits "_acquire", tokens##bits##_acquire, 0 },				\
	{ "xchg" #bits "_release", tokens##bits##_release, 0 },				\
	{ "xchg" #bits "_acq_rel", tokens##bits##_acq_rel, 1 },				\
	{ "xchg" #bits "_seq_cst", tokens##bits##_seq_cst, 1 },
static const struct named_tokens token_ways[] = { ROW_TOKENS(32) ROW_TOKENS(64) };

TEST(exchanged_tokens)
{
	for (unsigned i = 0; i < ARRAY_LENGTH(token_ways); i++) {
		struct tokens s = {
			.times = nap_test_count(300000),
			.table32 = TOKEN32(3),
			.table64 = TOKEN64(3),
		};
		unsigned is64 = i >= ARRAY_LENGTH(token_ways) / 2;
		uint64_t table, all = 0;

		ASSERT_EQ(0, both(token_ways[i].body, &s));
		table = is64 ? s.table64 : s.table32;
		const uint64_t left[3] = { s.hand[0], s.hand[1], table };

		for (unsigned k = 0; k < 3; k++) {
			uint64_t n = left[k] & 3;

			EXPECT_EQ(is64 ? TOKEN64(n) : TOKEN32(n), left[k]) {
				TH_LOG("%s: half a token", token_ways[i].name);
			}
			all |= (uint64_t)1 << n;
		}
		EXPECT_EQ(0xe, all) {
			TH_LOG("%s: a token was lost", token_ways[i].name);
		}
		if (token_ways[i].holds) {
			EXPECT_EQ(2 * s.times, s.owned[1] + s.owned[2] + s.owned[3]) {
				TH_LOG("%s: two held one token", token_ways[i].name);
			}
		}
	}
}

/*
 * Message passing: one thread writes a payload, which is not atomic, and sets a flag; the other
 * thread reads the flag, and then the payload. Every releasing operation sets the flag in turn, and
 * every acquiring operation reads it. The operation under test sets the flag from 0 to 1. The way
 * back is another flag, with a release store and an acquire load.
 */
struct mail {
	unsigned long times;
	void (*put)(void *flag);
	int (*got)(void *flag);
	unsigned long wrong;
	uint64_t payload[3] line;	/* not atomic */
	uint64_t more line;		/* not atomic, on a line of its own */
	union {
		uint32_t w;
		uint64_t d;
	} flag line;
	uint64_t answer line;
};

#define DEFINE_PUT_STORE(bits, order)							\
static void put_store##bits##_##order(void *flag)					\
{											\
	nap_store_##order((uint##bits##_t *)flag, 1);					\
}
#define DEFINE_PUT_RMW(bits, order)							\
static void put_xchg##bits##_##order(void *flag)					\
{											\
	nap_xchg_##order((uint##bits##_t *)flag, 1);					\
}											\
static void put_cmpxchg##bits##_##order(void *flag)					\
{											\
	nap_cmpxchg_##order((uint##bits##_t *)flag, 0, 1);				\
}											\
static void put_fetch_add##bits##_##order(void *flag)					\
{											\
	nap_fetch_add_##order((uint##bits##_t *)flag, 1);				\
}											\
static void put_fetch_sub##bits##_##order(void *flag)					\
{											\
	nap_fetch_sub_##order((uint##bits##_t *)flag, -1);				\
}											\
static void put_fetch_or##bits##_##order(void *flag)					\
{											\
	nap_fetch_or_##order((uint##bits##_t *)flag, 1);				\
}
#define DEFINE_GOT_LOAD(bits, order)							\
static int got_load##bits##_##order(void *flag)						\
{											\
	return nap_load_##order((uint##bits##_t *)flag) == 1;				\
}
#define DEFINE_GOT_RMW(bits, order)							\
static int got_xchg##bits##_##order(void *flag)						\
{											\
	return nap_xchg_##order((uint##bits##_t *)flag, 0) == 1;			\
}											\
static int got_cmpxchg##bits##_##order(void *flag)					\
{											\
	return nap_cmpxchg_##order((uint##bits##_t *)flag, 1, 0) == 1;			\
}											\
static int got_fetch_add##bits##_##order(void *flag)					\
{											\
	return nap_fetch_add_##order((uint##bits##_t *)flag, 0) == 1;			\
}											\
static int got_fetch_sub##bits##_##order(void *flag)					\
{											\
	return nap_fetch_sub_##order((uint##bits##_t *)flag, 0) == 1;			\
}											\
static int got_fetch_and##bits##_##order(void *flag)					\
{											\
	return nap_fetch_and_##order((uint##bits##_t *)flag, 0) == 1;			\
}

#define RELEASES(X, bits) X(bits, release) X(bits, acq_rel) X(bits, seq_cst)
#define ACQUIRES(X, bits) X(bits, acquire) X(bits, acq_rel) X(bits, seq_cst)

#define DEFINE_MAIL(bits)								\
	DEFINE_PUT_STORE(bits, release)							\
	DEFINE_PUT_STORE(bits, seq_cst)							\
	RELEASES(DEFINE_PUT_RMW, bits)							\
	DEFINE_GOT_LOAD(bits, acquire)							\
	DEFINE_GOT_LOAD(bits, seq_cst)							\
	ACQUIRES(DEFINE_GOT_RMW, bits)
DEFINE_MAIL(32)
DEFINE_MAIL(64)

struct named_put {
	const char *name;
	void (*put)(void *flag);
};
struct named_got {
	const char *name;
	int (*got)(void *flag);
};
#define ROW(way, op, bits, order) { #op #bits "_" #order, way##_##op##bits##_##order },
#define ROW_PUT(bits, order)								\
	ROW(put, xchg, bits, order)							\
	ROW(put, cmpxchg, bits, order)							\
	ROW(put, fetch_add, bits, order)						\
	ROW(put, fetch_sub, bits, order)						\
	ROW(put, fetch_or, bits, order)
#define ROW_GOT(bits, order)								\
	ROW(got, xchg, bits, order)							\
	ROW(got, cmpxchg, bits, order)							\
	ROW(got, fetch_add, bits, order)						\
	ROW(got, fetch_sub, bits, order)						\
	ROW(got, fetch_and, bits, order)
#define PUTS(bits)									\
	ROW(put, store, bits, release)							\
	ROW(put, store, bits, seq_cst)							\
	RELEASES(ROW_PUT, bits)
#define GOTS(bits)									\
	ROW(got, load, bits, acquire)							\
	ROW(got, load, bits, seq_cst)							\
	ACQUIRES(ROW_GOT, bits)

static const struct named_put puts32[] = { PUTS(32) }, puts64[] = { PUTS(64) };
static const struct named_got gots32[] = { GOTS(32) }, gots64[] = { GOTS(64) };

static void mail_body(void *shared, unsigned me)
{
	struct mail *s = shared;

	for (uint64_t round = 1; round <= s->times; round++) {
		unsigned spins = 0;

		if (me == 0) {
			for (unsigned i = 0; i < ARRAY_LENGTH(s->payload); i++)
				s->payload[i] = round + i;
			s->more = ~round;
			s->put(&s->flag);
			while (nap_load_acquire(&s->answer) != round)
				relax(&spins);
			continue;
		}
		while (!s->got(&s->flag))
			relax(&spins);
		s->wrong += s->more != ~round;
		for (unsigned i = 0; i < ARRAY_LENGTH(s->payload); i++)
			s->wrong += s->payload[i] != round + i;
		nap_store_relaxed(&s->flag.d, 0);
		nap_store_release(&s->answer, round);
	}
}

static unsigned long mail_wrong(const struct named_put *put, const struct named_got *got, int *err)
{
	struct mail s = { .times = nap_test_late() ? 5 : nap_test_count(500),
			  .put = put->put, .got = got->got };

	*err = both(mail_body, &s);
	return s.wrong;
}

TEST(message_passing)
{
	int err;

	for (unsigned i = 0; i < ARRAY_LENGTH(puts32); i++) {
		for (unsigned k = 0; k < ARRAY_LENGTH(gots32); k++) {
			EXPECT_EQ(0, mail_wrong(&puts32[i], &gots32[k], &err)) {
				TH_LOG("%s to %s", puts32[i].name, gots32[k].name);
			}
			ASSERT_EQ(0, err);
			EXPECT_EQ(0, mail_wrong(&puts64[i], &gots64[k], &err)) {
				TH_LOG("%s to %s", puts64[i].name, gots64[k].name);
			}
			ASSERT_EQ(0, err);
		}
	}
}

/*
 * Store buffering: each side stores to its own word, and loads the other side's word. With
 * sequential consistency at least one side sees the other side's store.
 */
struct pair {
	uint32_t word[2][16];		/* each on a line of its own */
	uint32_t seen[2];
};

struct buffering {
	unsigned long times;
	void (*step)(uint32_t *mine, const uint32_t *other, uint32_t *seen);
	uint32_t count line;		/* counts arrivals: meet() */
	struct pair pair line;
	unsigned long both_zero;	/* written by side 0 alone */
};

static void step_seq_cst(uint32_t *mine, const uint32_t *other, uint32_t *seen)
{
	nap_store_seq_cst(mine, 1);
	*seen = nap_load_seq_cst(other);
}

static void step_xchg(uint32_t *mine, const uint32_t *other, uint32_t *seen)
{
	nap_xchg_seq_cst(mine, 1);
	*seen = nap_load_seq_cst(other);
}

static void step_cmpxchg(uint32_t *mine, const uint32_t *other, uint32_t *seen)
{
	nap_cmpxchg_seq_cst(mine, 0, 1);
	*seen = nap_load_seq_cst(other);
}

static void step_rmw(uint32_t *mine, const uint32_t *other, uint32_t *seen)
{
	nap_store_seq_cst(mine, 1);
	*seen = nap_fetch_add_seq_cst((uint32_t *)other, 0);
}

static void step_fence(uint32_t *mine, const uint32_t *other, uint32_t *seen)
{
	nap_store_relaxed(mine, 1);
	nap_fence_seq_cst();
	*seen = nap_load_relaxed(other);
}

static void step_cmpxchg_fence(uint32_t *mine, const uint32_t *other, uint32_t *seen)
{
	nap_cmpxchg_release(mine, 0, 1);
	nap_fence_seq_cst();
	*seen = nap_load_relaxed(other);
}

static void step_weak(uint32_t *mine, const uint32_t *other, uint32_t *seen)
{
	nap_store_release(mine, 1);
	*seen = nap_load_acquire(other);
}

/*
 * qemu translates a stlr to a fence and a store, and a ldar to a load and a fence, so no fence is
 * between the store and the load. On an x86 host both sides were seen to read 0 (qemu 7.2), which
 * no AArch64 processor may do. Every machine except the emulator has to pass.
 */
static int emulated_ldar(void)
{
#ifdef __aarch64__
	return nap_test_slow();
#else
	return 0;
#endif
}

enum verdict { FORBIDDEN, FORBIDDEN_BUT_IN_QEMU, ALLOWED };

static const struct {
	const char *name;
	void (*step)(uint32_t *mine, const uint32_t *other, uint32_t *seen);
	enum verdict verdict;
} steps[] = {
	{ "store_seq_cst, load_seq_cst", step_seq_cst, FORBIDDEN_BUT_IN_QEMU },
	{ "xchg_seq_cst, load_seq_cst", step_xchg, FORBIDDEN },
	{ "cmpxchg_seq_cst, load_seq_cst", step_cmpxchg, FORBIDDEN },
	{ "store_seq_cst, fetch_add_seq_cst", step_rmw, FORBIDDEN },
	{ "store_relaxed, fence, load_relaxed", step_fence, FORBIDDEN },
	{ "cmpxchg_release, fence, load_relaxed", step_cmpxchg_fence, FORBIDDEN },
	{ "store_release, load_acquire", step_weak, ALLOWED },
};

static void buffering_body(void *shared, unsigned me)
{
	struct buffering *s = shared;
	uint32_t round = 0;

	for (unsigned long i = 0; i < s->times; i++) {
		meet(&s->count, round++);
		s->step(s->pair.word[me], s->pair.word[!me], &s->pair.seen[me]);
		/* The other side reads @times after the next meeting. */
		if (me == 0 && i % 64 == 63 && nap_test_late())
			s->times = i + 1;
		meet(&s->count, round++);
		if (me == 0) {
			s->both_zero += !s->pair.seen[0] && !s->pair.seen[1];
			nap_store_relaxed(s->pair.word[0], 0);
			nap_store_relaxed(s->pair.word[1], 0);
		}
	}
}

TEST(store_buffering)
{
	for (unsigned i = 0; i < ARRAY_LENGTH(steps); i++) {
		struct buffering s = { .times = nap_test_count(100000), .step = steps[i].step };

		ASSERT_EQ(0, both(buffering_body, &s));
		if (steps[i].verdict == ALLOWED ||
		    (steps[i].verdict == FORBIDDEN_BUT_IN_QEMU && emulated_ldar())) {
			/* both may read 0 here, so the number is only printed */
			TH_LOG("%s: both read 0 in %lu of %lu runs", steps[i].name, s.both_zero,
			       s.times);
			continue;
		}
		EXPECT_EQ(0, s.both_zero) {
			TH_LOG("%s: both read 0", steps[i].name);
		}
	}
}

TEST_HARNESS_MAIN
