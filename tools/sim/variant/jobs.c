/* SPDX-License-Identifier: MIT */
/* src/fork/jobs.c, which tells of its steals. */
#include "variant/traced.h"

#include "../../../src/fork/jobs.c"
