// SPDX-License-Identifier: MIT
/*
 * The paths of the command line. They are resolved once, links included; below them no link is
 * followed. A path that is below another one is dropped, so that no file is visited twice.
 */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Can it be read? Returns 0 or a negative errno; -ENXIO: neither a directory nor a file. */
static int check(const char *full, bool *is_dir)
{
	struct stat st;
	int fd;

	if (stat(full, &st))
		return -errno;
	*is_dir = S_ISDIR(st.st_mode);
	if (!*is_dir && !S_ISREG(st.st_mode))
		return -ENXIO;
	fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int split(struct root *root, bool is_dir)
{
	char *slash = strrchr(root->full, '/');
	size_t len = is_dir ? strlen(root->full) : (size_t)(slash - root->full);

	root->file = is_dir ? NULL : slash + 1;
	root->dir = strndup(root->full, len ? len : 1);
	return root->dir ? 0 : -ENOMEM;
}

/* Thousands of files in one directory must not take as many descriptors. */
static int open_dir(struct roots *roots, struct root *root)
{
	const struct root *last = root - 1;

	if (root > roots->root && last->fd >= 0 && !strcmp(last->dir, root->dir)) {
		root->fd = last->fd;
		return 0;
	}
	root->fd = open(root->dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	root->owns_fd = root->fd >= 0;
	return root->fd >= 0 ? 0 : -errno;
}

static int add(struct roots *roots, const char *path)
{
	struct root *root = &roots->root[roots->count];
	bool is_dir = false;
	int ret;

	root->fd = -1;
	root->full = realpath(path, NULL);
	if (!root->full)
		return -errno;
	roots->count++;
	ret = check(root->full, &is_dir);
	if (!ret)
		ret = split(root, is_dir);
	if (!ret)
		ret = open_dir(roots, root);
	return ret;
}

/* Is @path @dir, or below it? */
static bool below(const char *path, const char *dir)
{
	size_t len = dir[1] ? strlen(dir) : 0;

	return !strncmp(path, dir, len) && (path[len] == '/' || !path[len]);
}

/* Does @a cover all of @b? */
static bool covers(const struct root *a, const struct root *b)
{
	return a->file ? !strcmp(a->full, b->full) : below(b->full, a->full);
}

static void drop_covered(struct roots *roots)
{
	struct root *root = roots->root;

	for (size_t i = 0; i < roots->count; i++) {
		for (size_t j = 0; j < roots->count && !root[i].dropped; j++) {
			if (i == j || root[j].dropped || !covers(&root[j], &root[i]))
				continue;
			root[i].dropped = true;
			fprintf(stderr, "nap-demo: note: %s is counted once, with %s\n",
				root[i].full, root[j].full);
		}
	}
}

/* Returns 0, or the exit status after it has named every path that is wrong. */
int roots_open(struct roots *roots, int argc, char **argv)
{
	int status = 0, ret;

	roots->count = 0;
	roots->root = calloc((size_t)argc, sizeof(*roots->root));
	if (!roots->root) {
		report_error(ENOMEM);
		return EXIT_FAILED;
	}
	for (int i = 0; i < argc; i++) {
		ret = add(roots, argv[i]);
		if (!ret)
			continue;
		fprintf(stderr, "nap-demo: words: '%s': %s\n", argv[i], ret == -ENXIO ?
			"neither a directory nor a regular file" : strerror(-ret));
		status = ret == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
	}
	if (!status)
		drop_covered(roots);
	return status;
}

void roots_close(struct roots *roots)
{
	for (size_t i = 0; i < roots->count; i++) {
		if (roots->root[i].owns_fd)
			close(roots->root[i].fd);
		free(roots->root[i].dir);
		free(roots->root[i].full);
	}
	free(roots->root);
}
