/* SPDX-License-Identifier: MIT */
/*
 * Ways out of a callback other than return: an exception, pthread_exit() or a cancellation, and
 * longjmp(). What is on nap's own frames below the callback is then not undone: a place given back,
 * a list left, a latch set. So none is allowed, but out of the function of a nap_call().
 *
 * An exception unwinds the stack, and on glibc so do pthread_exit() and a cancellation: frame by
 * frame the unwinder asks the personality routine that the frame's description names. Ours is a
 * plain function, and naming it costs no instruction and needs nothing of libgcc's, which a C
 * program gets only when it is too late to resolve references to it. It is asked twice for an
 * exception: first whether it is caught here. It is not; and if nobody up the stack catches it, the
 * unwinder gives up there and then, and std::terminate() speaks. The second time the frame is to
 * go.
 *
 * Where nothing unwinds (musl; frames without a description) the end of the thread tells:
 * nap__os_thread_inside(). longjmp() tells nobody: what was jumped over is found by the next call,
 * because it lies where the stack is free again.
 */
#ifndef NAP_LEAVING_H
#define NAP_LEAVING_H

/* In functions that run callbacks or wait; a function that is inlined shares its caller's. */
#ifdef NAP_NO_UNWINDING		/* the bare library, and the model checker */
#define nothing_leaves()	((void)0)
#define a_call_leaves()		((void)0)
#else
/* 0x1b: as an offset of 32 bits from where it stands */
#define nothing_leaves()	__asm__ volatile(".cfi_personality 0x1b, nap__nothing_leaves")
#define a_call_leaves()		__asm__ volatile(".cfi_personality 0x1b, nap__a_call_leaves")
#endif

/* One line that says that @how is not allowed; @caller: of the public call, or NULL. */
_Noreturn void nap__remaining(const char *how, void *caller);

#define LEFT_BY_JUMP "longjmp() out of a task, a job, a callback or the function of a nap_call()"

#endif /* NAP_LEAVING_H */
