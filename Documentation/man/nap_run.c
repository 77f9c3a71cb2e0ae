/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <stdio.h>

static struct nap_pool pool = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
static struct nap_channel channel = NAP_CHANNEL_INIT(NULL, sizeof(int), 0);

static intptr_t count(void *arg)
{
	for (int i = 1; i <= 3; i++)
		nap_channel_send(&channel, &i);
	nap_channel_close(&channel);
	return (intptr_t)arg;
}

static intptr_t program(void *arg)
{
	int value;

	nap_spawn(&pool, NULL, count, arg);
	while (nap_channel_recv(&channel, &value) == 0)
		printf("%d\n", value);
	return 0;
}

int main(void)
{
	nap_run(&pool, program, NULL, NULL);
	return nap_pool_join(&pool, NULL);
}
