/* SPDX-License-Identifier: MIT */
/*
 * Computes a picture of the Mandelbrot set. The cost of a point is not known in advance, so the
 * rows of one thread may take much longer than those of another.
 *
 *	cc -O2 mandelbrot.c -lnap -o mandelbrot && ./mandelbrot 1200 800 >picture.pgm
 */
#include <nap/nap.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 1000

struct picture {
	size_t width, height;
	unsigned char *pixels;
};

static unsigned char shade(double x, double y)
{
	double re = 0, im = 0;
	int n = 0;

	while (n < DEPTH && re * re + im * im < 4) {
		double next = re * re - im * im + x;

		im = 2 * re * im + y;
		re = next;
		n++;
	}
	return n == DEPTH ? 0 : (unsigned char)(255 - n * 8 % 256);
}

static int draw(const struct nap_tile *tile, void *arg)
{
	struct picture *p = arg;
	double step = 3.0 / (double)p->width;

	for (size_t row = tile->row; row < tile->row_end; row++)
		for (size_t column = tile->column; column < tile->column_end; column++)
			p->pixels[row * p->width + column] =
				shade(-2.1 + (double)column * step,
				      ((double)row - (double)p->height / 2) * step);
	return 0;
}

int main(int argc, char **argv)
{
	struct picture p = { argc > 1 ? strtoul(argv[1], NULL, 10) : 600,
			     argc > 2 ? strtoul(argv[2], NULL, 10) : 400, NULL };
	struct nap_tile all = { 0, p.height, 0, p.width };
	static struct nap_pool pool;

	if (!p.width || !p.height || p.width > 30000 || p.height > 30000)
		return fprintf(stderr, "usage: %s [WIDTH [HEIGHT]] >FILE.pgm\n", argv[0]), 2;
	p.pixels = malloc(p.width * p.height);
	if (!p.pixels)
		return perror(argv[0]), 1;
	nap_for_2d(&pool, NULL, &all, 16, 16, draw, &p);
	printf("P5\n%zu %zu\n255\n", p.width, p.height);
	fwrite(p.pixels, 1, p.width * p.height, stdout);
	nap_pool_join(&pool, NULL);
	free(p.pixels);
	return 0;
}
