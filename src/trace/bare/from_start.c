/* SPDX-License-Identifier: MIT */
/* A program without a libc is traced when it asks for it: nap/trace.h. */
#include "trace/trace.h"

void nap__trace_from_start(struct nap_pool *pool)
{
	(void)pool;
}

int nap__trace_unlist(struct nap__trace *trace)
{
	return trace->file;
}
