/* SPDX-License-Identifier: MIT */
/* Nothing happens here: a program without a libc is traced only if it calls nap_trace_begin(). */
#include "trace/trace.h"

void nap__trace_from_start(struct nap_pool *pool)
{
	(void)pool;
}

int nap__trace_unlist(struct nap__trace *trace)
{
	return trace->file;
}
