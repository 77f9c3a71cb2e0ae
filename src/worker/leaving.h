/* SPDX-License-Identifier: MIT */
/*
 * Ways out of a callback other than return: an exception, pthread_exit() or a cancellation, and
 * longjmp(). They do not undo what nap's own frames below the callback have to undo: give back a
 * record, leave a list, set a latch. So they are not allowed, except out of the function of a
 * nap_call().
 *
 * An exception unwinds the stack, and on glibc so do pthread_exit() and a cancellation: frame by
 * frame the unwinder asks the personality routine that the frame's description names. nap's routine
 * is a plain function. Naming it costs no instruction and needs nothing of libgcc, which a C
 * program gets only when it is too late to resolve references to it. For an exception the routine
 * is asked twice. First, whether this frame catches the exception. It does not; if no frame further
 * up does, the unwinder gives up at once, and std::terminate() reports. Second, when the frame is
 * unwound.
 *
 * Where nothing unwinds (musl; frames without a description) the end of the thread reports:
 * nap__os_thread_inside(). longjmp() reports to nobody: the next call finds the records that were
 * jumped over, because they lie where the stack is free again.
 */
#ifndef NAP_LEAVING_H
#define NAP_LEAVING_H

/* For functions that run callbacks or wait; an inlined function shares its caller's routine. */
#ifdef NAP_NO_UNWINDING		/* the bare library, and the model checker */
#define nothing_leaves()	((void)0)
#define a_call_leaves()		((void)0)
#else
/* 0x1b: stored as a 32-bit offset from its own address */
#define nothing_leaves()	__asm__ volatile(".cfi_personality 0x1b, nap__nothing_leaves")
#define a_call_leaves()		__asm__ volatile(".cfi_personality 0x1b, nap__a_call_leaves")
#endif

/* Prints one line that says that @how is not allowed; @caller: of the public call, or NULL. */
_Noreturn void nap__panic_left(const char *how, void *caller);

#define LEFT_BY_JUMP "longjmp() out of a task, a job, a callback or the function of a nap_call()"

#endif /* NAP_LEAVING_H */
