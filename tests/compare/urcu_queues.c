/* SPDX-License-Identifier: MIT */
/*
 * Tests the contract on liburcu's queues, to show that the contract asks no more than a proven
 * library keeps.
 */
#include <urcu/lfstack.h>
#include <urcu/wfcqueue.h>

union urcu_node {
	struct cds_wfcq_node wfcq;
	struct cds_lfs_node lfs;
};
#define CONTRACT_NODE union urcu_node
#include "compare/contract.h"

static struct cds_wfcq_head wfcq_head;
static struct cds_wfcq_tail wfcq_tail;

static void wfcq_init(void)
{
	cds_wfcq_init(&wfcq_head, &wfcq_tail);
}

static void wfcq_fini(void)
{
	cds_wfcq_destroy(&wfcq_head, &wfcq_tail);
}

static bool wfcq_enqueue(struct element *e)
{
	cds_wfcq_node_init(&e->node.wfcq);
	cds_wfcq_enqueue(&wfcq_head, &wfcq_tail, &e->node.wfcq);
	return true;
}

static struct element *wfcq_dequeue(unsigned int who)
{
	struct cds_wfcq_node *node = cds_wfcq_dequeue_blocking(&wfcq_head, &wfcq_tail);

	(void)who;
	return node ? nap_container_of(node, struct element, node) : NULL;
}

QUEUE(wfcqueue, .fifo = true, .init = wfcq_init, .fini = wfcq_fini, .enqueue = wfcq_enqueue,
      .dequeue = wfcq_dequeue);

static struct cds_lfs_stack lfs;

static void lfs_init(void)
{
	cds_lfs_init(&lfs);
}

static void lfs_fini(void)
{
	cds_lfs_destroy(&lfs);
}

static bool lfs_enqueue(struct element *e)
{
	cds_lfs_node_init(&e->node.lfs);
	cds_lfs_push(&lfs, &e->node.lfs);
	return true;
}

static struct element *lfs_dequeue(unsigned int who)
{
	struct cds_lfs_node *node = cds_lfs_pop_blocking(&lfs);

	(void)who;
	return node ? nap_container_of(node, struct element, node) : NULL;
}

QUEUE(lfstack, .init = lfs_init, .fini = lfs_fini, .enqueue = lfs_enqueue, .dequeue = lfs_dequeue);

TEST_HARNESS_MAIN
