/* SPDX-License-Identifier: MIT */
/*
 * Notifying tools of a switch to another stack. Without a tool each call is the test of a word.
 *
 * AddressSanitizer and ThreadSanitizer, in the program or in the library, have functions for this
 * (compiler-rt, common_interface_defs.h and tsan_interface.h; gcc's runtimes have the same). The
 * calls are inlined here: both sanitizers record the functions that are active on a stack, and a
 * function that was entered on one stack must not return on another. ThreadSanitizer treats each
 * switch as synchronization; this hides no race, because a switch is in the program order of the
 * thread.
 *
 * valgrind has to know each stack: otherwise it mistakes a switch for a stack that grows or
 * shrinks. Its tool helgrind does not see that a fiber's accesses before a switch are ordered
 * before those after the switch.
 */
#ifndef NAP_FIBER_TOOLS_H
#define NAP_FIBER_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef NAP_NO_DETECTOR		/* in the bare library and the model checker */

struct nap__tools_fiber {
	char none;
};

struct nap__tools_host {
	char none;
};

#define has_tools()			false
#define tools_look()			((void)0)
#define tools_stack(tools, low, top)	((void)(tools))
#define tools_no_stack(tools)		((void)(tools))
#define tools_may_spawn()		true
#define tools_unbegun()			((void)0)
#define tools_begin(tools, low, size)	((void)(tools), (void)(low), (void)(size))
#define tools_enter(host, tools, low, size) ((void)(host), (void)(tools), (void)(low), (void)(size))
#define tools_return(host)		((void)(host))
#define tools_leave(host, tools, ended)	((void)(host), (void)(tools), (void)(ended))
#define tools_switch(from, ended, to, low, size) \
	((void)(from), (void)(ended), (void)(to), (void)(low), (void)(size))
#define tools_arrive(tools, host)	((void)(tools), (void)(host))
#define tools_ended(tools)		((void)(tools))

#else

#include "arch/atomic.h"
#include "os/happens.h"

/* A fiber's data for the tools. */
struct nap__tools_fiber {
	void *tsan;		/* ThreadSanitizer's context of the fiber */
	void *fake;		/* AddressSanitizer's list of frames of the stack */
	uint64_t valgrind;	/* valgrind's number of the stack */
};

/* For the tools: the data of a thread that runs fibers. */
struct nap__tools_host {
	void *tsan;
	void *fake;
	const void *low;	/* the lowest byte of the thread's stack */
	size_t size;
};

void *__tsan_get_current_fiber(void) __attribute__((weak));
void *__tsan_create_fiber(unsigned int flags) __attribute__((weak));
void __tsan_destroy_fiber(void *fiber) __attribute__((weak));
void __tsan_switch_to_fiber(void *fiber, unsigned int flags) __attribute__((weak));
void __asan_handle_no_return(void) __attribute__((weak));
void __sanitizer_start_switch_fiber(void **fake, const void *low, size_t size)
	__attribute__((weak));
void __sanitizer_finish_switch_fiber(void *fake, const void **low, size_t *size)
	__attribute__((weak));

/* A: whether a tool watches. Set before the first stack is used. hosted/fiber_tools.c */
extern uint32_t nap__tools_found __attribute__((visibility("hidden")));

void nap__tools_look(void);
void nap__tools_stack(struct nap__tools_fiber *tools, const void *low, const void *top);
void nap__tools_no_stack(struct nap__tools_fiber *tools);
bool nap__tools_may_spawn(void);
void nap__tools_ended(void);

IN_LINE bool has_tools(void)
{
	return __builtin_expect(nap_load_relaxed(&nap__tools_found), 0);
}

/* Finds out whether a tool watches. Called before the first stack is used. */
static inline void tools_look(void)
{
	nap__tools_look();
}

/*
 * tools_stack() is called before the first use of the stack from @low up to @top; tools_no_stack()
 * before the stack's pages are given back or unmapped.
 */
static inline void tools_stack(struct nap__tools_fiber *tools, const void *low, const void *top)
{
	if (has_tools())
		nap__tools_stack(tools, low, top);
}

static inline void tools_no_stack(struct nap__tools_fiber *tools)
{
	if (has_tools())
		nap__tools_no_stack(tools);
}

/*
 * Whether one more fiber may exist. To ThreadSanitizer each fiber is a thread from its beginning to
 * its end, and too many threads end the process. If the fiber does not begin after all, the caller
 * calls tools_unbegun().
 */
static inline bool tools_may_spawn(void)
{
	return !has_tools() || nap__tools_may_spawn();
}

static inline void tools_unbegun(void)
{
	if (has_tools())
		nap__tools_ended();
}

/* Begins a fiber, on a stack that another fiber may have had. */
IN_LINE void tools_begin(struct nap__tools_fiber *tools, const void *low, size_t size)
{
	if (!has_tools())
		return;
	is_given(low, size);
	tools->fake = NULL;
	if (__tsan_create_fiber)
		tools->tsan = __tsan_create_fiber(0);
}

/*
 * Called by the thread that runs fibers: tools_enter() before the switch to a fiber's stack, if a
 * tool watches; tools_return() after the switch back.
 */
IN_LINE void tools_enter(struct nap__tools_host *host, struct nap__tools_fiber *tools,
			 const void *low, size_t size)
{
	happens_after(tools);
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(&host->fake, low, size);
	if (__tsan_create_fiber) {
		host->tsan = __tsan_get_current_fiber();
		__tsan_switch_to_fiber(tools->tsan, 0);
	}
}

IN_LINE void tools_return(struct nap__tools_host *host)
{
	if (has_tools() && __sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(host->fake, NULL, NULL);
}

/*
 * Tells AddressSanitizer of the switch from a fiber's stack to the stack at @low. @fake: where
 * AddressSanitizer's list of the fiber's frames is kept. A fiber that has @ended never returns from
 * its frames, so the marks around the frames' variables are removed here. Otherwise the next use of
 * the memory would be reported.
 */
IN_LINE void tools_start_switch(void **fake, bool ended, const void *low, size_t size)
{
	if (ended && __asan_handle_no_return)
		__asan_handle_no_return();
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(ended ? NULL : fake, low, size);
}

/*
 * Called by the fiber, before it leaves its stack for the thread's. @ended: the fiber does not come
 * back.
 */
IN_LINE void tools_leave(struct nap__tools_host *host, struct nap__tools_fiber *tools, bool ended)
{
	if (!has_tools())
		return;
	happens_before(tools);
	tools_start_switch(&tools->fake, ended, host->low, host->size);
	if (__tsan_create_fiber)
		__tsan_switch_to_fiber(host->tsan, 0);
}

/*
 * As tools_leave(), for a switch to the stack of the fiber @to, if a tool watches. (With
 * is_detected() no fiber switches to another.)
 */
IN_LINE void tools_switch(struct nap__tools_fiber *from, bool ended, struct nap__tools_fiber *to,
			  const void *low, size_t size)
{
	tools_start_switch(&from->fake, ended, low, size);
	if (__tsan_create_fiber)
		__tsan_switch_to_fiber(to->tsan, 0);
}

/*
 * Called by the fiber after its arrival from the thread of @host, or, if @host is NULL, from
 * another fiber.
 */
IN_LINE void tools_arrive(struct nap__tools_fiber *tools, struct nap__tools_host *host)
{
	if (has_tools() && __sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(tools->fake, host ? &host->low : NULL,
						host ? &host->size : NULL);
}

/* Called when a fiber that has ended has left its stack. */
IN_LINE void tools_ended(struct nap__tools_fiber *tools)
{
	if (!has_tools())
		return;
	if (__tsan_create_fiber)
		__tsan_destroy_fiber(tools->tsan);
	nap__tools_ended();
}

#endif

#endif /* NAP_FIBER_TOOLS_H */
