/* SPDX-License-Identifier: MIT */
/* Which version of the library runs: nap/version.h. */
#include <nap/version.h>

uint32_t nap_version(void)
{
	return NAP_VERSION;
}
