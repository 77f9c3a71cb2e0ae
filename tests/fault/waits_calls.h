/* SPDX-License-Identifier: MIT */
/* The calls of the table of waits: tests/fault/waits.h. */
#ifndef NAP_TESTS_FAULT_WAITS_CALLS_H
#define NAP_TESTS_FAULT_WAITS_CALLS_H

#include "fault/waits.h"

extern const struct call waits_group, waits_group_other, waits_group_none, waits_await, waits_await_other;
extern const struct call waits_mutex, waits_sem, waits_event_wait, waits_cond;
extern const struct call waits_send, waits_recv, waits_select;
extern const struct call waits_sleep;

#endif /* NAP_TESTS_FAULT_WAITS_CALLS_H */
