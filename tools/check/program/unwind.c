/* SPDX-License-Identifier: MIT */
/*
 * The end of a thread inside its functions. The thread leaves them one by one, as with an
 * exception, so that C++ destroys their objects, and C runs their cleanups.
 */
#include <string.h>
#include <unwind.h>

#include "program/fault.h"
#include "program/pthreads.h"
#include "program/threads.h"

static struct _Unwind_Exception leaving[MAX_THREADS];

static void caught(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
	(void)reason;
	(void)exception;
	fault_at(0, 0, "pthread_exit() of %s is caught, and not thrown on", thread_name(self));
}

/* Called before each function is left. The thread's first function is the checker's. */
static _Unwind_Reason_Code next_function(int version, _Unwind_Action actions,
					 _Unwind_Exception_Class class,
					 struct _Unwind_Exception *exception,
					 struct _Unwind_Context *context, void *unused)
{
	void *function = _Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(context) - 1));

	(void)version;
	(void)class;
	(void)exception;
	(void)unused;
	if ((actions & _UA_END_OF_STACK) || function == (void *)thread_main)
		thread_ends();
	return _URC_NO_REASON;
}

_Noreturn void thread_unwinds(void)
{
	memset(&leaving[self], 0, sizeof(leaving[self]));
	leaving[self].exception_cleanup = caught;
	_Unwind_ForcedUnwind(&leaving[self], next_function, NULL);
	thread_ends();
}
