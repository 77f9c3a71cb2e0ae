/* SPDX-License-Identifier: MIT */
/*
 * Lists the files below the paths of the command line. The paths are resolved once, links
 * included; below them no link is followed. A path below another one is dropped, so that no file
 * counts twice.
 */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Prints a path that cannot be read. A name from the file system can have any bytes, so those that
 * could control the terminal are escaped. Without memory for the message nothing is printed.
 */
void complain(const char *path, int error)
{
	char *message = NULL;
	size_t len;
	FILE *out = open_memstream(&message, &len);

	if (!out)
		return;
	fputs("nap-demo: ", out);
	for (; *path; path++)
		fprintf(out, (unsigned char)*path < ' ' || *path == 0x7f || *path == '\\' ?
			"\\x%02x" : "%c", *path);
	fprintf(out, ": %s\n", strerror(error));
	if (!fclose(out))
		report_line(message, len);
	free(message);
}

/* Adds @path, which the list owns from then on. Returns 0 or ENOMEM, also when @path is NULL. */
static int add(struct paths *paths, char *path)
{
	char **more = paths->path;

	if (path && !(paths->count & (paths->count - 1)))
		more = realloc(more, (paths->count ? 2 * paths->count : 1) * sizeof(*more));
	if (!path || !more) {
		free(path);
		return ENOMEM;
	}
	paths->path = more;
	more[paths->count++] = path;
	return 0;
}

/* Returns the path, or NULL if there is no memory. */
static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir[1] ? dir : "", name) < 0 ? NULL : path;
}

/* Returns a DT_*, by fstatat() if the directory entry has none; DT_UNKNOWN if the file has gone. */
static unsigned char type_of(int fd, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type;
	if (fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
		return DT_UNKNOWN;
	return IFTODT(st.st_mode);
}

/* Returns 0 or ENOMEM. @error becomes 0, or the reason why the directory could not be read. */
static int list_entries(struct list *list, const char *dir, DIR *stream, int *error)
{
	struct dirent *d;
	int ret = 0;

	while (!ret && (errno = 0, d = readdir(stream))) {
		unsigned char type = type_of(dirfd(stream), d);

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		if (type == DT_DIR || type == DT_REG)
			ret = add(type == DT_DIR ? &list->dirs : &list->files,
				  join(dir, d->d_name));
		else
			list->others++;
	}
	*error = errno;
	return ret;
}

/*
 * Lists a directory. An unreadable directory is counted, and named if @verbose. Returns 0 or
 * ENOMEM.
 */
static int list_dir(struct list *list, const char *dir, bool verbose)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	int error = errno, ret = 0;

	if (stream) {
		ret = list_entries(list, dir, stream, &error);
		closedir(stream);
	} else if (fd >= 0) {
		close(fd);
	}
	if (!error || ret)
		return ret;
	list->bad_dirs++;
	if (verbose)
		complain(dir, error);
	return 0;
}

/* Returns 0 if @path can be read, or the positive errno; ENXIO: neither a directory nor a file. */
static int check(const char *path, bool *is_dir)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int error;

	if (fd < 0)
		return errno;
	error = fstat(fd, &st) ? errno : S_ISDIR(st.st_mode) || S_ISREG(st.st_mode) ? 0 : ENXIO;
	*is_dir = !error && S_ISDIR(st.st_mode);
	close(fd);
	return error;
}

/* Whether @path is @other, or below it. */
static bool covers(const char *other, const char *path)
{
	size_t len = other[1] ? strlen(other) : 0;

	return !strncmp(path, other, len) && (path[len] == '/' || !path[len]);
}

/* Whether root @i equals an earlier root, or is below another one. */
static bool is_covered(char *const *root, int n, int i)
{
	for (int j = 0; j < n; j++) {
		if (i == j || !covers(root[j], root[i]) || (j > i && covers(root[i], root[j])))
			continue;
		fprintf(stderr, "nap-demo: note: %s is counted once, with %s\n", root[i], root[j]);
		return true;
	}
	return false;
}

/* Sets @root to each of @paths without links. Returns what list_files() returns. */
static int resolve(char **root, bool *is_dir, int n, char **paths)
{
	int status = 0, error;

	for (int i = 0; i < n; i++) {
		root[i] = realpath(paths[i], NULL);
		error = root[i] ? check(root[i], &is_dir[i]) : errno;
		if (!error)
			continue;
		fprintf(stderr, "nap-demo: words: '%s': %s\n", paths[i], error == ENXIO ?
			"neither a directory nor a regular file" : strerror(error));
		status = EXIT_USAGE;
	}
	return status;
}

static int list_below(struct list *list, bool verbose)
{
	int error = 0;

	for (size_t i = 0; i < list->dirs.count && !error && !run_stop; i++)
		error = list_dir(list, list->dirs.path[i], verbose);
	return error;
}

/* Returns 0, or the exit status after every wrong path has been named. */
int list_files(struct list *list, bool verbose, int n, char **paths)
{
	char **root = calloc((size_t)n, sizeof(*root));
	bool *is_dir = calloc((size_t)n, sizeof(*is_dir));
	int error = root && is_dir ? 0 : ENOMEM;
	int status = error ? 0 : resolve(root, is_dir, n, paths);

	for (int i = 0; i < n && !error && !status; i++)
		if (!is_covered(root, n, i))
			error = add(is_dir[i] ? &list->dirs : &list->files, strdup(root[i]));
	if (!error && !status)
		error = list_below(list, verbose);
	for (int i = 0; i < n && root; i++)
		free(root[i]);
	free(root);
	free(is_dir);
	if (run_stop)
		return report_stopped(" while listing the files");
	return error ? report_error(error) : status;
}

static void paths_free(struct paths *paths)
{
	while (paths->count)
		free(paths->path[--paths->count]);
	free(paths->path);
}

void list_free(struct list *list)
{
	paths_free(&list->dirs);
	paths_free(&list->files);
}
