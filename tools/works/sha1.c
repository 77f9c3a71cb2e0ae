/* SPDX-License-Identifier: MIT */
/* The form of FIPS 180-4, section 6.1.3, whose message schedule needs only 16 words. */
#include "sha1.h"

#include <string.h>

static inline uint32_t rol(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static inline uint32_t choose(uint32_t b, uint32_t c, uint32_t d)
{
	return d ^ (b & (c ^ d));
}

static inline uint32_t parity(uint32_t b, uint32_t c, uint32_t d)
{
	return b ^ c ^ d;
}

static inline uint32_t majority(uint32_t b, uint32_t c, uint32_t d)
{
	return (b & c) | (d & (b | c));
}

/* Returns the word of round @t, which is 16 or more. It replaces the word of 16 rounds before. */
static inline uint32_t schedule(uint32_t w[SHA1_BLOCK_WORDS], unsigned t)
{
	uint32_t x = w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15];

	return w[t & 15] = rol(x, 1);
}

static inline void round_of(uint32_t v[SHA1_WORDS], uint32_t f, uint32_t k, uint32_t word)
{
	uint32_t next = rol(v[0], 5) + f + v[4] + k + word;

	v[4] = v[3];
	v[3] = v[2];
	v[2] = rol(v[1], 30);
	v[1] = v[0];
	v[0] = next;
}

void sha1_block(uint32_t hash[static SHA1_WORDS], const uint32_t block[static SHA1_BLOCK_WORDS])
{
	uint32_t w[SHA1_BLOCK_WORDS], v[SHA1_WORDS];
	unsigned t;

	memcpy(w, block, sizeof(w));
	memcpy(v, hash, sizeof(v));
	for (t = 0; t < 16; t++)
		round_of(v, choose(v[1], v[2], v[3]), 0x5a827999, w[t]);
	for (; t < 20; t++)
		round_of(v, choose(v[1], v[2], v[3]), 0x5a827999, schedule(w, t));
	for (; t < 40; t++)
		round_of(v, parity(v[1], v[2], v[3]), 0x6ed9eba1, schedule(w, t));
	for (; t < 60; t++)
		round_of(v, majority(v[1], v[2], v[3]), 0x8f1bbcdc, schedule(w, t));
	for (; t < 80; t++)
		round_of(v, parity(v[1], v[2], v[3]), 0xca62c1d6, schedule(w, t));
	for (t = 0; t < SHA1_WORDS; t++)
		hash[t] += v[t];
}
