/* SPDX-License-Identifier: MIT */
/*
 * What works and pools of tools/sim/ say to the simulator. Their code is compiled as nap's is, so
 * each of their accesses is paid for. The calls below cost nothing, unless they say so.
 */
#ifndef NAP_SIM_H
#define NAP_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Computes for @ns: the clock of the calling thread goes on. */
void sim_work(uint64_t ns);

/*
 * Called when @n tasks are about to be queued; when a task begins on this thread; when this task
 * ends. Tasks do not nest.
 */
void sim_queued(uint64_t n);
void sim_begins(void);
void sim_ends(void);

/* Called when @n tasks were done for which sim_begins() was not called. */
void sim_counts(uint64_t n);

/* Mark where the measured part of a work begins and ends. */
void sim_measure_begins(void);
void sim_measure_ends(void);

/* Returns the simulated time in ns. */
uint64_t sim_now(void);

/* Sleeps until @ns, of sim_now(). */
void sim_sleep_until(uint64_t ns);

/* Returns a random number below @n, from the seed. */
uint32_t sim_random(uint32_t n);

/* Returns zeroed memory of the machine; @type as in sim_name(). Without memory ends the program. */
void *sim_alloc(size_t size, const char *type);

/* Names @size bytes in the reports: objects of this type ("struct nap_pool"), or one field. */
void sim_name(const void *base, size_t size, const char *type);

/*
 * Threads; the first has the number 0. A worker is a thread that searches for tasks, and sleeps
 * when there are none.
 */
uint32_t sim_thread_start(void (*run)(void *arg), void *arg, bool worker);
void sim_thread_join(uint32_t number);

/*
 * The kernel's futex; the wait returns 0, -EAGAIN or -ETIMEDOUT (@deadline: as sim_now();
 * UINT64_MAX: none).
 */
int sim_futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline);
void sim_futex_wake(uint32_t *word, uint32_t n);

/* Sleeps until @fd, an eventfd, can be read: epoll_wait(2), for an epoll that has this fd alone. */
void sim_fd_wait(int fd);

/* One iteration of a loop that spins. */
void sim_relax(void);

/* Fails the run, because the work's result is wrong. */
_Noreturn void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* NAP_SIM_H */
