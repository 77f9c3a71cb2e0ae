/* SPDX-License-Identifier: MIT */
/* nap__os_panic() on a libc. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/os.h"

_Noreturn void nap__os_panic(void *caller, const char *fmt, ...)
{
	char what[256], where[256] = "";
	Dl_info info;
	va_list args;

	/* A cancellation must not interrupt the message. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (dladdr(caller, &info) && info.dli_fname)
		snprintf(where, sizeof(where), "%s(%s+0x%lx) ", info.dli_fname,
			 info.dli_sname ? info.dli_sname : "",
			 (unsigned long)((char *)caller - (char *)(info.dli_sname ? info.dli_saddr :
								   info.dli_fbase)));
	if (caller)
		fprintf(stderr, "nap: %s, called from %s[%p]\n", what, where, caller);
	else
		fprintf(stderr, "nap: %s\n", what);
	abort();
}
