/* SPDX-License-Identifier: MIT */
/* SHA-1 (FIPS 180-4) of whole blocks; for trees, not for secrets. */
#ifndef WORKS_SHA1_H
#define WORKS_SHA1_H

#include <stdint.h>

#define SHA1_WORDS 5
#define SHA1_BLOCK_WORDS 16

#define SHA1_INIT { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 }

/* The words of a message and of its hash are big-endian. The caller pads the message. */
void sha1_block(uint32_t hash[static SHA1_WORDS], const uint32_t block[static SHA1_BLOCK_WORDS]);

#endif /* WORKS_SHA1_H */
