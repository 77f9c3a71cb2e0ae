/* SPDX-License-Identifier: MIT */
/* Runs addr2line once for many addresses. */
#ifndef TRACE_LINES_H
#define TRACE_LINES_H

#include <stddef.h>
#include <stdint.h>

struct line_asked {
	uint64_t address;		/* as it is in the module's file */
	char *function, *file;		/* NULL if not known; the caller frees them */
	unsigned line;
};

/* Fills in what addr2line says of @path; does nothing where there is no addr2line. */
void lines_ask(const char *path, struct line_asked *asked, size_t nr);

#endif /* TRACE_LINES_H */
