/* SPDX-License-Identifier: MIT */
/*
 * Faults outside of threads. None of these faults ends the next scenario.
 *
 * verdict in_setup: found: .*outside\.c:[0-9]+: published
 * verdict in_exists: found: .*outside\.c:[0-9]+: false
 * verdict in_finally: found: use of freed memory: 
 * verdict crash_in_setup: found: access through NULL: 4 bytes at 0
 * verdict too_much_in_setup: undecided: the bound on memory
 * verdict spawn_in_setup: found: check_spawn\(\) outside of threads
 * verdict fine: no fault
 */
#include <nap/check.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int flag;
static int published, *_Atomic shared;

static void look(void *arg)
{
	atomic_load(&flag);
}

static void check_in_setup(void)
{
	CHECK(published);
}

CHECK_SCENARIO(in_setup, .setup = check_in_setup, .threads = { { look } });

static bool check_in_exists(void)
{
	CHECK(false);
	return true;
}

CHECK_SCENARIO(in_exists, .exists = check_in_exists, .allowed = CHECK_RC11, .threads = { { look } });

static void allocate(void *arg)
{
	atomic_store(&shared, malloc(sizeof(*shared)));
}

static void use_after_free(void)
{
	int *p = shared;

	free(p);
	*p = 1;
}

CHECK_SCENARIO(in_finally, .finally = use_after_free, .threads = { { allocate } });

static void write_nowhere(void)
{
	*(volatile int *)shared = 1;
}

CHECK_SCENARIO(crash_in_setup, .setup = write_nowhere, .threads = { { look } });

static void allocate_too_much(void)
{
	shared = malloc((size_t)1 << 30);
}

CHECK_SCENARIO(too_much_in_setup, .setup = allocate_too_much, .threads = { { look } });

static void spawn(void)
{
	check_spawn(1, look, NULL, NULL);
}

CHECK_SCENARIO(spawn_in_setup, .setup = spawn, .threads = { { look } });
CHECK_SCENARIO(fine, .threads = { { look } });
