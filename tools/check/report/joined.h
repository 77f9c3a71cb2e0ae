/* SPDX-License-Identifier: MIT */
/* What a part of a search (explore/parts.h) has found, besides its counts. */
#ifndef NAP_CHECK_JOINED_H
#define NAP_CHECK_JOINED_H

#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Write what this process has found; add to it what another process has written. */
void joined_write(FILE *out);
void joined_add(FILE *in);

#pragma GCC visibility pop

#endif /* NAP_CHECK_JOINED_H */
