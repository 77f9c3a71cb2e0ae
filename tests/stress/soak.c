/* SPDX-License-Identifier: MIT */
/* The soak (tests/soak/) as a test of a few seconds. */
#include "scale.h"
#include "soak/soak.h"

int main(void)
{
	struct soak_options options = {
		.tasks = nap_test_count(20000000),
		.workers = 4,
		.ktap = true,
	};

	return soak_run(&options);
}
