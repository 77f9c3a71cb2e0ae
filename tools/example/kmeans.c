/* SPDX-License-Identifier: MIT */
/*
 * k-means (Lloyd 1982): points belong to the nearest of k centres. Each centre moves to the
 * middle of its points, until no centre moves. The answer has the same bits for any number of
 * workers.
 *
 *	cc -O2 kmeans.c -lnap -o kmeans && ./kmeans 1000000 8
 */
#include <nap/nap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K_MAX 100

struct point { double x, y; };

struct sums {
	struct point sum[K_MAX];
	double n[K_MAX];
};

static struct point *points, centres[K_MAX];
static size_t n, k;

static size_t nearest(struct point p)
{
	double least = __builtin_inf();
	size_t best = 0;

	for (size_t i = 0; i < k; i++) {
		double x = p.x - centres[i].x, y = p.y - centres[i].y, far = x * x + y * y;

		best = far < least ? i : best;
		least = far < least ? far : least;
	}
	return best;
}

static int add_points(size_t i, size_t end, void *value, void *unused)
{
	(void)unused;
	for (struct sums *sums = value; i < end; i++) {
		size_t at = nearest(points[i]);

		sums->sum[at].x += points[i].x;
		sums->sum[at].y += points[i].y;
		sums->n[at]++;
	}
	return 0;
}

static void merge(void *value, const void *right, void *unused)
{
	double *sums = value;
	(void)unused;
	for (size_t i = 0; i < sizeof(struct sums) / sizeof(double); i++)
		sums[i] += ((const double *)right)[i];
}

/* Moves the centres. Returns whether any has moved. */
static bool move(struct nap_pool *pool)
{
	static const struct nap_reduction by = { sizeof(struct sums), add_points, merge, NULL };
	static const struct nap_loop same_bits = { .flags = NAP_LOOP_FIXED };
	struct sums sums = { 0 };
	bool moved = false;

	nap_reduce(pool, &same_bits, 0, n, &by, &sums, NULL);
	for (size_t i = 0; i < k; i++) {
		struct point to = { sums.sum[i].x / sums.n[i], sums.sum[i].y / sums.n[i] };

		if (!sums.n[i])		/* a centre without points stays where it is */
			continue;
		moved |= memcmp(&to, &centres[i], sizeof(to)) != 0;
		centres[i] = to;
	}
	return moved;
}

int main(int argc, char **argv)
{
	static struct nap_pool pool;

	n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	k = argc > 2 ? strtoul(argv[2], NULL, 10) : 5;
	points = n >= k ? malloc(n * sizeof(*points)) : NULL;
	if (!points || !k || k > K_MAX)
		return fprintf(stderr, "usage: %s [POINTS [CENTRES]]\n", argv[0]), 2;
	for (size_t i = 0; i < n; i++)
		points[i] = (struct point){ (double)(i * 7919 % 1000 + i % k * 500),
					    (double)(i * 104729 % 1000 + i % k * i % k * 300) };
	memcpy(centres, points, k * sizeof(*centres));
	for (int round = 0; round < 100 && move(&pool); round++)
		;
	for (size_t i = 0; i < k; i++)
		printf("%.3f %.3f\n", centres[i].x, centres[i].y);
	free(points);
	return nap_pool_join(&pool, NULL);
}
