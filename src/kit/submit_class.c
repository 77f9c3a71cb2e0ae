/* SPDX-License-Identifier: MIT */
/*
 * Submitting in a class: nap/submit.h. A program that does not use this call does not link classes.
 */
#include <nap/submit.h>

#include <errno.h>

#include <nap/class.h>
#include <nap/pool.h>

#include "kit/class.h"

int nap_submit_set_class(struct nap_submitter *submit, uint32_t which)
{
	if (!submit || !submit->pool || which >= class_count(submit->pool))
		return -EINVAL;
	submit->schedule = nap_class_schedule;
	submit->which = which;
	return 0;
}
