/* SPDX-License-Identifier: MIT */
#include "uts.h"

#include <math.h>

#include "sha1.h"

#define SEED 19
#define BRANCHING 4.0

#define PAD 0x80000000u	/* the bit that ends the message */

/* Returns the root: the hash of 16 zero bytes and the seed. */
struct uts_node uts_root(void)
{
	static const uint32_t block[SHA1_BLOCK_WORDS] = { [4] = SEED, PAD, [15] = 20 * 8 };
	struct uts_node node = { SHA1_INIT, 0 };

	sha1_block(node.hash, block);
	return node;
}

/* Returns a child: the hash of the parent's 20 bytes and the child's number. */
struct uts_node uts_child(const struct uts_node *parent, unsigned i)
{
	const uint32_t *h = parent->hash;
	const uint32_t block[SHA1_BLOCK_WORDS] = {
		h[0], h[1], h[2], h[3], h[4], i, PAD, [15] = 24 * 8,
	};
	struct uts_node node = { SHA1_INIT, parent->depth + 1 };

	sha1_block(node.hash, block);
	return node;
}

/* Inverts the geometric distribution of the number of children, whose mean is BRANCHING. */
unsigned uts_children(const struct uts_node *node)
{
	double u = (node->hash[SHA1_WORDS - 1] & 0x7fffffff) / 2147483648.0;
	double n = floor(log(1 - u) / log(1 - 1 / (1 + BRANCHING)));

	if (node->depth >= UTS_DEPTH)
		return 0;
	return n < UTS_CHILDREN_MAX ? (unsigned)n : UTS_CHILDREN_MAX;
}
