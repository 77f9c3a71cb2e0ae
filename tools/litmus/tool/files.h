/* SPDX-License-Identifier: MIT */
/* The tests that a command line names: files, and all *.litmus below directories, in order. */
#ifndef NAP_LITMUS_FILES_H
#define NAP_LITMUS_FILES_H

#include <stdbool.h>

struct files {
	unsigned nr, room;
	char **path;
};

/* false: there is no such file or directory, errno says why; nothing is added. */
bool files_add(struct files *files, const char *path);

/* Each line of the file @list ("-": standard input) is one. */
bool files_add_list(struct files *files, const char *list);
void files_free(struct files *files);

/* What follows the last slash. */
const char *file_name(const char *path);

#endif /* NAP_LITMUS_FILES_H */
