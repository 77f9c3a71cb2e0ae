/* SPDX-License-Identifier: MIT */
/*
 * Telling tools that a thread goes on on another stack. Without one each is a test of a word.
 *
 * AddressSanitizer and ThreadSanitizer, in the program or in the library, have functions for that
 * (compiler-rt, common_interface_defs.h and tsan_interface.h; gcc's runtimes have the same). They are
 * called here in line: both keep books of the functions that a stack is in the middle of, and a
 * function that is entered on the one stack must not return on the other. To ThreadSanitizer each
 * switch is an order, as it is one: the program order of the thread.
 *
 * valgrind has to know of each stack: else it takes a switch for a stack that grows or shrinks. Its
 * helgrind does not see that what a fiber leaves on its stack comes before what it does there next.
 */
#ifndef NAP_FIBER_TOOLS_H
#define NAP_FIBER_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef NAP_NO_DETECTOR		/* the bare library, and the model checker */

struct nap__tools_fiber {
	char none;
};

#define has_tools()			false
#define tools_look()			((void)0)
#define tools_stack(tools, low, top)	((void)(tools))
#define tools_no_stack(tools)		((void)(tools))
#define tools_may_spawn()		true
#define tools_unbegun()			((void)0)
#define tools_begin(tools, low, size)	((void)(tools), (void)(low), (void)(size))
#define tools_enter(tools, low, size)	((void)(tools), (void)(low), (void)(size))
#define tools_return(tools, ended)	((void)(tools))
#define tools_leave(tools)		((void)(tools))
#define tools_arrive(tools)		((void)(tools))
#define tools_end(tools)		((void)(tools))

#else

#include "arch/atomic.h"
#include "os/happens.h"

/* What they know a fiber by; and, beside it, the stack that it was begun or resumed from. */
struct nap__tools_fiber {
	void *tsan;		/* ThreadSanitizer's context, */
	void *tsan_home;	/* and of the thread that runs it */
	void *fake;		/* AddressSanitizer's frames of this stack, */
	void *fake_home;	/* and of the thread that runs it, */
	const void *home_low;	/* whose stack this is */
	size_t home_size;
	uint64_t valgrind;	/* the stack's number */
};

#define IN_LINE static inline __attribute__((always_inline))

void *__tsan_get_current_fiber(void) __attribute__((weak));
void *__tsan_create_fiber(unsigned int flags) __attribute__((weak));
void __tsan_destroy_fiber(void *fiber) __attribute__((weak));
void __tsan_switch_to_fiber(void *fiber, unsigned int flags) __attribute__((weak));
void __sanitizer_start_switch_fiber(void **fake, const void *low, size_t size)
	__attribute__((weak));
void __sanitizer_finish_switch_fiber(void *fake, const void **low, size_t *size)
	__attribute__((weak));

/* A: whether one was found. Set before the first stack is used. src/async/fiber/hosted/fiber_tools.c */
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

/* Before the first stack: which of them watch. */
static inline void tools_look(void)
{
	nap__tools_look();
}

/* A stack from @low up to @top is used for the first time; and is about to be unmapped. */
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
 * Whether one fiber more may be there. To ThreadSanitizer each is a thread from its beginning to
 * its end, and it ends a process that has too many. A caller that was let spawn
 * a fiber that does not begin says so.
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

/* A fiber begins, on a stack that another one may have had. */
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
 * The thread that runs it: about to go to its stack, where there are tools; back again, perhaps for
 * the last time.
 */
IN_LINE void tools_enter(struct nap__tools_fiber *tools, const void *low, size_t size)
{
	happens_after(tools);
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(&tools->fake_home, low, size);
	if (__tsan_create_fiber) {
		tools->tsan_home = __tsan_get_current_fiber();
		__tsan_switch_to_fiber(tools->tsan, 0);
	}
}

IN_LINE void tools_return(struct nap__tools_fiber *tools, bool ended)
{
	if (!has_tools())
		return;
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(tools->fake_home, NULL, NULL);
	if (!ended)
		return;
	if (__tsan_create_fiber)
		__tsan_destroy_fiber(tools->tsan);
	nap__tools_ended();
}

/* The fiber: about to leave; there again, or for the first time; about to leave for good. */
IN_LINE void tools_switch_home(struct nap__tools_fiber *tools, void **fake)
{
	if (!has_tools())
		return;
	happens_before(tools);
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(fake, tools->home_low, tools->home_size);
	if (__tsan_create_fiber)
		__tsan_switch_to_fiber(tools->tsan_home, 0);
}

IN_LINE void tools_leave(struct nap__tools_fiber *tools)
{
	tools_switch_home(tools, &tools->fake);
}

IN_LINE void tools_arrive(struct nap__tools_fiber *tools)
{
	if (has_tools() && __sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(tools->fake, &tools->home_low, &tools->home_size);
}

IN_LINE void tools_end(struct nap__tools_fiber *tools)
{
	tools_switch_home(tools, NULL);
}

#undef IN_LINE
#endif

#endif /* NAP_FIBER_TOOLS_H */
