/* SPDX-License-Identifier: MIT */
/*
 * The right answer of each cell of the table of waits (tests/fault/waits.h), as nap's headers
 * promise it. The rules are here; where a call differs from them, call->except() has the answer.
 */
#include "fault/waits.h"

#include <errno.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN true
#endif
#endif
#ifndef WITH_ASAN
#define WITH_ASAN false
#endif

char waits_code(long answer)
{
	switch (answer) {
	case -ETIMEDOUT:
		return 'T';
	case -ECANCELED:
		return 'C';
	case -ESHUTDOWN:
		return 'S';
	case -EDEADLK:
		return 'D';
	case -ENOMEM:
		return 'M';
	case -EPIPE:
		return 'P';
	case -EBADF:
		return 'B';
	case -EALREADY:
		return 'A';
	case -ETIME:
		return 'H';	/* the child of a fork hung */
	default:
		return answer >= 0 ? '0' : 'X';
	}
}

bool waits_is_fiber(enum who who)
{
	return who == FIBER || who == SHIELDED || who == RUNS;
}

bool waits_is_on_other(enum who who)
{
	return who == OTHERS || who == BOTH;
}

bool waits_is_inside(enum who who)
{
	return who != THREAD && who != LOOP && who != OTHERS;
}

bool waits_is_fork(enum event event)
{
	return event == FORKED || event == FORKED_TASK || event == FORKED_SERIAL;
}

static bool is_cancellation(enum event event)
{
	return event == CANCELED || event == CANCEL || event == RACE;
}

/* Returns why the table has no such caller or event; NULL: there is such a cell. */
static const char *why_not(const struct call *call, enum who who, enum event event)
{
	if (is_cancellation(event) && !waits_is_fiber(who))
		return "only a fiber can be canceled";
	if ((event == ZERO || event == PAST || event == SOON) && !(call->flags & TIMED))
		return "the call has no deadline";
	if (is_cancellation(event) && who == RUNS)
		return "nobody but nap_run() has its handle";
	if (event == CLOSED && !call->close)
		return "what is waited for cannot be closed";
	if (event == FORGOTTEN && !call->forget)
		return "what is waited for is no file";
	if (event == NO_THREAD && who != THREAD && who != LOOP && who != HELPER && who != GUEST &&
	    !waits_is_fiber(who))
		return "who calls is a worker, which is a thread";
	if (event == FORKED && WITH_ASAN)
		return "AddressSanitizer's allocator may be locked in the child";
	return NULL;
}

static char when_canceled(const struct call *call, enum who who, enum event event)
{
	if (who == SHIELDED || !(call->flags & SUSPENDS))
		return '0';
	return event == RACE ? '?' : 'C';
}

/*
 * Returns the answer when pools are stopped. @own: the caller's pool; @its: the pool of the awaited
 * object.
 */
static char when_stopped(const struct call *call, enum who who, bool own, bool its)
{
	if (its)
		return 'C';
	if (own && waits_is_fiber(who))
		return call->flags & SUSPENDS ? 'C' : '0';
	return own && (call->flags & OF_WORKER) ? 'C' : '0';
}

static char by_rule(const struct call *call, enum who who, enum event event)
{
	switch (event) {
	case ZERO:
	case PAST:
	case SOON:
		return call->flags & ENDS_ITSELF ? '0' : 'T';
	case CANCELED:
	case CANCEL:
	case RACE:
		return when_canceled(call, who, event);
	case STOPPED:
	case STOPS:
		return when_stopped(call, who, waits_is_inside(who), call->flags & OF_HOME);
	case OTHER_STOPS:
		return when_stopped(call, who, who == OTHERS, call->flags & OF_OTHER);
	case CLOSED:
		return 'P';
	case FORGOTTEN:
		/* A thread waits in poll(2), and nap_io_forget() does not end such a wait. */
		return waits_is_fiber(who) ? 'B' : '0';
	case FORKED:
		/* In the child a fiber that has forked is a thread, but no worker. */
		if (call->flags & (OF_HOME | OF_OTHER))
			return 'S';
		/* No thread of the parent would end its waits; the kernel ends that for a file. */
		if (waits_is_fiber(who) && (call->flags & SUSPENDS) && !call->forget)
			return 'S';
		return call->flags & ENDS_ITSELF ? '0' : 'T';
	default:
		return '0';
	}
}

struct expected waits_expected(const struct call *call, enum who who, enum event its)
{
	/* In the child of any fork both pools belong to the parent. */
	enum event event = waits_is_fork(its) ? FORKED : its;
	struct expected e = { 0, why_not(call, who, event) };

	if (e.why)
		return e;
	if (call->except)
		e = call->except(who, event);
	if (e.code || e.why)
		return e;
	if (((call->flags & OUTSIDE) && waits_is_inside(who)) ||
	    ((call->flags & NOT_ON_OTHERS) && waits_is_on_other(who)))
		e.code = event == FORKED ? 'S' : 'D';
	else
		e.code = by_rule(call, who, event);
	return e;
}
