/* SPDX-License-Identifier: MIT */
#include "try.h"
#include <stddef.h>

struct person {
	int number;
	uint32_t age;
};

#include PIECE

#define N 20000

int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
	static struct person people[N];

	for (int i = 0; i < N; i++)
		people[i] = (struct person){ i, (uint32_t)i * 7919u % 100 };
	TRY(by_age(&pool, people, N) == 0);
	for (int i = 1; i < N; i++)
		TRY(people[i - 1].age < people[i].age ||
		    (people[i - 1].age == people[i].age &&
		     people[i - 1].number < people[i].number));
	return nap_pool_join(&pool, NULL);
}
