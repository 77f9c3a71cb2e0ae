/* SPDX-License-Identifier: MIT */
/* Runs the tests of a program without a libc. */
#include <nap/bare.h>

#include "harness.h"

/* Links every idle protocol, because the tests try them all. */
NAP_BARE_IDLE_GO;
NAP_BARE_IDLE_JEC;
NAP_BARE_COUNT_CPUS;

#define plain_child() bare_libc_count_threads()
#define plain_kill(pid) kill(pid, SIGKILL)
#define plain_slower() NAP_TEST_SCALE

#include "plain/run.h"
