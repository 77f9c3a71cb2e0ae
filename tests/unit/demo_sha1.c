/* SPDX-License-Identifier: MIT */
/* The SHA-1 of uts against the examples published with the standard (FIPS 180). */
#include <string.h>

#include "harness.h"
#include "../tools/works/sha1.h"

#define BLOCK 64

/* The bytes of a message, one after another. */
struct hash {
	uint32_t words[SHA1_WORDS];
	unsigned char block[BLOCK];
	uint64_t len;
};

static void add_byte(struct hash *hash, unsigned char byte)
{
	uint32_t words[SHA1_BLOCK_WORDS] = { 0 };

	hash->block[hash->len++ % BLOCK] = byte;
	if (hash->len % BLOCK)
		return;
	for (unsigned i = 0; i < BLOCK; i++)
		words[i / 4] = words[i / 4] << 8 | hash->block[i];
	sha1_block(hash->words, words);
}

/* Returns the hash of @text, repeated @times. */
static struct hash hash_of(const char *text, unsigned long times)
{
	struct hash hash = { .words = SHA1_INIT };
	uint64_t bits;

	while (times--)
		for (const char *p = text; *p; p++)
			add_byte(&hash, (unsigned char)*p);
	bits = hash.len * 8;
	add_byte(&hash, 0x80);
	while (hash.len % BLOCK != BLOCK - 8)
		add_byte(&hash, 0);
	for (int shift = 56; shift >= 0; shift -= 8)
		add_byte(&hash, (unsigned char)(bits >> shift));
	return hash;
}

static int is(struct hash hash, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e)
{
	const uint32_t words[SHA1_WORDS] = { a, b, c, d, e };

	return !memcmp(hash.words, words, sizeof(words));
}

TEST(one_block)
{
	EXPECT_TRUE(is(hash_of("", 1), 0xda39a3ee, 0x5e6b4b0d, 0x3255bfef, 0x95601890,
		       0xafd80709));
	EXPECT_TRUE(is(hash_of("abc", 1), 0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c,
		       0x9cd0d89d));
}

TEST(two_blocks)
{
	EXPECT_TRUE(is(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1),
		       0x84983e44, 0x1c3bd26e, 0xbaae4aa1, 0xf95129e5, 0xe54670f1));
}

TEST(a_million_bytes)
{
	EXPECT_TRUE(is(hash_of("a", 1000000), 0x34aa973c, 0xd4c4daa4, 0xf61eeb2b, 0xdbad2731,
		       0x6534016f));
}

TEST_HARNESS_MAIN
