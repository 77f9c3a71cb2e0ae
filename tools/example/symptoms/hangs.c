/* SPDX-License-Identifier: MIT */
/*
 * The program makes two transfers between two accounts, and does not end. Why?
 * Documentation/inside.rst finds out. On SIGUSR1 the program prints what its pool does.
 *
 *	cc -O2 -o hangs hangs.c -lnap && ./hangs
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <nap/nap.h>

struct account {
	struct nap_mutex mutex;
	long cents;
};

struct transfer {
	struct account *from, *to;
	long cents;
};

static struct nap_pool pool = NAP_POOL_INIT(.name = "hangs", .max_workers = 2);
static struct account first = { .cents = 10000 }, second = { .cents = 10000 };

static intptr_t move(void *arg)
{
	struct transfer *transfer = arg;
	struct account *one = transfer->from, *other = transfer->to;

#ifdef CURED	/* every fiber locks in the order of the addresses */
	one = transfer->from < transfer->to ? transfer->from : transfer->to;
	other = one == transfer->from ? transfer->to : transfer->from;
#endif
	nap_mutex_lock(&one->mutex);
	nap_sleep(100000000);	/* stands for a read of the account from a slow disk */
	nap_mutex_lock(&other->mutex);
	transfer->from->cents -= transfer->cents;
	transfer->to->cents += transfer->cents;
	nap_mutex_unlock(&other->mutex);
	nap_mutex_unlock(&one->mutex);
	return 0;
}

static void say(int signal)
{
	(void)signal;
	nap_pool_dump(&pool, STDERR_FILENO);
}

int main(void)
{
	struct transfer there = { &first, &second, 500 }, back = { &second, &first, 300 };

	signal(SIGUSR1, say);
	nap_spawn(&pool, NULL, move, &there);
	nap_spawn(&pool, NULL, move, &back);
	nap_pool_join(&pool, NULL);
	printf("%ld and %ld cents\n", first.cents, second.cents);
}
