/* SPDX-License-Identifier: MIT */
/*
 * Preloaded to a program that was built with -finstrument-functions. Writes the addresses of the
 * functions that were entered, a line each, to the file that the environment's ENTERED names.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_ENTERED	8192

static uintptr_t entered[MAX_ENTERED];

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_enter(void *function, void *caller)
{
	uintptr_t address = (uintptr_t)function;
	unsigned int i = address / 16 % MAX_ENTERED;

	(void)caller;
	while (entered[i] && entered[i] != address)
		i = (i + 1) % MAX_ENTERED;
	entered[i] = address;
}

void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function;
	(void)caller;
}

__attribute__((destructor)) static void list(void)
{
	const char *name = getenv("ENTERED");
	FILE *file = name ? fopen(name, "w") : NULL;

	for (unsigned int i = 0; file && i < MAX_ENTERED; i++)
		if (entered[i])
			fprintf(file, "%#lx\n", (unsigned long)entered[i]);
	if (file)
		fclose(file);
}
