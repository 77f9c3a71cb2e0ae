/* SPDX-License-Identifier: MIT */
/* src/fork/jobs.c, which here tells the simulator of its steals. */
#include "variant/traced.h"

#include "../../../src/fork/jobs.c"
