/* SPDX-License-Identifier: MIT */
#ifndef NAP_SIM_WORKERS_H
#define NAP_SIM_WORKERS_H

#include <stdint.h>

/*
 * Returns the number of the thread that is, or was last, nap's worker of this index; 0 for a guest.
 */
uint32_t thread_of_worker(uint32_t index);

#endif /* NAP_SIM_WORKERS_H */
