/* SPDX-License-Identifier: MIT */
/*
 * What functions of the C library read and write.
 *
 * verdict copied: found: data race: write by T0 and read by T1 of text
 * verdict measured_after_free: found: use of freed memory: heap
 * verdict compared_after_free: found: use of freed memory: heap
 * verdict searched_after_free: found: use of freed memory: heap
 * verdict printed_after_free: found: use of freed memory: heap
 * verdict copied_too_far: found: out of bounds: 8 bytes at 0 of the 4 of heap
 * verdict no_end: found: out of bounds: 1 bytes at 4 of the 4 of heap
 * verdict cleared_too_far: found: out of bounds: 5 bytes at 0 of the 4 of heap
 * verdict handed_over: no fault
 */
#include <nap/check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[16];
static atomic_int flag;
static char *_Atomic shared;

static void write_text(void *arg)
{
	strcpy(text, "hello");
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void read_text(void *arg)
{
	if (atomic_load_explicit(&flag, memory_order_relaxed))
		CHECK(strlen(text) == 5);
}

CHECK_SCENARIO(copied, .threads = { { write_text }, { read_text } });

static void make_text(void)
{
	shared = malloc(4);
	strcpy(shared, "abc");
}

static void free_text(void *arg)
{
	free(atomic_load(&shared));
}

static void measure(void *arg)
{
	CHECK(strlen(atomic_load(&shared)) == 3);
}

static void compare(void *arg)
{
	CHECK(strcmp(atomic_load(&shared), "abc") == 0);
}

static void search(void *arg)
{
	memchr(atomic_load(&shared), 'b', 2);
}

static void print(void *arg)
{
	printf("%5d %s %.2f\n", 1, atomic_load(&shared), 1.0);
}

CHECK_SCENARIO(measured_after_free, .setup = make_text, .threads = { { free_text }, { measure } });
CHECK_SCENARIO(compared_after_free, .setup = make_text, .threads = { { free_text }, { compare } });
CHECK_SCENARIO(searched_after_free, .setup = make_text, .threads = { { free_text }, { search } });
CHECK_SCENARIO(printed_after_free, .setup = make_text, .threads = { { free_text }, { print } });

static void copy_too_far(void *arg)
{
	strcpy(atomic_load(&shared), "abcdefg");
}

static void measure_without_end(void *arg)
{
	char *s = atomic_load(&shared);

	s[3] = 'd';
	strlen(s);
}

static void clear_too_far(void *arg)
{
	memset(atomic_load(&shared), 0, 5);
}

CHECK_SCENARIO(copied_too_far, .setup = make_text, .threads = { { copy_too_far } });
CHECK_SCENARIO(no_end, .setup = make_text, .threads = { { measure_without_end } });
CHECK_SCENARIO(cleared_too_far, .setup = make_text, .threads = { { clear_too_far } });

static void hand_over(void *arg)
{
	char *s = malloc(16);

	snprintf(s, 16, "%d %s", 12, "and more");
	atomic_store_explicit(&shared, strcat(s, "!"), memory_order_release);
}

static void receive(void *arg)
{
	char *s = atomic_load_explicit(&shared, memory_order_acquire);

	if (s)
		CHECK(!strcmp(s, "12 and more!") && strchr(s, '!') == s + 11);
}

CHECK_SCENARIO(handed_over, .threads = { { hand_over }, { receive } });
