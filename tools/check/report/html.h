/* SPDX-License-Identifier: MIT */
/* Text in a page. What is written is well-formed as HTML and as XML. */
#ifndef NAP_CHECK_HTML_H
#define NAP_CHECK_HTML_H

#include <stdio.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Writes the text, whatever it has in it. Bytes that are no UTF-8 become question marks. */
void html_text(FILE *out, const char *text);

/*
 * As html_text(), with links: "#12" becomes a link to event 12, and "#p3" a link to plain access 3,
 * shown as "p3".
 */
void html_linked(FILE *out, const char *text);

#pragma GCC visibility pop

#endif /* NAP_CHECK_HTML_H */
