/* SPDX-License-Identifier: MIT */
/*
 * The files that the command line names. They are refused before the search, which may take long.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "main/options.h"

void check_folder(const char *folder)
{
	if (access(folder, W_OK | X_OK))
		bad_usage(strerror(errno), folder);
}

/* Refuses a file that could not be made at the end of the search. */
void check_file(const char *file)
{
	char folder[1024];
	struct stat st;
	char *slash;

	if (!stat(file, &st) && S_ISDIR(st.st_mode))
		bad_usage(strerror(EISDIR), file);
	snprintf(folder, sizeof(folder), "%s", file);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	if (access(slash ? folder : ".", W_OK | X_OK))
		bad_usage(strerror(errno), file);
}
