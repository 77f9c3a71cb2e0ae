/* SPDX-License-Identifier: MIT */
#include "queens.h"

const uint64_t queens_known[] = {
	1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512,
	95815104, 666090624, 4968057848, 39029188884,
};

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
