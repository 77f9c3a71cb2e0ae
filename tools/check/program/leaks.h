/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_LEAKS_H
#define NAP_CHECK_LEAKS_H

/* Reports a fault if there are leaks. Called outside of threads, when an execution is over. */
void find_leaks(void);

#endif /* NAP_CHECK_LEAKS_H */
