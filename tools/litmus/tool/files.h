/* SPDX-License-Identifier: MIT */
/* The tests of a command line: files, and all *.litmus files below directories, in order. */
#ifndef NAP_LITMUS_FILES_H
#define NAP_LITMUS_FILES_H

#include <stdbool.h>

struct files {
	unsigned nr, room;
	char **path;
};

/* Adds a file, or the tests of a directory. False: there is none, errno says why; adds nothing. */
bool files_add(struct files *files, const char *path);

/* Adds each line of the file @list ("-": standard input). */
bool files_add_list(struct files *files, const char *list);
void files_free(struct files *files);

/* Returns what follows the last slash. */
const char *file_name(const char *path);

#endif /* NAP_LITMUS_FILES_H */
