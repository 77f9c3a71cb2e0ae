/* SPDX-License-Identifier: MIT */
/*
 * A byte string says what a pool of fibers is, what each fiber does, and how the pool ends. What
 * must hold:
 *
 *	fibers	a spawned fiber ends once; its awaiter gets its result. After a stop a fiber that
 *		has not begun does not begin; a fiber that has begun runs to its end
 *	mutex	one owner at a time; free at the end
 *	count	a semaphore ends with what was released and not acquired
 *	values	a value that was sent was received once, or stays in the channel
 *	system	what tests/fuzz/seam.h checks
 *
 * Each fiber reads its calls from its own part of the string. A wait has a time limit, or lasts
 * until the driver ends all waits: the driver sets the event, closes the channels, releases and
 * receives.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fuzz/seam.h"
#include "watchdog_print.h"

#define FIBERS	24
#define CALLS	12	/* for each fiber */
#define US	1000u

static const uint8_t *bytes;
static size_t nr_bytes;
static struct nap_pool *pool;
static struct nap_mutex mutexes[2];
static struct nap_sem sem;
static struct nap_event go;
static struct nap_channel channels[2];
static uint32_t buffers[2][2], inside[2];
static int fds[2];
static uint32_t spawned, begun, ended, sent, received, released, acquired, next_value, let_go;

void fuzz_print(void)
{
	if (pool)
		watch_pool(pool);
	print_watched();
}

static uint32_t byte_at(uint32_t at)
{
	return nr_bytes ? bytes[at % nr_bytes] : 0;
}

static uint64_t time_of(uint32_t byte)
{
	static const uint64_t times[] = { 0, 20 * US, 300 * US, NAP_FOREVER };

	return nap_load_relaxed(&let_go) ? 0 : times[byte % 4];
}

static bool is_no_wait(int err)
{
	return err == -ETIMEDOUT || err == -ECANCELED;
}

static void lock(uint32_t which, uint32_t how)
{
	int err = nap_mutex_lock_for(&mutexes[which], time_of(how));

	if (err) {
		CHECK(is_no_wait(err), err);
		return;
	}
	CHECK(!inside[which], which);
	inside[which] = 1;
	if (how & 4)
		nap_yield();
	if (how & 8)
		nap_sleep(10 * US);
	inside[which] = 0;
	nap_mutex_unlock(&mutexes[which]);
}

static void transfer(uint32_t which, uint32_t how)
{
	struct nap_channel *channel = &channels[which];
	uint32_t value = nap_fetch_add_relaxed(&next_value, 1);
	int err = how & 4 ? nap_channel_send_for(channel, &value, time_of(how)) :
			    nap_channel_recv_for(channel, &value, time_of(how));

	if (!err)
		nap_fetch_add_relaxed(how & 4 ? &sent : &received, 1);
	else
		CHECK(is_no_wait(err) || err == -EPIPE, err);
}

static void choose(uint32_t how)
{
	uint32_t values[2] = { 1, 2 };
	struct nap_select_case cases[2] = {
		{ .channel = &channels[0], .value = &values[0], .sends = how & 4 },
		{ .channel = &channels[1], .value = &values[1], .sends = how & 8 },
	};
	int chosen = nap_select_for(cases, 2, time_of(how));

	if (chosen < 0) {
		CHECK(is_no_wait(chosen), chosen);
		return;
	}
	CHECK(!cases[chosen].result || cases[chosen].result == -EPIPE, cases[chosen].result);
	if (!cases[chosen].result)
		nap_fetch_add_relaxed(cases[chosen].sends ? &sent : &received, 1);
}

static void count(uint32_t how)
{
	int err;

	if (how & 4) {
		nap_sem_release(&sem, 1);
		nap_fetch_add_relaxed(&released, 1);
		return;
	}
	err = nap_sem_acquire_for(&sem, time_of(how));
	if (!err)
		nap_fetch_add_relaxed(&acquired, 1);
	else
		CHECK(is_no_wait(err), err);
}

static void file(uint32_t how)
{
	uint64_t time = time_of(how);
	char byte = 0;
	int err;

	if (how & 4) {
		CHECK(write(fds[1], "x", 1) == 1 || errno == EAGAIN, errno);
		return;
	}
	err = nap_io_wait(fds[0], NAP_IO_READ, time == NAP_FOREVER ? time : nap_deadline(time));
	CHECK(err == NAP_IO_READ || is_no_wait(err) || err == -ENOMEM || err == -EBADF ||
	      err == -EMFILE, err);
	if (how & 8)
		CHECK(read(fds[0], &byte, 1) == 1 || errno == EAGAIN, errno);
}

static intptr_t run(void *number);

/* Spawns a fiber, and then awaits or detaches it. */
static void child(uint32_t how)
{
	uint32_t number = nap_fetch_add_relaxed(&spawned, 1);
	struct nap_fiber *fiber;
	intptr_t result;
	int err = number < FIBERS ?
		  nap_spawn(pool, &fiber, run, (void *)(uintptr_t)number) : -EAGAIN;

	if (err) {
		nap_fetch_sub_relaxed(&spawned, 1);
		CHECK(err == -EAGAIN || err == -ENOMEM || err == -ESHUTDOWN, err);
		return;
	}
	if (how & 4)
		nap_fiber_cancel(fiber);
	err = how & 8 ? nap_await_for(fiber, &result, time_of(how)) : -ETIMEDOUT;
	if (!err)
		CHECK(result == (intptr_t)number || result == -ECANCELED, result);
	else
		nap_detach(fiber);
}

static void one_call(uint32_t call, uint32_t how)
{
	bool was;

	switch (call % 10) {
	case 0:
		lock(how >> 4 & 1, how);
		break;
	case 1:
	case 2:
		transfer(how >> 4 & 1, how);
		break;
	case 3:
		choose(how);
		break;
	case 4:
		count(how);
		break;
	case 5:
		file(how);
		break;
	case 6:
		child(how);
		break;
	case 7:
		nap_event_wait_for(&go, time_of(how));
		break;
	case 8:
		was = nap_fiber_shield(how & 1);
		nap_yield();
		nap_fiber_shield(was && how & 2);
		break;
	default:
		nap_sleep(how * US);
		break;
	}
}

static intptr_t run(void *number)
{
	uint32_t at = 8 + (uint32_t)(uintptr_t)number * 2 * CALLS;

	nap_fetch_add_relaxed(&begun, 1);
	for (uint32_t i = 0; i < CALLS && i < byte_at(at); i++)
		one_call(byte_at(at + 2 * i + 1), byte_at(at + 2 * i + 2));
	nap_fetch_add_relaxed(&ended, 1);
	return (intptr_t)number;
}

static void begin(void)
{
	struct nap_config config = { .max_workers = 1 + byte_at(0) % 3, .idle = byte_at(1) % 3 };
	struct nap_fibers_config fibers = { .stack_size = 32768, .most = 4 + byte_at(2) % FIBERS };

	spawned = begun = ended = sent = received = released = acquired = next_value = let_go = 0;
	nap_event_reset(&go);
	nap_sem_init(&sem, 0);
	for (int i = 0; i < 2; i++) {
		inside[i] = 0;
		nap_mutex_init(&mutexes[i]);
		nap_channel_init(&channels[i], buffers[i], sizeof(uint32_t), (uint32_t)i + 1);
	}
	CHECK(!pipe(fds), errno);
	for (int i = 0; i < 2; i++)
		CHECK(fcntl(fds[i], F_SETFL, O_NONBLOCK) == 0, errno);
	pool = aligned_alloc(NAP__CACHE_LINE, sizeof(*pool));
	CHECK(pool && !nap_pool_init(pool, &config), 0);
	CHECK(!nap_fibers_init(pool, &fibers), 0);
}

/* Ends waits, again and again, until no fiber waits. */
static void let_all_go(void)
{
	nap_store_relaxed(&let_go, 1);
	nap_event_set(&go);
	nap_channel_close(&channels[0]);
	nap_channel_close(&channels[1]);
	for (int i = 0; i < 2 * FIBERS * CALLS; i++)
		CHECK(write(fds[1], "x", 1) == 1 || errno == EAGAIN, errno);
	nap_sem_release(&sem, FIBERS * CALLS);
	nap_fetch_add_relaxed(&released, FIBERS * CALLS);
	nap_io_forget(pool, fds[0]);
}

static void check_what_is_left(void)
{
	uint32_t value;

	for (int i = 0; i < 2; i++) {
		CHECK(nap_mutex_trylock(&mutexes[i]), i);
		while (!nap_channel_recv_for(&channels[i], &value, 0))
			received++;
	}
	CHECK(sent == received, sent - received);
	while (nap_sem_try(&sem))
		acquired++;
	CHECK(released == acquired, released - acquired);
	CHECK(begun == ended, begun - ended);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool stops = size > 3 && data[3] % 2;

	bytes = data;
	nr_bytes = size;
	seam_begin();
	begin();
	for (uint32_t i = 0; i < 1 + byte_at(4) % 8; i++)
		child(byte_at(5) & (1u << i) ? 4 : 0);
	for (uint32_t i = 0; i < byte_at(6) % 64; i++)
		sched_yield();
	if (stops)
		nap_pool_shutdown(pool, NAP_STOP);
	let_all_go();
	CHECK(!nap_pool_join(pool, NULL), 0);
	CHECK(stops || begun == spawned, spawned - begun);
	check_what_is_left();
	free(pool);
	pool = NULL;
	close(fds[0]);
	close(fds[1]);
	seam_end();
	return 0;
}
