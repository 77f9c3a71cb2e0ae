/* SPDX-License-Identifier: MIT */
/*
 * Names of members and elements of static variables, "queue.cells[1].turn", from the debugging
 * information.
 */
#ifndef NAP_CHECK_MEMBERS_H
#define NAP_CHECK_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Reads the debugging information, by binutils' readelf; and forgets it. */
void members_open(void);
void members_close(void);

/* Names what is at the address. False: it is in no variable that is known. */
bool member_name(uintptr_t address, char *out, size_t size);

#pragma GCC visibility pop

#endif /* NAP_CHECK_MEMBERS_H */
