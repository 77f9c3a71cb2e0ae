/* SPDX-License-Identifier: MIT */
/* The first thread's stack, which the kernel lets grow. */
#ifndef NAP_LINUX_STACK_H
#define NAP_LINUX_STACK_H

#include <stddef.h>

/* How far down it may grow: RLIMIT_STACK, but 64 MiB at most. 0: that is not known. */
size_t nap__os_stack_limit(void);

#endif /* NAP_LINUX_STACK_H */
