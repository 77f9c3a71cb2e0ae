/* SPDX-License-Identifier: MIT */
/*
 * Runs many downloads, a bounded number of them at once. Each has a deadline and several tries. The
 * downloads are simulated: a transfer is a sleep.
 *
 *	cc -O2 -o downloads downloads.c -lnap
 *	./downloads 1000 50		a thousand, of which fifty at once
 *
 * Each download is a fiber, which has no thread while it waits.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <nap/nap.h>

#define MS	1000000u
#define TRIES	3

static struct nap_pool pool = NAP_POOL_INIT();
static struct nap_sem places;
static atomic_uint at_once, most_at_once, tries, failed;

/* Simulates a transfer. Of every seven servers one is slow at first, and one never answers. */
static int transfer(unsigned long url, unsigned int try, uint64_t deadline_ns)
{
	uint64_t takes = (1 + url % 5) * MS;
	struct nap_sem answer = NAP_SEM_INIT(0);

	if (url % 7 == 3 || (url % 7 == 5 && !try))
		return nap_sem_acquire_for(&answer, deadline_ns);
	return nap_sleep(takes);
}

static int download(unsigned long url)
{
	int err = -ETIMEDOUT;

	for (unsigned int try = 0; try < TRIES && err == -ETIMEDOUT; try++) {
		atomic_fetch_add(&tries, 1);
		err = transfer(url, try, 10 * MS);
	}
	return err;
}

static intptr_t downloads(void *arg)
{
	unsigned int now, most = atomic_load(&most_at_once);
	int err = nap_sem_acquire(&places);

	if (err)
		return err;
	now = atomic_fetch_add(&at_once, 1) + 1;
	while (most < now && !atomic_compare_exchange_weak(&most_at_once, &most, now))
		;
	if (download((unsigned long)(uintptr_t)arg))
		atomic_fetch_add(&failed, 1);	/* one download has failed: the others go on */
	atomic_fetch_sub(&at_once, 1);
	nap_sem_release(&places, 1);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned long limit = argc > 2 ? strtoul(argv[2], NULL, 10) : 50;
	struct nap_scope scope;

	if (n < 1 || n > NAP_FIBERS || limit < 1 || limit > n) {
		fprintf(stderr, "usage: %s [DOWNLOADS (1..%u) [AT ONCE]]\n", argv[0], NAP_FIBERS);
		return 2;
	}
	nap_sem_init(&places, (uint32_t)limit);
	if (nap_scope_begin(&scope, &pool))
		return 1;
	for (uintptr_t url = 0; url < n; url++)
		if (nap_scope_spawn(&scope, downloads, (void *)url))
			return 1;
	if (nap_scope_end(&scope))
		return 1;
	printf("%lu downloads, %u at once, %u tries, %u failed\n", n, atomic_load(&most_at_once),
	       atomic_load(&tries), atomic_load(&failed));
	return nap_pool_join(&pool, NULL) ? 1 : 0;
}
