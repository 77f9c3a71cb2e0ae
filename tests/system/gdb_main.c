/* SPDX-License-Identifier: MIT */
/* Fibers in the middle of waits, for a debugger (gdb.sh). */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <nap/nap.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_event event = NAP_EVENT_INIT;
static struct nap_sem waiting = NAP_SEM_INIT(0);
static struct nap_group group;

static inline __attribute__((always_inline)) void look_inside(int *n)
{
	__asm__ volatile("nop" : "+r" (*n));
}

int look_now(int n);
__attribute__((noinline)) int look_now(int n)
{
	look_inside(&n);
	return n;
}

static __attribute__((noinline)) int goes_on(int n)
{
	__asm__ volatile("" : "+r" (n));
	return n;
}

static __attribute__((noinline)) int waits_for_the_event(int depth)
{
	int err;

	nap_sem_release(&waiting, 1);
	err = goes_on(nap_event_wait(&event));
	__asm__ volatile("" : "+r" (depth));
	return err + depth;
}

static __attribute__((noinline)) int goes_deeper(int depth)
{
	int err = depth ? goes_deeper(depth - 1) : waits_for_the_event(depth);

	__asm__ volatile("" : "+r" (depth));
	return err + depth;
}

static intptr_t parser(void *name)
{
	int err;

	nap_fiber_set_name(name);
	err = goes_deeper(3);
	nap_group_done(&group);
	return err;
}

/* Whether the first thread sleeps, as the kernel says. */
static bool first_sleeps(void)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state == 'S';
}

/* Sets the event when the first thread only has to wait for the group. */
static void set_event(struct nap_task *task)
{
	(void)task;
	while (!first_sleeps())
		sched_yield();
	nap_event_set(&event);
}

/*
 * With an argument the fibers have no guards, because gdb does not read past a guard when it
 * writes a core file.
 */
int main(int argc, char **argv)
{
	struct nap_fibers_config config = { .flags = argc > 1 ? NAP_FIBER_NO_GUARD : 0 };
	struct nap_task setter = NAP_TASK_INIT(set_event);
	struct nap_fiber *fibers[2];

	(void)argv;
	nap_group_init(&group, &pool);
	nap_group_add(&group, 2);
	if (nap_fibers_init(&pool, &config) || nap_spawn(&pool, &fibers[0], parser, "first") ||
	    nap_spawn(&pool, &fibers[1], parser, "second") ||
	    nap_sem_acquire(&waiting) || nap_sem_acquire(&waiting) || nap_sleep(50000000))
		return 1;
	look_now(1);
	if (nap_schedule(&pool, &setter) || nap_group_wait(&group))
		return 1;
	if (nap_await(fibers[0], NULL) || nap_await(fibers[1], NULL))
		return 1;
	look_now(2);
	if (nap_pool_join(&pool, NULL))
		return 1;
	look_now(3);
	return 0;
}
