/* SPDX-License-Identifier: MIT */
/*
 * Counts how often each 16-bit number is in a file, on several machines: fibers that call MPI, and
 * a pool of nap's in each rank.
 *
 *	mpicc -O2 -o mpi_histogram mpi_histogram.c -lnap
 *	mpirun --map-by ppr:1:node --bind-to none mpi_histogram NUMBERS
 *
 * Any fiber calls MPI (MPI_THREAD_MULTIPLE), but none waits inside MPI, because that would hold up
 * its worker. A fiber begins a message, gives the request to the rank's poller, and waits for an
 * event. The poller tests all requests at once, and sets the events of those that have ended.
 *
 *	rank 0, a fiber:	hands out the file's blocks, to each counter that asks
 *	each rank, 8 fibers:	ask for a block, count it, until there is none
 *	then a fiber for each other rank: sends that rank its counts, adds the counts that come
 *
 * So a slow machine counts fewer blocks, and each rank adds up an equal part of the numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>
#include <nap/nap.h>

#define NUMBERS		65536	/* how many different numbers there are */
#define BLOCK		(1 << 20)	/* bytes */
#define COUNTERS	8	/* fibers of a rank */
#define REQUESTS	1024	/* under way in a rank at most; a fiber with one more waits */
#define POLL_NS		20000	/* the poller sleeps this long when nothing has ended */

enum { ASK, COUNTS, BLOCK_FOR };	/* tags; BLOCK_FOR + i: for counter i */

struct wait {
	MPI_Request request;
	MPI_Status status;
	struct nap_event ended;
};

static struct nap_pool pool = NAP_POOL_INIT();
static struct wait *places[REQUESTS];
static struct nap_channel waits = NAP_CHANNEL_INIT(places, sizeof(struct wait *), REQUESTS);
static int rank, ranks, fd;
static const char *name;
static uint64_t nr_blocks;
static uint64_t (*counts)[NUMBERS];	/* one array for each counter */
static uint64_t total[NUMBERS];		/* of this rank; at last of all ranks, for its share */
static struct nap_mutex total_lock;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "mpi_histogram: %s: %s\n", what, why);
	MPI_Abort(MPI_COMM_WORLD, 1);
	abort();
}

/* Returns the first of the numbers that rank @of adds up. */
static int first_of(int of)
{
	return NUMBERS * of / ranks;
}

/* Called by a fiber: waits until the request of @wait has ended. */
static void finish(struct wait *wait)
{
	if (nap_channel_send(&waits, &wait) || nap_event_wait(&wait->ended))
		fail("a message", "the fiber was canceled");
}

/* Removes the requests that have ended from both arrays. Returns how many are left. */
static int without_ended(int n, struct wait **under_way, MPI_Request *requests)
{
	int left = 0;

	for (int i = 0; i < n; i++) {
		under_way[left] = under_way[i];
		requests[left] = requests[i];
		left += under_way[i] != NULL;
	}
	return left;
}

static intptr_t poller(void *unused)
{
	static struct wait *under_way[REQUESTS];
	static MPI_Request requests[REQUESTS];
	static MPI_Status statuses[REQUESTS];
	static int ended[REQUESTS];
	int n = 0, nr_ended, err;

	(void)unused;
	for (;;) {
		for (err = 0; n < REQUESTS && !err; n += !err) {
			err = nap_channel_recv_until(&waits, &under_way[n], n ? 0 : NAP_FOREVER);
			if (!err)
				requests[n] = under_way[n]->request;
		}
		if (!n)
			return err;	/* the channel is closed */
		MPI_Testsome(n, requests, &nr_ended, ended, statuses);
		for (int i = 0; i < nr_ended; i++) {
			struct wait *wait = under_way[ended[i]];

			under_way[ended[i]] = NULL;
			wait->status = statuses[i];
			nap_event_set(&wait->ended);	/* @wait may be gone from here on */
		}
		n = without_ended(n, under_way, requests);
		if (!nr_ended)
			nap_sleep(POLL_NS);
	}
}

/*
 * Rank 0: sends the next block's number to each counter that asks; a number past the last block
 * means that none is left.
 */
static intptr_t hand_out(void *unused)
{
	uint64_t block = 0;

	(void)unused;
	for (int left = ranks * COUNTERS; left; block++) {
		struct wait ask = { 0 }, answer = { 0 };
		int counter;

		MPI_Irecv(&counter, 1, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &ask.request);
		finish(&ask);
		MPI_Isend(&block, 1, MPI_UINT64_T, ask.status.MPI_SOURCE, BLOCK_FOR + counter,
			  MPI_COMM_WORLD, &answer.request);
		finish(&answer);
		left -= block >= nr_blocks;
	}
	return 0;
}

static void count_block(uint64_t block, uint16_t *numbers, uint64_t *count)
{
	size_t n = 0;
	ssize_t got;
	off_t begin = (off_t)block * BLOCK;

	while (n < BLOCK && (got = pread(fd, (char *)numbers + n, BLOCK - n, begin + (off_t)n))) {
		if (got < 0)
			fail(name, strerror(errno));
		n += (size_t)got;
	}
	for (size_t i = 0; i < n / 2; i++)
		count[numbers[i]]++;
}

static intptr_t counter(void *arg)
{
	int me = (int)(intptr_t)arg;
	uint16_t *numbers = malloc(BLOCK);

	if (!numbers)
		fail("memory", "there is none");
	for (;;) {
		struct wait ask = { 0 }, answer = { 0 };
		uint64_t block;

		MPI_Irecv(&block, 1, MPI_UINT64_T, 0, BLOCK_FOR + me, MPI_COMM_WORLD,
			  &answer.request);
		MPI_Isend(&me, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD, &ask.request);
		finish(&ask);
		finish(&answer);
		if (block >= nr_blocks)
			break;
		count_block(block, numbers, counts[me]);
	}
	free(numbers);
	return 0;
}

static int add_counters(size_t i, size_t end, void *unused)
{
	(void)unused;
	for (; i < end; i++)
		for (int k = 0; k < COUNTERS; k++)
			total[i] += counts[k][i];
	return 0;
}

/*
 * Exchanges counts with another rank: sends those of the other rank's numbers, and adds what comes
 * for this rank's numbers.
 */
static intptr_t exchange(void *arg)
{
	int other = (int)(intptr_t)arg, n = first_of(rank + 1) - first_of(rank);
	struct wait theirs = { 0 }, ours = { 0 };
	uint64_t *more = calloc((size_t)n + 1, sizeof(*more));

	if (!more)
		fail("memory", "there is none");
	MPI_Irecv(more, n, MPI_UINT64_T, other, COUNTS, MPI_COMM_WORLD, &theirs.request);
	MPI_Isend(total + first_of(other), first_of(other + 1) - first_of(other), MPI_UINT64_T,
		  other, COUNTS, MPI_COMM_WORLD, &ours.request);
	finish(&theirs);
	nap_mutex_lock(&total_lock);
	for (int i = 0; i < n; i++)
		total[first_of(rank) + i] += more[i];
	nap_mutex_unlock(&total_lock);
	finish(&ours);
	free(more);
	return 0;
}

static void count_all(void)
{
	struct nap_scope scope;
	struct nap_fiber *polls;

	if (nap_spawn(&pool, &polls, poller, NULL) || nap_scope_begin(&scope, &pool))
		fail("nap_spawn", "the pool does not start");
	if (!rank && nap_scope_spawn(&scope, hand_out, NULL))
		fail("nap_scope_spawn", "no fiber");
	for (intptr_t i = 0; i < COUNTERS; i++)
		if (nap_scope_spawn(&scope, counter, (void *)i))
			fail("nap_scope_spawn", "no fiber");
	nap_scope_end(&scope);
	nap_for(&pool, 0, NUMBERS, add_counters, NULL);
	if (nap_scope_begin(&scope, &pool))
		fail("nap_scope_begin", "the pool has ended");
	for (intptr_t i = 0; i < ranks; i++)
		if (i != rank && nap_scope_spawn(&scope, exchange, (void *)i))
			fail("nap_scope_spawn", "no fiber");
	nap_scope_end(&scope);
	nap_channel_close(&waits);
	nap_await(polls, NULL);
}

/* Rank 0 prints a line for each number in the file: the number, and how often it is there. */
static void print(void)
{
	int *n = calloc((size_t)ranks, sizeof(*n)), *at = calloc((size_t)ranks, sizeof(*at));
	static uint64_t all[NUMBERS];

	if (!n || !at)
		fail("memory", "there is none");
	for (int i = 0; i < ranks; i++) {
		at[i] = first_of(i);
		n[i] = first_of(i + 1) - at[i];
	}
	MPI_Gatherv(total + at[rank], n[rank], MPI_UINT64_T, all, n, at, MPI_UINT64_T, 0,
		    MPI_COMM_WORLD);
	for (int i = 0; i < NUMBERS && !rank; i++)
		if (all[i])
			printf("%d %" PRIu64 "\n", i, all[i]);
	free(n);
	free(at);
}

int main(int argc, char **argv)
{
	struct nap_fibers_config fibers = { .stack_size = 256 << 10 };	/* MPI needs this much */
	struct stat file;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 2 || level < MPI_THREAD_MULTIPLE) {
		if (!rank)
			fprintf(stderr, argc != 2 ? "usage: mpirun mpi_histogram NUMBERS\n" :
				"mpi_histogram: this MPI is not for several threads at once\n");
		MPI_Finalize();
		return 2;
	}
	name = argv[1];
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &file))
		fail(name, strerror(errno));
	if (file.st_size % 2)
		fail(name, "an odd number of bytes");
	nr_blocks = ((uint64_t)file.st_size + BLOCK - 1) / BLOCK;
	counts = calloc(COUNTERS, sizeof(*counts));
	if (!counts || nap_fibers_init(&pool, &fibers))
		fail("memory", "there is none");
	count_all();
	print();
	free(counts);
	close(fd);
	nap_pool_join(&pool, NULL);
	MPI_Finalize();
	return 0;
}
