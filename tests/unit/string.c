/* SPDX-License-Identifier: MIT */
/* The string functions of the bare library against the C library's, on random strings. */
#include <string.h>

#include "harness.h"

/* The functions of src/os/bare/string.c, which are compiled with a prefix here. */
void *bare_memcpy(void *to, const void *from, size_t n);
void *bare_memmove(void *to, const void *from, size_t n);
void *bare_memset(void *mem, int c, size_t n);
int bare_memcmp(const void *a, const void *b, size_t n);
void *bare_memchr(const void *mem, int c, size_t n);
size_t bare_strlen(const char *str);
int bare_strcmp(const char *a, const char *b);
int bare_strncmp(const char *a, const char *b, size_t n);
char *bare_strchr(const char *str, int c);
char *bare_strrchr(const char *str, int c);
char *bare_strstr(const char *str, const char *part);
size_t bare_strcspn(const char *str, const char *reject);
char *bare_strsep(char **str, const char *delimiters);

#define SIZE 32

static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/*
 * Makes a string of a few different characters, so that many strings are alike. One of these
 * characters is negative.
 */
static void random_string(char *str, uint32_t max)
{
	uint32_t len = random_below(max);

	for (uint32_t i = 0; i < len; i++)
		str[i] = "ab/\xe9"[random_below(4)];
	str[len] = '\0';
}

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

TEST(strings)
{
	char a[SIZE], b[SIZE], part[4];

	for (unsigned long i = nap_test_count(200000); i--;) {
		int c = "ab/\xe9z"[random_below(6)];
		size_t n = random_below(SIZE);

		random_string(a, SIZE);
		random_string(b, i % 2 ? SIZE : 4);
		random_string(part, sizeof(part));
		ASSERT_EQ(bare_strlen(a), strlen(a));
		ASSERT_EQ(sign(bare_strcmp(a, b)), sign(strcmp(a, b)));
		ASSERT_EQ(sign(bare_strncmp(a, b, n)), sign(strncmp(a, b, n)));
		ASSERT_EQ(bare_strchr(a, c), strchr(a, c));
		ASSERT_EQ(bare_strrchr(a, c), strrchr(a, c));
		ASSERT_EQ(bare_strstr(a, part), strstr(a, part));
		ASSERT_EQ(bare_strcspn(a, part), strcspn(a, part));
	}
}

TEST(strsep_cuts_as_the_other_does)
{
	char a[SIZE], b[SIZE], delimiters[4];

	for (unsigned long i = nap_test_count(20000); i--;) {
		char *rest_a = a, *rest_b = b;

		random_string(a, SIZE);
		memcpy(b, a, sizeof(a));
		random_string(delimiters, sizeof(delimiters));
		for (char *token = a; token;) {
			char *other = strsep(&rest_b, delimiters);

			token = bare_strsep(&rest_a, delimiters);
			ASSERT_EQ(!token, !other);
			ASSERT_EQ(!rest_a, !rest_b);
			if (token) {
				ASSERT_EQ(token - a, other - b);
				ASSERT_STREQ(token, other);
			}
		}
	}
}

TEST(memory)
{
	unsigned char a[SIZE], b[SIZE];

	for (unsigned long i = nap_test_count(200000); i--;) {
		size_t n = random_below(SIZE / 2), to = random_below(SIZE / 2);
		size_t from = random_below(SIZE / 2);
		int c = (int)random_below(1024) - 512;

		for (int k = 0; k < SIZE; k++)
			a[k] = b[k] = (unsigned char)random_below(256);
		ASSERT_EQ(bare_memmove(a + to, a + from, n), a + to);
		memmove(b + to, b + from, n);
		ASSERT_EQ(memcmp(a, b, SIZE), 0);
		ASSERT_EQ(bare_memset(a + to, c, n), a + to);
		memset(b + to, c, n);
		ASSERT_EQ(memcmp(a, b, SIZE), 0);
		ASSERT_EQ(bare_memcpy(a, a + SIZE / 2, n), (void *)a);
		memcpy(b, b + SIZE / 2, n);
		ASSERT_EQ(bare_memcmp(a, b, SIZE), 0);
		b[from] ^= (unsigned char)(1u << random_below(8));
		ASSERT_EQ(sign(bare_memcmp(a, b, SIZE)), sign(memcmp(a, b, SIZE)));
		ASSERT_EQ(bare_memchr(a, c, n), memchr(a, c, n));
	}
}

TEST_HARNESS_MAIN
