/* SPDX-License-Identifier: MIT */
/* A fixture that runs a test under each idle protocol. The program has its own setup. */
#ifndef NAP_TESTS_UNDER_H
#define NAP_TESTS_UNDER_H

#include <nap/nap.h>

#include "idle/protocols.h"
#include "harness.h"

FIXTURE(under) { enum nap_idle idle; };
FIXTURE_VARIANT(under) { enum nap_idle idle; };
#define UNDER(NAME, name) FIXTURE_VARIANT_ADD(under, name) { .idle = NAP_IDLE_##NAME };
IDLE_PROTOCOLS(UNDER, UNDER)
FIXTURE_TEARDOWN(under)
{
}

#endif /* NAP_TESTS_UNDER_H */
