/* SPDX-License-Identifier: MIT */
/* The rows of the table of waits, in their order. */
#include "fault/waits_calls.h"

const struct call *const waits_calls[] = {
	&waits_group, &waits_group_other, &waits_group_none, &waits_await, &waits_await_other,
	&waits_mutex, &waits_sem, &waits_event_wait, &waits_cond,
	&waits_send, &waits_recv, &waits_select,
	&waits_sleep, &waits_io, &waits_scope, &waits_timer,
	&waits_quiesce, &waits_quiesce_other, &waits_join, &waits_join_other, &waits_finish,
	&waits_broadcast,
	&waits_called, &waits_slot, &waits_job, &waits_loop,
};

const unsigned int waits_nr_calls = sizeof(waits_calls) / sizeof(*waits_calls);
