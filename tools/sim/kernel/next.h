/* SPDX-License-Identifier: MIT */
/* What is next: threads by their clocks, and alarms (the deadlines of sleeping threads). */
#ifndef NAP_SIM_NEXT_H
#define NAP_SIM_NEXT_H

#include "kernel/threads.h"

enum entry { ENTRY_THREAD, ENTRY_ALARM };

void next_put(struct thread *thread, enum entry entry, uint64_t time);
void next_remove(struct thread *thread, enum entry entry);

/* Takes the first out; NULL: nothing is due, ever. */
struct thread *next_take(enum entry *entry);

#endif /* NAP_SIM_NEXT_H */
