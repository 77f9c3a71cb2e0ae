/* SPDX-License-Identifier: MIT */
#include "bare_libc.h"
