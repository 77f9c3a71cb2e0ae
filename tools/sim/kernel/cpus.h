/* SPDX-License-Identifier: MIT */
/*
 * The CPUs, and which thread runs on which: a queue for each, quanta, and idle CPUs that take from
 * others' queues.
 */
#ifndef NAP_SIM_CPUS_H
#define NAP_SIM_CPUS_H

#include "kernel/threads.h"

/* @thread may run from @thread->ready_at on: gives it a CPU, or a place in a queue. */
void cpu_find(struct thread *thread);

/* The running thread leaves its CPU, now; the next one there gets it. */
void cpu_leave(void);

/* Whether another thread waits for the CPU of the running thread. */
bool cpu_is_wanted(void);

/* The running thread goes to the end of the queue. */
void cpu_requeue(void);

/* Returns the thread that runs on @cpu, or NULL. */
struct thread *cpu_running(unsigned cpu);

#endif /* NAP_SIM_CPUS_H */
