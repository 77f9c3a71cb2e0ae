/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <nap/nap.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static int buffer[4];
static struct nap_channel channel = NAP_CHANNEL_INIT(buffer, sizeof(int), 4);

static intptr_t count(void *arg)
{
	for (int i = 1; i <= (intptr_t)arg; i++)
		if (nap_channel_send(&channel, &i))
			return -1;
	nap_channel_close(&channel);
	return 0;
}

int main(void)
{
	int value, sum = 0;

	if (nap_spawn(&pool, NULL, count, (void *)100))
		return 1;
	while (!nap_channel_recv(&channel, &value))
		sum += value;
	printf("%d\n", sum);
	return nap_pool_join(&pool, NULL) != 0;
}
