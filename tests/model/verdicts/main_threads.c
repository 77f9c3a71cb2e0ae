/* SPDX-License-Identifier: MIT */
/*
 * <threads.h>: a bounded queue of one. The consumer still runs when main() ends.
 *
 * verdict main: no fault
 */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag made = ONCE_FLAG_INIT;
static tss_t key;
static int item, full;

static void make(void)
{
	mtx_init(&lock, mtx_plain);
	cnd_init(&changed);
	tss_create(&key, NULL);
}

static int consume(void *arg)
{
	call_once(&made, make);
	tss_set(key, &item);
	for (int i = 1;; i++) {
		mtx_lock(&lock);
		while (!full)
			cnd_wait(&changed, &lock);
		assert(item == i && tss_get(key) == &item);
		full = 0;
		cnd_signal(&changed);
		mtx_unlock(&lock);
	}
	return 0;
}

int main(void)
{
	thrd_t consumer;

	call_once(&made, make);
	thrd_create(&consumer, consume, NULL);
	thrd_detach(consumer);
	mtx_lock(&lock);
	item = full = 1;
	cnd_signal(&changed);
	while (full)
		cnd_wait(&changed, &lock);
	mtx_unlock(&lock);
	assert(!tss_get(key));
	return 0;
}
