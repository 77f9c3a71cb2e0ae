/* SPDX-License-Identifier: MIT */
/* src/kit/complete.c, whose pushes on demand wait when they meet. */
#include "variant/back_off.h"

#include "../../../src/kit/complete.c"
