/* SPDX-License-Identifier: MIT */
/*
 * nap/channel.h: nap_select() does any of the cases that can be done, nap_select_in_order() the
 * first of them. Fairness is not here: it says how often a case is done, not whether.
 */
#include "spec.h"

/* Returns a case that seems to be possible, any of them or the first; -1: none is possible. */
static int choose(struct nap_select_case *cases, uint32_t n, bool in_order)
{
	int possible[SPEC_CASES];
	unsigned nr = 0;

	for (uint32_t i = 0; i < n; i++)
		if (cases[i].channel && spec_channel_may(cases[i].channel, cases[i].sends))
			possible[nr++] = (int)i;
	if (!nr)
		return -1;
	return possible[nr > 1 && !in_order ? check_choose(nr) : 0];
}

static int select_until(struct nap_select_case *cases, uint32_t n, uint64_t deadline, bool in_order)
{
	int chosen, err;

	if (n > NAP_SELECT_MOST || (n && !cases))
		return -EINVAL;
	if (n > SPEC_CASES)
		check_fail("the specification selects among at most %u cases", SPEC_CASES);
	for (uint32_t i = 0; i < n; i++)
		if (cases[i].channel)
			spec_channel_has_buffer(cases[i].channel);
	do {
		err = WAIT("a case of the select", cases,
			   (chosen = choose(cases, n, in_order)) >= 0, deadline);
		if (err)
			return err;
		err = spec_channel_try(cases[chosen].channel, cases[chosen].value,
				       cases[chosen].sends);
	} while (err == -EAGAIN);
	cases[chosen].result = err;
	return chosen;
}

int nap_select_until(struct nap_select_case *cases, uint32_t n, uint64_t deadline)
{
	return select_until(cases, n, deadline, false);
}

int nap_select(struct nap_select_case *cases, uint32_t n)
{
	return select_until(cases, n, NAP_FOREVER, false);
}

int nap_select_for(struct nap_select_case *cases, uint32_t n, uint64_t timeout_ns)
{
	return select_until(cases, n, timeout_ns, false);
}

int nap_select_in_order(struct nap_select_case *cases, uint32_t n, uint64_t deadline)
{
	return select_until(cases, n, deadline, true);
}
