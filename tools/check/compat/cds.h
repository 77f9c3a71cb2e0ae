/* SPDX-License-Identifier: MIT */
/* For programs written for CDSChecker, before all else: its thrd_join() has one argument. */
#ifndef NAP_COMPAT_CDS_H
#define NAP_COMPAT_CDS_H

#include <threads.h>

#define thrd_join(thread, ...) thrd_join(thread, NULL)

#endif /* NAP_COMPAT_CDS_H */
