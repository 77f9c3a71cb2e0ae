/* SPDX-License-Identifier: MIT */
/*
 * An appliance: the only program of a machine, as its /init. It hashes requests from the serial
 * line (frames.h), several at once; a long request is hashed on all CPUs.
 *
 *	make appliance ARCH=aarch64
 *
 * The main thread reads; a task for each request hashes and replies. A reply is one write(2), which
 * the kernel's terminals keep in one piece.
 */
#include <nap/bare.h>
#include <nap/nap.h>

#include "frames.h"
#include "line.h"
#include "sha256.h"

/* The slot of a request; the slots are used in a circle. */
static struct slot {
	struct nap_task task;
	struct nap_group pending;
	struct head head;
	uint8_t bytes[MOST];
} slots[WINDOW];

static struct nap_pool pool = NAP_POOL_INIT(.name = "hash");
static uint64_t nr_replies;

struct part {
	const uint8_t *bytes;
	size_t size;
};

static struct digest tree(struct nap_worker *worker, struct nap_frame *top, struct part part);
NAP_JOB(tree, struct digest, struct part)

/*
 * Hashes a part. The number of leaves in its left half is the largest power of two that leaves
 * some for the right half. Without a worker the waiting thread runs the task, and hashes all
 * parts alone.
 */
static struct digest tree(struct nap_worker *worker, struct nap_frame *top, struct part part)
{
	struct digest both[2];
	struct nap_frame *next = NULL;
	struct part left = { part.bytes, LEAF }, right;

	if (part.size <= LEAF)
		return sha256(0, part.bytes, part.size);
	while (2 * left.size < part.size)
		left.size *= 2;
	right = (struct part){ part.bytes + left.size, part.size - left.size };
	if (worker)
		next = tree_fork(worker, top, right);
	both[0] = tree(worker, next, left);
	both[1] = worker ? tree_join(worker, top, right) : tree(NULL, NULL, right);
	return sha256(1, both, sizeof(both));
}

static void say(struct reply *reply, uint32_t status, uint32_t id)
{
	reply->magic = MAGIC;
	reply->status = status;
	reply->id = id;
	reply->zero = 0;
	line_write(reply, sizeof(*reply));
}

static void credit(void)
{
	struct reply more = { .counts = { 0 } };

	say(&more, CREDIT, 0);
}

static void reply(struct reply *reply, uint32_t status, uint32_t id)
{
	__atomic_fetch_add(&nr_replies, 1, __ATOMIC_RELAXED);
	say(reply, status, id);
}

static void refuse(enum status status, uint32_t id)
{
	struct reply answer = { .counts = { 0 } };

	reply(&answer, status, id);
}

static void hash(struct nap_task *task)
{
	struct slot *slot = nap_container_of(task, struct slot, task);
	struct nap_worker *self = nap_worker_self();
	struct part all = { slot->bytes, slot->head.size };
	struct digest digest = tree(self, self ? nap_top(self) : NULL, all);
	struct reply answer;

	__builtin_memcpy(answer.digest, digest.bytes, sizeof(answer.digest));
	reply(&answer, DONE, slot->head.id);
	nap_group_done(&slot->pending);
}

static void statistics(uint32_t id)
{
	struct nap_pool_stats stats;
	struct reply answer;

	/* so that the tasks of all answered requests count as run */
	nap_pool_quiesce(&pool);
	nap_pool_get_stats(&pool, &stats);
	answer.counts[0] = __atomic_load_n(&nr_replies, __ATOMIC_RELAXED);
	answer.counts[1] = stats.workers.run + stats.helped;
	answer.counts[2] = stats.workers.stolen;
	answer.counts[3] = stats.workers.jobs_stolen;
	reply(&answer, DONE, id);
}

/* Whether no thread could be started, so that this thread has to run the queued tasks. */
static bool is_alone(void)
{
	struct nap_pool_stats stats;

	return !nap_pool_get_stats(&pool, &stats) && !stats.spawned;
}

static void take(struct slot *slot)
{
	if (slot->head.size > MOST) {
		line_pass(slot->head.size);
		refuse(TOO_LONG, slot->head.id);
		return;
	}
	line_read(slot->bytes, slot->head.size);
	nap_group_add(&slot->pending, 1);
	nap_schedule(&pool, &slot->task);
	if (is_alone())
		nap_group_wait(&slot->pending);
}

/* Finds the next request's head. Bytes before it belong to no request. */
static void find(struct head *head)
{
	bool lost = false;

	line_read(head, sizeof(*head));
	while (head->magic != MAGIC || head->request < HASH || head->request > POWER_OFF) {
		__builtin_memmove(head, (char *)head + 1, sizeof(*head) - 1);
		line_read((char *)head + sizeof(*head) - 1, 1);
		lost = true;
	}
	if (lost)
		refuse(MALFORMED, 0);
}

static void power_off(uint32_t id)
{
	nap_pool_join(&pool, NULL);
	refuse(DONE, id);
	line_drain();
	nap_bare_reboot(NAP_BARE_POWER_OFF);
	for (;;)
		line_pass(1);	/* a kernel without the calls of a pool: /init must not end */
}

int main(void)
{
	for (size_t i = 0; i < WINDOW; i++) {
		nap_task_init(&slots[i].task, hash);
		nap_group_init(&slots[i].pending, &pool);
	}
	line_open(CREDIT_BYTES, credit);
	line_write(READY, sizeof(READY) - 1);
	for (struct slot *slot = slots;; slot = slot + 1 < slots + WINDOW ? slot + 1 : slots) {
		nap_group_wait(&slot->pending);
		find(&slot->head);
		if (slot->head.request == HASH)
			take(slot);
		else if (slot->head.request == STATISTICS)
			statistics(slot->head.id);
		else
			power_off(slot->head.id);
	}
}
