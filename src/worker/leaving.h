/* SPDX-License-Identifier: MIT */
/*
 * Ways out of a callback other than return: an exception, pthread_exit() or a cancellation, and
 * longjmp(). They skip the clean-up of nap's own frames below the callback: giving back a record,
 * leaving a list, setting a latch. So they are not allowed, except out of the function of a
 * nap_call().
 *
 * An exception unwinds the stack, and on glibc so do pthread_exit() and a cancellation: for each
 * frame the unwinder calls the personality routine that the frame's description names. nap's
 * routine is a plain function. Naming it costs no instruction and needs nothing of libgcc: a C
 * program loads libgcc too late to resolve references to it. For an exception the routine is called
 * twice. The first call asks whether this frame catches the exception, which it does not; if no
 * frame further up does, the unwinder gives up at once, and std::terminate() reports. The second
 * call comes when the frame is unwound.
 *
 * If nothing is unwound (on musl, or for frames without a description) the end of the thread is
 * noticed: nap__os_thread_inside(). A longjmp() is not noticed by itself: the thread's next call
 * finds the records that were jumped over, because they lie in a part of the stack that is free by
 * then.
 */
#ifndef NAP_LEAVING_H
#define NAP_LEAVING_H

/*
 * nothing_leaves() stands in each function that runs callbacks or waits, and names
 * nap__nothing_leaves as the function's personality routine; a_call_leaves() does the same for
 * nap_call(). An inlined function shares its caller's routine.
 */
#ifdef NAP_NO_UNWINDING		/* in the bare library and the model checker */
#define nothing_leaves()	((void)0)
#define a_call_leaves()		((void)0)
#else
/* 0x1b: the routine's address is stored as a 32-bit offset from the place of storage */
#define nothing_leaves()	__asm__ volatile(".cfi_personality 0x1b, nap__nothing_leaves")
#define a_call_leaves()		__asm__ volatile(".cfi_personality 0x1b, nap__a_call_leaves")
#endif

/*
 * Prints one line that says that @how is not allowed, and aborts; @caller: the caller of the public
 * call, or NULL. The function is in src/worker/self.c.
 */
_Noreturn void nap__panic_left(const char *how, void *caller);

#define LEFT_BY_JUMP "longjmp() out of a task, a job, a callback or the function of a nap_call()"

#endif /* NAP_LEAVING_H */
