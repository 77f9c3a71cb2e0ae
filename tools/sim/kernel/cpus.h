/* SPDX-License-Identifier: MIT */
/*
 * The CPUs, and which thread runs on which CPU. Each CPU has a queue. A thread runs for a quantum
 * while others wait. An idle CPU takes threads from other CPUs' queues.
 */
#ifndef NAP_SIM_CPUS_H
#define NAP_SIM_CPUS_H

#include "kernel/threads.h"

/* Gives @thread, which may run from @thread->ready_at on, a CPU or a place in a queue. */
void cpu_find(struct thread *thread);

/* Called by the running thread: leaves its CPU now, to the next thread in the CPU's queue. */
void cpu_leave(void);

/* Whether another thread waits for the CPU of the running thread. */
bool cpu_is_wanted(void);

/* Called by the running thread: goes to the end of its CPU's queue. */
void cpu_requeue(void);

/* Returns the thread that runs on @cpu, or NULL. */
struct thread *cpu_running(unsigned cpu);

#endif /* NAP_SIM_CPUS_H */
