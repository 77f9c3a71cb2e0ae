/* SPDX-License-Identifier: MIT */
/*
 * Notices that a callback is left other than by return: when the stack is unwound, or when the
 * thread ends.
 */
#include "worker/jump.h"
#include "worker/leaving.h"

#include <errno.h>
#include <pthread.h>
#include <unwind.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

#define LEFT_BY_EXIT "pthread_exit() or a cancellation in a task, a job or a callback"
#define LEFT_BY_EXCEPTION "an exception out of a task, a job or a callback"
/*
 * The message if nothing was unwound. It names longjmp(), too, because some frames that a jump has
 * left look like those of a thread that ends.
 */
#define LEFT_BY_END \
	"pthread_exit() or a cancellation in, or longjmp() out of, a task, a job or a callback"

/* ---- personality routines, which only the frames' descriptions name */

#define PERSONALITY(name)							\
	_Unwind_Reason_Code name(int version __attribute__((unused)), _Unwind_Action actions,	\
				 _Unwind_Exception_Class class __attribute__((unused)),	\
				 struct _Unwind_Exception *exception __attribute__((unused)), \
				 struct _Unwind_Context *context __attribute__((unused)))

__attribute__((used)) PERSONALITY(nap__nothing_leaves);
__attribute__((used)) PERSONALITY(nap__a_call_leaves);

PERSONALITY(nap__nothing_leaves)
{
	if (actions & _UA_CLEANUP_PHASE)
		nap__panic_left(actions & _UA_FORCE_UNWIND ? LEFT_BY_EXIT : LEFT_BY_EXCEPTION,
				NULL);
	return _URC_CONTINUE_UNWIND;
}

/*
 * The routine of the frame that runs the function of a nap_call(); the call's record is the
 * innermost one.
 */
PERSONALITY(nap__a_call_leaves)
{
	struct nap__self *self = nap__self();
	/* In the child of a fork the record is among those of the parent. */
	struct nap__outer *outer = self->outer ? self->outer : self->in_parent.outer;

	if ((actions & _UA_CLEANUP_PHASE) && outer && outer->leave)
		outer->leave(outer);
	return _URC_CONTINUE_UNWIND;
}

/* ---- the end of a thread */

/* Atomic: whether there is a pthread key, and which; set once. */
static uint64_t key_word;

#define KEY_MADE	((uint64_t)1 << 32)
#define KEY_REFUSED	((uint64_t)2 << 32)

/*
 * Called at a thread's end. If the stack was unwound no record (struct nap__outer) is left.
 * Otherwise the records of its frames are still there.
 */
static void thread_ends(void *unused)
{
	struct nap__self *self = nap__self();

	(void)unused;
	self->inside = false;
	if (self->worker && pool_forked(self->worker->pool))
		return;
	check_jump(NULL);
	while (self->outer) {
		if (!self->outer->leave)
			nap__panic_left(LEFT_BY_END, NULL);
		self->outer->leave(self->outer);
	}
	if (self->worker)
		nap__panic_left(LEFT_BY_END, NULL);
}

/*
 * All threads use the first key that is set. pthread_once() is not used, because on musl, and under
 * ThreadSanitizer, the child of a fork may wait in it for a thread that exists only in the parent.
 */
static uint64_t make_key(void)
{
	pthread_key_t key;
	uint64_t made = KEY_REFUSED, word;

	if (!pthread_key_create(&key, thread_ends))
		made = KEY_MADE | key;
	word = nap_cmpxchg_relaxed(&key_word, 0, made);
	if (word && (made & KEY_MADE))
		pthread_key_delete(key);
	return word ? word : made;
}

/* A program that unloads the library has to ensure that no thread is inside. */
static __attribute__((destructor)) void delete_key(void)
{
	uint64_t word;

	unseen_begin();
	word = nap_xchg_relaxed(&key_word, KEY_REFUSED);
	if (word & KEY_MADE)
		pthread_key_delete((pthread_key_t)word);
	unseen_end();
}

void nap__os_thread_inside(void)
{
	uint64_t word = nap_load_relaxed(&key_word);
	int saved = errno;

	if (!word)
		word = make_key();
	unseen_still();
	if (word & KEY_MADE)
		pthread_setspecific((pthread_key_t)word, &key_word);
	errno = saved;
}
