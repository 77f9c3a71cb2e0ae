/* SPDX-License-Identifier: MIT */
/* A fixture for what holds under each idle protocol; its setup is the program's own. */
#ifndef NAP_TESTS_UNDER_H
#define NAP_TESTS_UNDER_H

#include <nap/nap.h>

#include "harness.h"

FIXTURE(under) { enum nap_idle idle; };
FIXTURE_VARIANT(under) { enum nap_idle idle; };
FIXTURE_VARIANT_ADD(under, sync) { .idle = NAP_IDLE_SYNC };
FIXTURE_VARIANT_ADD(under, go) { .idle = NAP_IDLE_GO };
FIXTURE_VARIANT_ADD(under, jec) { .idle = NAP_IDLE_JEC };
FIXTURE_TEARDOWN(under)
{
}

#endif /* NAP_TESTS_UNDER_H */
