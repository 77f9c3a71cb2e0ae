/* SPDX-License-Identifier: MIT */
#include "show/show.h"
#include "tool/order.h"

static void print_pair(FILE *out, const struct test *test, const struct pair *pair)
{
	const struct instruction *code = test->thread[pair->thread].code;

	fprintf(out, "      not ordered: P%u", pair->thread);
	print_source(out, test, code[pair->first].at);
	fputs("  and", out);
	print_source(out, test, code[pair->second].at);
	fprintf(out, "\n        enough: %s\n", pair->order->words);
}

void print_unordered(FILE *out, struct test *test, const struct rules *rules,
		     const struct limits *limits, const struct execution *witness)
{
	struct pair pair[ORDER_PAIRS] = { 0 };
	int nr = weakest_orders(test, rules, limits, witness, pair);

	if (!nr)
		fputs("      the threads, one step after the other, end so: no fence forbids it\n",
		      out);
	if (nr < 0)
		fputs("      no fences that forbid it were found\n", out);
	for (int i = 0; i < nr; i++)
		if (pair[i].order)
			print_pair(out, test, &pair[i]);
}
