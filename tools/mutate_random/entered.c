/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a program that was built with -finstrument-functions. Writes the addresses of the
 * functions that were entered, a line each, to the file that the environment's ENTERED names. The
 * file is mapped and has null bytes between lines, because the checker ends without destructors,
 * and has a write() of its own.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_ENTERED	8192

static uintptr_t entered[MAX_ENTERED];

struct line {
	char text[32];
};

static struct line *lines;

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("ENTERED");
	int file = name ? open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
	void *map = MAP_FAILED;

	if (file >= 0 && !ftruncate(file, sizeof(*lines) * MAX_ENTERED))
		map = mmap(NULL, sizeof(*lines) * MAX_ENTERED, PROT_READ | PROT_WRITE, MAP_SHARED,
			   file, 0);
	if (map != MAP_FAILED)
		lines = map;
	if (file >= 0)
		close(file);
}

/*
 * Writes the line of @address, without snprintf(): the program may be in the middle of such a call.
 */
static void note(struct line *line, uintptr_t address)
{
	char *at = line->text + sizeof(line->text);

	*--at = '\n';
	for (; address; address /= 16)
		*--at = "0123456789abcdef"[address % 16];
	*--at = 'x';
	*--at = '0';
}

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_enter(void *function, void *caller)
{
	uintptr_t address = (uintptr_t)function;
	unsigned int i = address / 16 % MAX_ENTERED;

	(void)caller;
	while (entered[i] && entered[i] != address)
		i = (i + 1) % MAX_ENTERED;
	if (!entered[i] && lines)
		note(&lines[i], address);
	entered[i] = address;
}

void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function;
	(void)caller;
}
