// SPDX-License-Identifier: MIT
/* The rows of the table of waits, in their order. */
#include "fault/waits_calls.h"

const struct call *const waits_calls[] = {
	&waits_group, &waits_group_other, &waits_group_none, &waits_await,
	&waits_mutex, &waits_sem, &waits_event_wait, &waits_cond,
	&waits_send, &waits_recv, &waits_select,
	&waits_sleep,
};

const unsigned int waits_nr_calls = sizeof(waits_calls) / sizeof(*waits_calls);
