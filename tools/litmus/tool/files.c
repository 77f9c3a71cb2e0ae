/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text/text.h"
#include "tool/files.h"

static void add_path(struct files *files, const char *path)
{
	size_t size = strlen(path) + 1;

	if (files->nr == files->room) {
		files->room = files->room ? 2 * files->room : 64;
		files->path = memory_wider(files->path, files->room * sizeof(*files->path));
	}
	files->path[files->nr] = memory_wider(NULL, size);
	memcpy(files->path[files->nr++], path, size);
}

const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_litmus(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && !strcmp(dot, ".litmus");
}

static bool add_below(struct files *files, const char *directory)
{
	char *roots[] = { (char *)directory, NULL };
	FTS *walk = fts_open(roots, FTS_NOCHDIR | FTS_PHYSICAL, by_name);
	FTSENT *entry;

	if (!walk)
		return false;
	while ((entry = fts_read(walk)))
		if (entry->fts_info == FTS_F && is_litmus(entry->fts_name))
			add_path(files, entry->fts_path);
	fts_close(walk);
	return true;
}

bool files_add(struct files *files, const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return false;
	if (S_ISDIR(status.st_mode))
		return add_below(files, path);
	add_path(files, path);
	return true;
}

bool files_add_list(struct files *files, const char *list)
{
	FILE *file = strcmp(list, "-") ? fopen(list, "re") : stdin;
	bool ok = file != NULL;
	size_t room = 0;
	char *line = NULL;

	while (ok && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (*line)
			ok = files_add(files, line);
	}
	free(line);
	if (file && file != stdin)
		fclose(file);
	return ok;
}

void files_free(struct files *files)
{
	for (unsigned i = 0; i < files->nr; i++)
		free(files->path[i]);
	free(files->path);
}
