/* SPDX-License-Identifier: MIT */
/*
 * The queue of what is next, by time: threads that have a CPU, each at its clock, and alarms (the
 * deadlines of sleeping threads).
 */
#ifndef NAP_SIM_NEXT_H
#define NAP_SIM_NEXT_H

#include "kernel/threads.h"

enum entry { ENTRY_THREAD, ENTRY_ALARM };

void next_put(struct thread *thread, enum entry entry, uint64_t time);
void next_remove(struct thread *thread, enum entry entry);

/* Takes out the first entry, and returns its thread; NULL: the queue is empty. */
struct thread *next_take(enum entry *entry);

#endif /* NAP_SIM_NEXT_H */
