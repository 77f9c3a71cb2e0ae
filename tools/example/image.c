/* SPDX-License-Identifier: MIT */
/*
 * Reads a grey picture (PGM, of one byte a pixel). Prints its histogram on standard error, and
 * writes a blurred picture, in which each pixel is the mean of the square around it.
 *
 *	cc -O2 image.c -lnap -o image && ./image 3 <picture.pgm >blurred.pgm
 */
#include <nap/nap.h>
#include <stdio.h>
#include <stdlib.h>

static size_t width, height, radius = 2;
static unsigned char *pixels, *blurred;

static int count(size_t i, size_t end, void *bins, void *unused)
{
	(void)unused;
	for (; i < end; i++)
		((uint32_t *)bins)[pixels[i]]++;
	return 0;
}

static void add(void *bins, const void *right, void *unused)
{
	(void)unused;
	for (int i = 0; i < 256; i++)
		((uint32_t *)bins)[i] += ((const uint32_t *)right)[i];
}

static size_t below(size_t i)
{
	return i < radius ? 0 : i - radius;
}

static size_t above(size_t i, size_t end)
{
	return i + radius < end ? i + radius + 1 : end;
}

static int blur(const struct nap_tile *tile, void *unused)
{
	(void)unused;
	for (size_t row = tile->row; row < tile->row_end; row++)
		for (size_t column = tile->column; column < tile->column_end; column++) {
			size_t sum = 0, n = 0;

			for (size_t y = below(row); y < above(row, height); y++)
				for (size_t x = below(column); x < above(column, width); x++, n++)
					sum += pixels[y * width + x];
			blurred[row * width + column] = (unsigned char)(sum / n);
		}
	return 0;
}

static int fail(const char *why)
{
	return fprintf(stderr, "image: %s\n", why), 1;
}

int main(int argc, char **argv)
{
	static const struct nap_reduction histogram = { 256 * sizeof(uint32_t), count, add, NULL };
	static uint32_t bins[256];
	static struct nap_pool pool;
	struct nap_tile all;
	unsigned shades;

	if (argc > 1)
		radius = strtoul(argv[1], NULL, 10);
	if (scanf("P5 %zu %zu %u", &width, &height, &shades) != 3 || shades != 255 ||
	    getchar() == EOF)
		return fail("standard input is no PGM of 255 shades, without comments");
	if (!width || !height || width > 100000 || height > 100000 || radius > 1000)
		return fail("too large, or nothing");
	pixels = malloc(width * height);
	blurred = malloc(width * height);
	if (!pixels || !blurred)
		return fail("no memory");
	if (fread(pixels, 1, width * height, stdin) != width * height)
		return fail("the picture ends early");
	nap_reduce(&pool, NULL, 0, width * height, &histogram, bins, NULL);
	for (int i = 0; i < 256; i += 16) {
		uint32_t n = 0;

		for (int k = 0; k < 16; k++)
			n += bins[i + k];
		fprintf(stderr, "%3d..%3d %u\n", i, i + 15, n);
	}
	all = (struct nap_tile){ 0, height, 0, width };
	nap_for_2d(&pool, NULL, &all, 0, 0, blur, NULL);
	printf("P5\n%zu %zu\n255\n", width, height);
	fwrite(blurred, 1, width * height, stdout);
	nap_pool_join(&pool, NULL);
	free(pixels);
	free(blurred);
	return 0;
}
