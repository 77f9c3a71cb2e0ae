/* SPDX-License-Identifier: MIT */
/*
 * CPU quotas of the main thread's cgroups.
 *
 * /proc/self/mountinfo has the mount points of the hierarchies, /proc/self/cgroup the main thread's
 * cgroup in each. (Other threads may be in other cgroups, but a pool belongs to the process.) Both
 * versions may be mounted (a hybrid system: v1 with the cpu controller, v2 beside it), so every
 * mount that can hold a quota is checked. A quota binds everything below its cgroup, so the
 * smallest quota counts, from the main thread's cgroup up to the root of the mount.
 *
 * Nothing here fails. A file or line that is absent, unreadable, too long for its buffer or
 * malformed counts as no limit.
 */
#include "os/linux/cpus.h"
#include "os/linux/text.h"

#include <string.h>

#include "os/linux/file.h"

#define NO_LIMIT UINT32_MAX

struct mount {
	bool v2;
	char *root;	/* the cgroup that is mounted at the mount point */
	char *point;
};

/* Parses a line "36 25 0:32 ROOT POINT rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct". */
static bool parse_mount(char *line, struct mount *mount)
{
	char *type, *options;

	for (int i = 0; i < 3; i++)
		strsep(&line, " ");
	mount->root = strsep(&line, " ");
	mount->point = strsep(&line, " ");
	while ((type = strsep(&line, " ")) && strcmp(type, "-"))
		;
	type = strsep(&line, " ");
	strsep(&line, " ");
	options = strsep(&line, " ");
	if (!options)
		return false;
	nap__unescape(mount->root);
	nap__unescape(mount->point);
	mount->v2 = !strcmp(type, "cgroup2");
	return mount->v2 || (!strcmp(type, "cgroup") && nap__list_has(options, "cpu"));
}

/*
 * Parses a line "4:cpu,cpuacct:/path", or "0::/path" for v2. Returns the path in the wanted
 * hierarchy, or NULL.
 */
static char *parse_cgroup(char *line, bool v2)
{
	char *id = strsep(&line, ":");
	char *controllers = strsep(&line, ":");

	if (!line)
		return NULL;
	if (v2 ? strcmp(id, "0") || *controllers : !nap__list_has(controllers, "cpu"))
		return NULL;
	return line;
}

/*
 * Whether @path contains "..": then the cgroup is outside of this namespace, and below no mount
 * point.
 */
static bool climbs(const char *path)
{
	const char *up;

	while ((up = strstr(path, "/.."))) {
		path = up + 3;
		if (!*path || *path == '/')
			return true;
	}
	return false;
}

/* Returns the part of @cgroup below @root: "" or "/...". NULL: @cgroup is not below @root. */
static const char *below(const char *cgroup, const char *root)
{
	size_t len = strcmp(root, "/") ? strlen(root) : 0;

	if (strncmp(cgroup, root, len) || (cgroup[len] && cgroup[len] != '/'))
		return NULL;
	cgroup += len;
	if (climbs(cgroup))
		return NULL;
	return strcmp(cgroup, "/") ? cgroup : "";
}

/* Appends the path of the main thread's cgroup to @path, which has the mount point. */
static bool append_cgroup(struct text *path, const char *root, const struct mount *mount)
{
	char buf[TEXT_MOST];
	struct lines in;
	char *line;
	const char *cgroup = NULL;
	bool found;

	if (!nap__lines_open(&in, buf, sizeof(buf), root, "/proc/self/cgroup"))
		return false;
	while (!cgroup && (line = nap__lines_next(&in)))
		cgroup = parse_cgroup(line, mount->v2);
	if (cgroup)
		cgroup = below(cgroup, mount->root);
	found = cgroup && nap__text_append(path, cgroup);
	nap__lines_close(&in);
	return found;
}

/* Reads the file @name in @dir as one or two numbers. False: "max", "-1" and nonsense. */
static bool read_numbers(struct text *dir, const char *name, uint64_t *a, uint64_t *b)
{
	size_t len = dir->len;
	const char *s;
	char buf[64];
	long got;
	int fd;

	fd = nap__text_append(dir, name) ? file_open(dir->str) : -1;
	nap__text_cut(dir, len);
	/* Not noticed in tests when <= for <: the list of mounts is open, with a lower number. */
	if (fd < 0)
		return false;
	got = file_read(fd, buf, sizeof(buf) - 1);
	file_close(fd);
	if (got < 0)
		return false;
	buf[got] = '\0';
	s = buf;
	return nap__parse_number(&s, a) && (!b || nap__parse_number(&s, b)) && !*s;
}

/*
 * Returns the quota in CPUs, rounded up: rounded down, a quota of 1.5 would waste half a CPU, and a
 * quota of 0.5 would be no CPU. One worker too many costs some throttling at the end of a period,
 * which a quota causes anyway.
 */
static uint32_t quota_here(struct text *dir, bool v2)
{
	uint64_t quota, period, cpus;
	bool limited;

	if (v2)
		limited = read_numbers(dir, "/cpu.max", &quota, &period);
	else
		limited = read_numbers(dir, "/cpu.cfs_quota_us", &quota, NULL) &&
			  read_numbers(dir, "/cpu.cfs_period_us", &period, NULL);
	if (!limited || !quota || !period)
		return NO_LIMIT;
	cpus = quota / period + (quota % period != 0);
	/* Not noticed in tests when <= for <: as a number of CPUs the result would be the same. */
	return cpus < NO_LIMIT ? (uint32_t)cpus : NO_LIMIT;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t quota_of_mount(const char *root, const struct mount *mount)
{
	struct text dir = { 0 };
	uint32_t cpus;
	size_t top;

	if (!nap__text_append(&dir, root) || !nap__text_append(&dir, mount->point))
		return NO_LIMIT;
	top = dir.len;
	if (!append_cgroup(&dir, root, mount))
		return NO_LIMIT;
	cpus = quota_here(&dir, mount->v2);
	while (dir.len > top) {
		nap__text_cut(&dir, (size_t)(strrchr(dir.str, '/') - dir.str));
		cpus = smaller(cpus, quota_here(&dir, mount->v2));
	}
	return cpus;
}

uint32_t nap__os_quota_cpus(const char *root)
{
	char buf[TEXT_MOST];
	struct lines mounts;
	struct mount mount;
	uint32_t cpus = NO_LIMIT;
	char *line;

	if (!nap__lines_open(&mounts, buf, sizeof(buf), root, "/proc/self/mountinfo"))
		return NO_LIMIT;
	while ((line = nap__lines_next(&mounts)))
		if (parse_mount(line, &mount))
			cpus = smaller(cpus, quota_of_mount(root, &mount));
	nap__lines_close(&mounts);
	return cpus;
}
