// SPDX-License-Identifier: MIT
#include "common/trees.h"

#include <math.h>
#include <stdlib.h>

#include "sha1.h"

uint64_t fib_by_sum(unsigned n)
{
	uint64_t a = 0, b = 1;

	while (n--) {
		b += a;
		a = b - a;
	}
	return a;
}

uint64_t board_count(const struct board *board, unsigned n, unsigned rows)
{
	uint64_t result = 0;

	if (!rows)
		return 1;
	for (uint32_t free = board_free(board, n); free; free &= free - 1) {
		struct board next = board_with(board, free & -free);

		result += board_count(&next, n, rows - 1);
	}
	return result;
}

/* From the On-Line Encyclopedia of Integer Sequences, A000170. */
void queens_check(unsigned n, uint64_t result)
{
	static const uint64_t known[] = { 1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200,
					  73712, 365596, 2279184 };

	if (n >= sizeof(known) / sizeof(known[0]) || result != known[n])
		row_die("the result is wrong");
}

/* ---- uts: geometric, branching factor 4, depth at most 10, seed 19 */

struct uts_node uts_root(void)
{
	static const uint32_t block[16] = { [4] = 19, 0x80000000u, [15] = 20 * 8 };
	struct uts_node node = { SHA1_INIT, 0 };

	sha1_block(node.hash, block);
	return node;
}

struct uts_node uts_child(const struct uts_node *parent, unsigned i)
{
	const uint32_t *h = parent->hash;
	const uint32_t block[16] = { h[0], h[1], h[2], h[3], h[4], i, 0x80000000u, [15] = 24 * 8 };
	struct uts_node node = { SHA1_INIT, parent->depth + 1 };

	sha1_block(node.hash, block);
	return node;
}

unsigned uts_children(const struct uts_node *node)
{
	double u = (node->hash[4] & 0x7fffffff) / 2147483648.0;
	double n = floor(log(1 - u) / log(1 - 1 / (1 + 4.0)));

	if (node->depth >= 10)
		return 0;
	return n < 100 ? (unsigned)n : 100;
}

/* As published with the benchmark. */
void uts_check(uint64_t nodes)
{
	if (nodes != 4130071)
		row_die("the result is wrong");
}
