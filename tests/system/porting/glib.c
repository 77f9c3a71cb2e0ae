/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#ifdef BEFORE
#include <glib.h>

struct image {
	long size;
};
#else
#include <nap/nap.h>

struct image {
	struct nap_task task;
	long size;
};
#endif

#include PIECE

int main(void)
{
	static struct image images[1000];
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		images[i].size = i * 100;
	scale_all(images, 1000, 37);
	for (int i = 0; i < 1000; i++)
		sum += images[i].size;
	printf("%ld\n", sum);
	return 0;
}
