/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "explore/saving.h"
#include "program/locations.h"
#include "program/pthreads.h"
#include "program/siblings_learnt.h"

/* What holds for all executions. */
static uint32_t differ;			/* threads that are no siblings */
static uint32_t stood_in;		/* threads of which something was left out */
static bool stood_at[MAX_LOCATIONS], is_mixed[MAX_LOCATIONS];

void siblings_clear(void)
{
	differ = 0;
	memset(is_mixed, 0, sizeof(is_mixed));
	siblings_search();
}

void siblings_search(void)
{
	stood_in = 0;
	memset(stood_at, 0, sizeof(stood_at));
}

/* Returns @fine. If false, drops what an earlier process has saved: it is of other executions. */
static bool or_anew(bool fine)
{
	if (!fine && search.saving)
		search.saving->resumed = NULL;
	return fine;
}

bool siblings_learn(uint32_t those)
{
	uint32_t new = those & ~differ;

	differ |= those;
	return or_anew(!(stood_in & new));
}

bool siblings_are_apart(uint32_t those)
{
	return those & differ;
}

bool siblings_mix(unsigned location)
{
	is_mixed[location] = true;
	return or_anew(!stood_at[location]);
}

bool siblings_are_mixed(unsigned location)
{
	return is_mixed[location];
}

void siblings_stand_in(uint32_t those, unsigned location)
{
	stood_in |= those;
	stood_at[location] = true;
}

bool siblings_stood_at(unsigned location)
{
	return stood_at[location];
}

/* ---- for another process, which may have other numbers for locations, and for threads */

void siblings_write(FILE *out)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < MAX_LOCATIONS; i++)
		nr += stood_at[i] || is_mixed[i];
	fprintf(out, "siblings %x %x %u\n", differ, stood_in, nr);
	for (unsigned i = 0; i < MAX_LOCATIONS; i++)
		if (stood_at[i] || is_mixed[i])
			fprintf(out, "%lx %u %u %u\n", locations[i].address, locations[i].size,
				stood_at[i], is_mixed[i]);
	creations_write(out);
}

bool siblings_read(FILE *in)
{
	uint32_t apart, stood, unknown;
	unsigned nr, size, stands, mixed;
	uintptr_t address;

	if (fscanf(in, "siblings %x %x %u\n", &apart, &stood, &nr) != 3 || nr > MAX_LOCATIONS)
		return false;
	while (nr--) {
		unsigned location;

		if (fscanf(in, "%lx %u %u %u\n", &address, &size, &stands, &mixed) != 4 || size > 8)
			return false;
		location = location_known(address, size);
		stood_at[location] |= stands;
		is_mixed[location] |= mixed;
	}
	if (!creations_read(in, &unknown))
		return false;
	differ |= apart | unknown;
	stood_in |= stood;
	return true;
}

bool siblings_hold(void)
{
	bool hold = !(stood_in & differ);

	for (unsigned i = 0; i < MAX_LOCATIONS; i++)
		hold &= !(stood_at[i] && is_mixed[i]);
	if (!hold)
		siblings_search();
	return or_anew(hold);
}
