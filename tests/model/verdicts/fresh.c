/* SPDX-License-Identifier: MIT */
/*
 * The scenarios of reuse.c, without the option --reuse.
 *
 * verdict comes_back: forbidden
 * verdict another_size: forbidden
 * verdict of_setup: forbidden
 * verdict of_another_thread: forbidden
 * verdict read_before_write: found: reads what was never written
 * verdict use_of_last_life: found: use of freed memory
 * verdict aba: no fault
 */
#include "reuse.c"
