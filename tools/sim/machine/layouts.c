/* SPDX-License-Identifier: MIT */
#include "machine/fields.h"

#include "layouts.inc"	/* layouts.awk makes it of program/layouts.c */
