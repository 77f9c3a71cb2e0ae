/* SPDX-License-Identifier: MIT */
#include "show/show.h"

void print_csv(FILE *out, const char *file, const char *model, const struct test *test,
	       const struct rules *rules, const struct outcome *outcome)
{
	fprintf(out, "%s,%s,%s", file, model, verdict_name(outcome->verdict));
	for (unsigned i = 0; rules && i < rules->nr_axioms; i++)
		if (outcome->flags >> i & 1)
			fprintf(out, "!%s", rules->axiom[i].name);
	fprintf(out, "%s%s%s,", outcome->stuck ? "!stuck" : "", outcome->bounded ? "!bounded" : "",
		outcome->timeout ? "!timeout" : "");
	for (const struct state *state = outcome->first; state; state = state->next) {
		if (state != outcome->first)
			fputs(" | ", out);
		print_state(out, test, state->value);
	}
	fputc('\n', out);
}
