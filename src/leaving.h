/* SPDX-License-Identifier: MIT */
/*
 * Ways out of a callback other than return: an exception, pthread_exit() or a cancellation, and
 * longjmp(). What is on nap's own frames below the callback is then not undone: a place given back,
 * a list left, a latch set. So none is allowed, but out of the function of a nap_call().
 *
 * Exceptions and the first two on glibc unwind the stack: frame by frame the unwinder asks the
 * personality routine that the frame's description names. Ours is a plain function, and naming it
 * costs no instruction and needs nothing of libgcc's, which a C program gets only when it is too
 * late to resolve references to it. It is asked twice for an exception: first whether it is caught
 * here. It is not; and if nobody up the stack catches it, the unwinder gives up there and then, and
 * std::terminate() speaks. The second time the frame is to go.
 *
 * Where nothing unwinds (musl; frames without a description) the end of the thread tells:
 * nap__os_thread_inside(). longjmp() tells nobody: who has been jumped over is found by the next
 * call, because it lies where the stack is free again.
 */
#ifndef NAP_LEAVING_H
#define NAP_LEAVING_H

#include <stdint.h>

#include "os.h"

/* In functions that run callbacks or wait; a function that is inlined shares its caller's. */
#ifdef NAP_NO_UNWINDING		/* the bare library, and the model checker */
#define nothing_leaves()	((void)0)
#define a_call_leaves()		((void)0)
#else
/* 0x1b: as an offset of 32 bits from where it stands */
#define nothing_leaves()	__asm__ volatile(".cfi_personality 0x1b, nap__nothing_leaves")
#define a_call_leaves()		__asm__ volatile(".cfi_personality 0x1b, nap__a_call_leaves")
#endif

/*
 * Where the caller's frame ends: what lies below, on the same stack, is no live caller's. (clang 14
 * does not know for RISC-V; it looks from a little lower.)
 */
#ifdef __clang__
#define FRAME_END ((uintptr_t)__builtin_frame_address(0))
#else
#define FRAME_END ((uintptr_t)__builtin_dwarf_cfa())
#endif

/* One line that says that @how is not allowed; @caller: of the public call, or NULL. */
_Noreturn void nap__left(const char *how, void *caller);

/* The calling thread's innermost record lies below @frame_end: was left, or is on another stack. */
void nap__maybe_jumped(uintptr_t frame_end, void *caller);

#define LEFT_BY_JUMP "longjmp() out of a task, a job, a callback or the function of a nap_call()"

/* First thing of a slow public call: whether the last one of this thread was left by a jump. */
static inline __attribute__((always_inline)) void check_jump(void *caller)
{
	struct nap__self *self = nap__self();
	uintptr_t end = FRAME_END;

	/* NULL is above everything. */
	if ((uintptr_t)self->outer - 1 < end - 1)
		nap__maybe_jumped(end, caller);
}

/* The calling thread is about to have records on its stack. */
static inline void thread_inside(struct nap__self *self)
{
	if (!self->inside) {
		self->inside = true;
		nap__os_thread_inside();
	}
}

#endif /* NAP_LEAVING_H */
