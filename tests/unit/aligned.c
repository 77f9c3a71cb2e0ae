/* SPDX-License-Identifier: MIT */
/*
 * malloc() and new may place a structure at any multiple of a pointer's size. So each object of nap
 * that a program embeds in its own structure must work at any such address.
 */
#include "pool_fixture.h"

static struct nap_pool pool;
static struct nap_slot slots[1];

TEST(embedded_structures_lie_anywhere)
{
	unsigned char *memory = malloc(4096 + 64);

	ASSERT_TRUE(!!memory);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	for (size_t at = 0; at < 64; at += sizeof(void *)) {
		struct nap_serial *serial = (struct nap_serial *)(void *)(memory + at);
		struct nap_cq *cq = (struct nap_cq *)(void *)(memory + 1024 + at);
		struct nap_submitter *submit = (struct nap_submitter *)(void *)(memory + 2048 + at);
		struct nap_task task = NAP_TASK_INIT(count_run);
		struct nap_batch left = NAP_BATCH_INIT;

		ASSERT_EQ(nap_serial_init(serial, &pool), 0);
		ASSERT_EQ(nap_cq_init(cq), 0);
		ASSERT_EQ(nap_submit_init(submit, &pool, slots, 1, 0, 0, NULL, NULL), 0);
		EXPECT_EQ(nap_serial_end(serial, &task), 0);
		EXPECT_EQ(nap_pool_quiesce(&pool), 0);
		EXPECT_EQ(nap_cq_close(cq, &left), 0);
	}
	EXPECT_EQ(nr_run, 64 / sizeof(void *));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	free(memory);
}

/*
 * The workers and the loop write words of a completion queue that lie a cache line apart, whatever
 * the queue's address.
 */
TEST(a_loop_and_its_workers_do_not_share_a_line)
{
	EXPECT_GE(offsetof(struct nap_cq, taken) - offsetof(struct nap_cq, nr_pushed) -
		  sizeof(((struct nap_cq *)0)->nr_pushed), NAP__CACHE_LINE - 8);
}

TEST_HARNESS_MAIN
