/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_FILE_H
#define NAP_CHECK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/*
 * Writes a new file beside @file. When all of the new file is on the disk, it takes the place of
 * @file. False: it could not be written, as errno says, and @file is as it was.
 */
bool file_replace(const char *file, const char *text, size_t size);

#pragma GCC visibility pop

#endif /* NAP_CHECK_FILE_H */
