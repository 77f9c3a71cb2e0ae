/* SPDX-License-Identifier: MIT */
#ifndef NAP_CALL_H
#define NAP_CALL_H

#include <stdbool.h>

#include <nap/task.h>

/*
 * Who took it from a queue of a stopped pool: if @task is a nap_call() that was not begun, tell its
 * caller so.
 */
bool nap__call_cancel(struct nap_task *task);

#endif /* NAP_CALL_H */
