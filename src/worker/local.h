/* SPDX-License-Identifier: MIT */
/* What each worker has one of: src/worker/local.c. */
#ifndef NAP_SRC_LOCAL_H
#define NAP_SRC_LOCAL_H

#include "worker/worker.h"

/* End all that @worker has, which no longer runs anything. */
void nap__locals_end(struct nap_worker *worker);

#endif /* NAP_SRC_LOCAL_H */
