/* SPDX-License-Identifier: MIT */
#include "common/memory.h"

#include <stdio.h>

#include "common/row.h"

uint64_t memory_anonymous(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	unsigned long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Anonymous: %lu kB", &kib) == 1)
			break;
	if (!kib)
		row_die("no /proc/self/smaps_rollup");
	fclose(file);
	return kib * 1024u;
}
