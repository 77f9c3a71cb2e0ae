/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <nap/fiber.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);

static intptr_t fib(void *arg)
{
	intptr_t n = (intptr_t)arg, first, second;
	struct nap_fiber *fiber;

	if (n < 2)
		return n;
	if (nap_spawn(&pool, &fiber, fib, (void *)(n - 1)))
		return -1;
	second = fib((void *)(n - 2));
	if (nap_await(fiber, &first))
		return -1;
	return first + second;
}

int main(void)
{
	struct nap_fiber *fiber;
	intptr_t result;

	if (nap_spawn(&pool, &fiber, fib, (void *)10) || nap_await(fiber, &result))
		return 1;
	printf("%ld\n", (long)result);
	return nap_pool_join(&pool, NULL) != 0;
}
