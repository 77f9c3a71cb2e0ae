/* SPDX-License-Identifier: MIT */
/*
 * ring_migrate() of src/queue/ring.h: the owner takes the older half of its full ring out as a
 * list, while thieves steal. If the thieves are faster, the ring has room, and the owner gets
 * nothing; otherwise the owner gets that half, oldest first. Invariant: no task is lost, and none
 * runs twice.
 */
#define NAP_RING_SIZE	4
#define NAP_RING_START	0xfffffffdu

#include "queue/ring.h"

#include "ring_setup.h"

static void begin(void)
{
	rings_init(NAP_RING_SIZE);
}

/* Runs the list, which must be as long as ring_migrate() said. */
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

/* Makes room, and then uses the room. */
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

static void judge(void)
{
	rings_judge(5);
}

/*
 * The owner and a thief want the same half. If the thief wins, ring_migrate() says so, and there
 * is room all the same.
 */
CHECK_SCENARIO(ring_migrate_two_thieves,
	.about = "ring: half of a full ring is taken out while two thieves steal",
	.setup = begin, .finally = judge,
	.threads = { { owner, NULL, "owner" }, { steal_half, &thief_ring[0], "thief 0" },
		     { steal_half, &thief_ring[1], "thief 1" } });

CHECK_SCENARIO(ring_migrate_helpers,
	.about = "ring: half of a full ring is taken out while three take one each",
	.setup = begin, .finally = judge,
	.threads = { { owner, NULL, "owner" }, { steal_one, NULL, "helper 0" },
		     { steal_one, NULL, "helper 1" }, { steal_one, NULL, "helper 2" } });
