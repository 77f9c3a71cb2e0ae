/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_JSON_H
#define NAP_CHECK_JSON_H

#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Writes @text with quotes around it. Bytes that are no UTF-8 become question marks. */
void json_string(FILE *out, const char *text);

/* Writes the path, in quotes, as a URI: relative if the file is below the current directory. */
void json_uri(FILE *out, const char *path);

#pragma GCC visibility pop

#endif /* NAP_CHECK_JSON_H */
