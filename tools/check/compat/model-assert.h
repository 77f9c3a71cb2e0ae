/* SPDX-License-Identifier: MIT */
/* For programs written for CDSChecker, as nap-check --compat=cds reads them. */
#include <assert.h>

#define MODEL_ASSERT(condition) assert(condition)
