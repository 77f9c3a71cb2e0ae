/* SPDX-License-Identifier: MIT */
#include "bare_libc.h"

#define PRIx64 "lx"
