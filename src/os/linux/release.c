/* SPDX-License-Identifier: MIT */
#include "os/linux/release.h"

#include <string.h>

#include "arch/syscall.h"
#include "os/linux/text.h"

/* the kernel's struct new_utsname */
struct uname {
	char sysname[RELEASE_SIZE], nodename[RELEASE_SIZE], release[RELEASE_SIZE],
	     version[RELEASE_SIZE], machine[RELEASE_SIZE], domainname[RELEASE_SIZE];
};

bool nap__os_release(char release[RELEASE_SIZE])
{
	struct uname name;

	if (nap__syscall1(NAP__NR_uname, (long)&name))
		return false;
	memcpy(release, name.release, RELEASE_SIZE);
	release[RELEASE_SIZE - 1] = '\0';
	return true;
}

#define PART_BITS 20

/* Reads a number. A number that is longer than in any kernel's version is an error. */
static bool read_part(const char **text, uint64_t *part)
{
	return nap__parse_digits(text, part) && !(*part >> PART_BITS);
}

/* Reads a point at *@text and the number after it. Returns the number, or 0 if there is none. */
static uint64_t read_next(const char **text)
{
	const char *s = *text + 1;
	uint64_t part;

	if (**text != '.' || !read_part(&s, &part))
		return 0;
	*text = s;
	return part;
}

/*
 * Reads a version as a number, which is larger for a later version, and moves *@text past the
 * version. False: there is no version.
 */
static bool read_version(const char **text, uint64_t *version)
{
	if (!read_part(text, version))
		return false;
	*version = *version << PART_BITS | read_next(text);
	*version = *version << PART_BITS | read_next(text);
	return true;
}

bool nap__release_is_of(const char *release, const char *since)
{
	uint64_t kernel, first;

	if (!read_version(&release, &kernel))
		kernel = 0;
	while (read_version(&since, &first)) {
		bool last = *since != ',';

		if (kernel >= first && (last || kernel >> PART_BITS == first >> PART_BITS))
			return true;
		if (last)
			return false;
		since++;
	}
	return false;
}
