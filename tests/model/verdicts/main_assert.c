/* SPDX-License-Identifier: MIT */
/*
 * verdict main: found: assertion failed: .*main_assert\.c:[0-9]+: .*main.*: data == 1
 */
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static atomic_int flag, data;

static int send(void *arg)
{
	atomic_store_explicit(&data, 1, memory_order_relaxed);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return 0;
}

int main(void)
{
	thrd_t sender;

	thrd_create(&sender, send, NULL);
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		thrd_yield();
	assert(data == 1);
	thrd_join(sender, NULL);
	return 0;
}
