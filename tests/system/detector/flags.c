/* SPDX-License-Identifier: MIT */
/* Asks valgrind's tools to ignore the accesses to flags, which they take for ordinary ones. */
#include "program.h"

#include <valgrind/helgrind.h>
#include <valgrind/drd.h>

extern int __start_flags[], __stop_flags[];

static __attribute__((constructor(101))) void leave_flags(void)
{
	size_t size = (size_t)((char *)__stop_flags - (char *)__start_flags);

	VALGRIND_HG_DISABLE_CHECKING(__start_flags, size);
	ANNOTATE_BENIGN_RACE_SIZED(__start_flags, size, "flags");
}
