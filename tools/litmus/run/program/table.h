/* SPDX-License-Identifier: MIT */
/*
 * Final states, and how often each was seen. Each worker has a table of its own, so no worker waits
 * to count.
 */
#define TABLE	4096u
#define MOST_WEIGHT	4096

struct table {
	uint64_t count[TABLE], lost;	/* @lost: states that found no free slot */
	uint64_t all;
	unsigned states;		/* how many states are in it */
	uint64_t value[TABLE][VALUES];
};

/* Returns how much the state is worth: the reciprocal of its part of all that was counted. */
static double add(struct table *table, const uint64_t *value, uint64_t by)
{
	uint64_t hash = 0;
	double weight;

	table->all += by;
	for (unsigned i = 0; i < VALUES; i++)
		hash = (hash ^ value[i]) * 0x9e3779b97f4a7c15ull;
	hash ^= hash >> 32;
	for (unsigned probe = 0; probe < TABLE; probe++) {
		unsigned slot = (unsigned)(hash + probe) & (TABLE - 1);

		if (!table->count[slot]) {
			memcpy(table->value[slot], value, sizeof(table->value[slot]));
			table->states++;
		} else if (memcmp(table->value[slot], value, sizeof(table->value[slot]))) {
			continue;
		}
		table->count[slot] += by;
		weight = (double)(table->all + 16) / (double)(table->count[slot] + 16);
		return weight < MOST_WEIGHT ? weight : MOST_WEIGHT;
	}
	table->lost += by;
	return 0;
}

static void add_all(struct table *table, const struct table *from)
{
	table->lost += from->lost;
	for (unsigned slot = 0; slot < TABLE; slot++)
		if (from->count[slot])
			add(table, from->value[slot], from->count[slot]);
}

static void print_table(const struct table *table)
{
	for (unsigned slot = 0; slot < TABLE; slot++) {
		if (!table->count[slot])
			continue;
		printf("state %" PRIu64, table->count[slot]);
		for (unsigned i = 0; i < VALUES; i++)
			printf(" %" PRIu64, table->value[slot][i]);
		putchar('\n');
	}
}
