/* SPDX-License-Identifier: MIT */
/*
 * Accesses of which no model here says anything are undecided, by name.
 *
 * verdict three_words: undecided: an atomic access of (12|16) bytes
 * verdict two_words: undecided: an atomic access of 16 bytes
 * verdict part_of_word: undecided: atomic accesses of different sizes at one address
 * verdict fine: no fault
 */
#include <nap/check.h>
#include <stdatomic.h>

struct three {
	int a, b, c;
};
struct two {
	void *pointer;
	unsigned long count;
};

static _Atomic struct three three;
static _Atomic struct two two;
static atomic_int flag;
static union {
	atomic_uint word;
	atomic_uchar byte[4];
} both;

static void store_three(void *arg)
{
	atomic_store(&three, ((struct three){ 1, 1, 1 }));
}

static void count_two(void *arg)
{
	struct two old = atomic_load(&two), new = { NULL, old.count + 1 };

	atomic_compare_exchange_strong(&two, &old, new);
}

static void store_word(void *arg)
{
	atomic_store(&both.word, 0x01010101);
}

static void load_byte(void *arg)
{
	CHECK(atomic_load(&both.byte[1]) <= 1);
}

static void look(void *arg)
{
	atomic_load(&flag);
}

CHECK_SCENARIO(three_words, .threads = { { store_three }, { look } });
CHECK_SCENARIO(two_words, .threads = { { count_two }, { look } });
CHECK_SCENARIO(part_of_word, .threads = { { store_word }, { load_byte } });
CHECK_SCENARIO(fine, .threads = { { look }, { look } });
