/* SPDX-License-Identifier: MIT */
#include "try.h"
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 3);

struct table {
	struct nap_serial serial;
	size_t rows;
	int cells[1000];
};

struct change {
	struct nap_task task;
	struct table *table;
};

/* Two changes at a time would lose one. */
static int recompute(size_t begin, size_t end, void *arg)
{
	struct table *table = arg;
	int next = table->cells[begin] + 1;

	usleep(20);
	for (size_t i = begin; i < end; i++)
		table->cells[i] = next;
	return 0;
}

#include PIECE

int main(void)
{
	static struct table table = { .rows = 1000 };
	static struct change changes[50];

	TRY(nap_serial_init(&table.serial, &pool) == 0);
	for (int i = 0; i < 50; i++) {
		changes[i].table = &table;
		TRY(schedule_change(&changes[i]) == 0);
	}
	TRY(nap_pool_join(&pool, NULL) == 0);
	for (int i = 0; i < 1000; i++)
		TRY(table.cells[i] == 50);
	return 0;
}
