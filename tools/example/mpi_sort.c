/* SPDX-License-Identifier: MIT */
/*
 * Sorts a file of 64-bit numbers on several machines: a sample sort (Frazer, McKellar 1970) on MPI,
 * with a pool of nap's in each rank.
 *
 *	mpicc -O2 -o mpi_sort mpi_sort.c -lnap
 *	mpirun --map-by ppr:1:node --bind-to none mpi_sort NUMBERS SORTED
 *
 * Each rank reads its part of the file. A sample of all parts says which numbers go to which rank.
 *
 *	workers: put the numbers of a block in the order of their ranks -> completion queue
 *	first thread: send the block's pieces, receive those of others; nothing else calls MPI
 *
 * So the network is busy while the workers are, and MPI_THREAD_FUNNELED is enough. At last each
 * rank sorts what it has received, and writes it to the place after the lower ranks' numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>
#include <nap/nap.h>

#define BLOCK	65536	/* numbers */
#define SAMPLES	256	/* of each rank */
#define TAG	1

struct block {
	struct nap_task task;
	const uint64_t *from;
	uint64_t *to;		/* the same numbers, in the order of the ranks that they go to */
	size_t n;
	int *counts;		/* how many go to each rank */
};

struct part {
	uint64_t *numbers;
	size_t n, room;
};

static struct nap_pool pool = NAP_POOL_INIT();
static struct nap_cq cq;
static int rank, ranks;
static uint64_t *splitters;	/* rank i has the numbers from splitter i - 1 to below i */
static MPI_Request *requests;
static size_t nr_requests, left_to_send, left_to_receive;
static struct part received;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "mpi_sort: %s: %s\n", what, why);
	MPI_Abort(MPI_COMM_WORLD, 1);
	abort();
}

static void *allocate(size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size);

	if (!memory)
		fail("memory", "there is none");
	return memory;
}

static struct part read_part(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct part part = { 0 };
	struct stat file;
	uint64_t all, begin;
	ssize_t got;

	if (fd < 0 || fstat(fd, &file))
		fail(name, strerror(errno));
	if (file.st_size % 8)
		fail(name, "the size is no multiple of 8 bytes");
	all = (uint64_t)file.st_size / 8;
	begin = all / (unsigned)ranks * (unsigned)rank;
	part.n = rank == ranks - 1 ? all - begin : all / (unsigned)ranks;
	part.numbers = allocate(part.n, 8);
	for (size_t n = 0; n < part.n * 8; n += (size_t)got) {
		got = pread(fd, (char *)part.numbers + n, part.n * 8 - n, (off_t)(begin * 8 + n));
		if (got <= 0)
			fail(name, got ? strerror(errno) : "the file became shorter");
	}
	close(fd);
	return part;
}

/* Each rank gives SAMPLES samples. A rank without numbers gives the greatest possible number. */
static void choose_splitters(const struct part *part)
{
	uint64_t mine[SAMPLES], *all = allocate((size_t)ranks, sizeof(mine)), at = (unsigned)rank;

	for (int i = 0; i < SAMPLES; i++) {
		at = at * 6364136223846793005u + 1442695040888963407u;	/* Knuth's MMIX */
		mine[i] = part->n ? part->numbers[(at >> 32) % part->n] : UINT64_MAX;
	}
	MPI_Allgather(mine, SAMPLES, MPI_UINT64_T, all, SAMPLES, MPI_UINT64_T, MPI_COMM_WORLD);
	nap_sort_u64(&pool, all, (size_t)ranks * SAMPLES);
	splitters = allocate((size_t)ranks, 8);
	for (int i = 1; i < ranks; i++)
		splitters[i - 1] = all[i * SAMPLES];
	free(all);
}

static int target(uint64_t number)
{
	int low = 0, high = ranks - 1;

	while (low < high) {
		int middle = (low + high) / 2;

		if (number < splitters[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Called on the first thread when a block is ready: sends each rank a piece, which may be empty. */
static void send_pieces(struct nap_task *task)
{
	struct block *block = nap_container_of(task, struct block, task);
	uint64_t *piece = block->to;

	for (int to = 0; to < ranks; piece += block->counts[to++])
		MPI_Isend(piece, block->counts[to], MPI_UINT64_T, to, TAG, MPI_COMM_WORLD,
			  &requests[nr_requests++]);
	left_to_send--;
}

/* Called on a worker: puts the block's numbers in the order of their ranks, by counting. */
static void split(struct nap_task *task)
{
	struct block *block = nap_container_of(task, struct block, task);
	int places[ranks], begin = 0;

	for (size_t i = 0; i < block->n; i++)
		block->counts[target(block->from[i])]++;
	for (int i = 0; i < ranks; begin += block->counts[i++])
		places[i] = begin;
	for (size_t i = 0; i < block->n; i++)
		block->to[places[target(block->from[i])]++] = block->from[i];
	nap_task_init(&block->task, send_pieces);
	nap_cq_push(&cq, &block->task);
}

/*
 * Called on the first thread: takes a piece if one has come; with @wait, waits for one. Returns
 * whether it took one.
 */
static bool receive_piece(bool wait)
{
	MPI_Message message;
	MPI_Status status;
	int here = 1, n;

	if (wait)
		MPI_Mprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &message, &status);
	else
		MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &here, &message, &status);
	if (!here)
		return false;
	MPI_Get_count(&status, MPI_UINT64_T, &n);
	if (received.room - received.n < (size_t)n) {
		received.room = received.room * 2 + (size_t)n;
		received.numbers = realloc(received.numbers, received.room * 8);
		if (!received.numbers)
			fail("memory", "there is none");
	}
	MPI_Mrecv(received.numbers + received.n, n, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
	received.n += (size_t)n;
	left_to_receive--;
	return true;
}

/*
 * Every block of every rank has a piece for every rank, so each rank knows how many pieces will
 * come. MPI has no fd to poll: while blocks are under way, the thread looks for pieces each
 * millisecond at least.
 */
static void exchange(const struct part *part)
{
	size_t n = (part->n + BLOCK - 1) / BLOCK;
	struct block *blocks = allocate(n, sizeof(*blocks));
	int *counts = allocate(n * (size_t)ranks, sizeof(*counts));
	uint64_t *placed = allocate(part->n, 8), blocks_here = n, blocks_of_all;
	struct pollfd ready = { .fd = nap_cq_fd(&cq), .events = POLLIN };

	MPI_Allreduce(&blocks_here, &blocks_of_all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	requests = allocate(n * (size_t)ranks, sizeof(MPI_Request));
	left_to_send = n;
	left_to_receive = blocks_of_all;
	for (size_t i = 0; i < n; i++) {
		blocks[i] = (struct block){
			.from = part->numbers + i * BLOCK, .to = placed + i * BLOCK,
			.n = i + 1 < n ? BLOCK : part->n - i * BLOCK,
			.counts = counts + i * (size_t)ranks,
		};
		nap_task_init(&blocks[i].task, split);
		if (nap_schedule(&pool, &blocks[i].task))
			fail("nap_schedule", "the pool does not start");
	}
	while (left_to_send) {
		nap_cq_run(&cq, 0);
		while (left_to_receive && receive_piece(false))
			;
		if (left_to_send)
			poll(&ready, 1, 1);
	}
	while (left_to_receive)
		receive_piece(true);
	for (size_t i = 0; i < nr_requests; i += INT_MAX)
		MPI_Waitall(nr_requests - i < INT_MAX ? (int)(nr_requests - i) : INT_MAX,
			    requests + i, MPI_STATUSES_IGNORE);
	free(requests);
	free(placed);
	free(counts);
	free(blocks);
}

static void write_part(const char *name)
{
	uint64_t n = received.n, before = 0;
	ssize_t put;
	int fd;

	MPI_Exscan(&n, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (rank)
		MPI_Barrier(MPI_COMM_WORLD);	/* until the first rank has made the file */
	fd = open(name, O_WRONLY | O_CLOEXEC | (rank ? 0 : O_CREAT | O_TRUNC), 0666);
	if (fd < 0)
		fail(name, strerror(errno));
	if (!rank)
		MPI_Barrier(MPI_COMM_WORLD);
	for (size_t at = 0; at < n * 8; at += (size_t)put) {
		put = pwrite(fd, (char *)received.numbers + at, n * 8 - at,
			     (off_t)(before * 8 + at));
		if (put < 0)
			fail(name, strerror(errno));
	}
	if (close(fd))
		fail(name, strerror(errno));
}

int main(int argc, char **argv)
{
	struct nap_batch none = { 0 };
	struct part part;
	uint64_t share, most;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 3 || level < MPI_THREAD_FUNNELED) {
		if (!rank)
			fprintf(stderr, argc != 3 ? "usage: mpirun mpi_sort NUMBERS SORTED\n" :
				"mpi_sort: this MPI is for programs of one thread\n");
		MPI_Finalize();
		return 2;
	}
	if (nap_cq_init(&cq))
		fail("nap_cq_init", "no file descriptor");
	part = read_part(argv[1]);
	choose_splitters(&part);
	exchange(&part);
	free(part.numbers);
	nap_sort_u64(&pool, received.numbers, received.n);
	write_part(argv[2]);
	share = received.n;
	MPI_Reduce(&share, &most, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%d ranks, %u CPUs in the first; at most %llu numbers in a rank\n", ranks,
		       nap_cpu_count(), (unsigned long long)most);
	free(received.numbers);
	free(splitters);
	nap_pool_join(&pool, NULL);
	nap_cq_close(&cq, &none);
	MPI_Finalize();
	return 0;
}
