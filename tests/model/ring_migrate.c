/* SPDX-License-Identifier: MIT */
/*
 * ring_migrate() of src/queue/ring.h: the owner takes the older half of its full ring out as a
 * list, while thieves take theirs. Either the half is the owner's alone, oldest first, or the
 * thieves were faster and there is room. No task is lost, none runs twice.
 */
#define NAP_RING_SIZE	4
#define NAP_RING_START	0xfffffffdu

#include "queue/ring.h"

#include "queue_fixture.h"

static struct nap__ring ring, thief_ring[2];

/* Full: jobs 0 to 3. */
static void begin(void)
{
	ring_init(&ring);
	ring_init(&thief_ring[0]);
	ring_init(&thief_ring[1]);
	ring_push_jobs(&ring, 0, 4);
	check_name(&ring, sizeof(ring), "ring");
	check_name(thief_ring, sizeof(thief_ring), "thief_ring");
	check_name(jobs, sizeof(jobs), "jobs");
}

/* Run the list; it is as long as it was said to be. */
static void run_list(struct nap_task *first, struct nap_task *last, uint32_t n)
{
	struct nap_task *task = first, *next;

	for (uint32_t i = 0; i < n; i++, task = next) {
		CHECK((task == last) == (i == n - 1));
		next = task->next;
		job_run(task);
	}
	CHECK(task == NULL);
}

/* Makes room, then uses it. */
static void owner(void *arg)
{
	struct nap_task *first, *last;
	uint32_t n = ring_migrate(&ring, &first, &last);

	(void)arg;
	if (n)
		run_list(first, last, n);
	CHECK(ring_room(&ring) >= 1);
	ring_push_jobs(&ring, 4, 1);
}

static void thief(void *own)
{
	ring_steal_and_run(&ring, own);
}

static void steal_one(void *arg)
{
	(void)arg;
	job_run(ring_steal_one(&ring));
}

static void judge(void)
{
	jobs_judge_order();
	ring_drain(&ring);
	ring_drain(&thief_ring[0]);
	ring_drain(&thief_ring[1]);
	jobs_judge(5);
}

/* Both want half; when a thief wins, ring_migrate() says so, and there is room all the same. */
CHECK_SCENARIO(ring_migrate_two_thieves,
	.about = "ring: half of a full ring is taken out while two thieves steal",
	.setup = begin, .finally = judge,
	.threads = { { owner, NULL, "owner" }, { thief, &thief_ring[0], "thief 0" },
		     { thief, &thief_ring[1], "thief 1" } });

CHECK_SCENARIO(ring_migrate_helpers,
	.about = "ring: half of a full ring is taken out while three take one each",
	.setup = begin, .finally = judge,
	.threads = { { owner, NULL, "owner" }, { steal_one, NULL, "helper 0" },
		     { steal_one, NULL, "helper 1" }, { steal_one, NULL, "helper 2" } });
