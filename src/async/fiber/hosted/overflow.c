/* SPDX-License-Identifier: MIT */
/*
 * Reporting a fiber's stack overflow: nap/fiber.h. The handler runs on the thread's signal stack,
 * because the fiber's stack has no room. Then the handler calls the previous one, and stays
 * installed: the program may recover from a fault that is no overflow. Where the previous one is no
 * function the handler restores it and returns; then the access faults again, and ends the process.
 */
#include "thread/hosted/overflow.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "os/happens.h"
#include "worker/self.h"

static struct sigaction before_segv, before_bus;

/* Returns the calling fiber, if @address lies in the guard of its stack; or NULL. */
static struct nap_fiber *overflown(uintptr_t address)
{
	struct nap_fiber *fiber = nap__self()->fiber;
	uintptr_t low;

	if (!fiber)
		return NULL;
	low = (uintptr_t)nap__stack_low(fiber->fibers, fiber);
	return address < low && low - address <= fiber->fibers->guard ? fiber : NULL;
}

static void report(const struct nap_fiber *fiber, uintptr_t address)
{
	char line[256];
	int n = snprintf(line, sizeof(line),
			 "nap: the stack of fiber \"%s\" has overflowed: number %u, "
			 "function %p, %zu bytes, at %p\n", fiber->name, fiber->index,
			 (void *)(uintptr_t)fiber->fn, fiber->fibers->slot - fiber->fibers->guard,
			 (void *)address);

	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		return;
}

/* Whether @before is a function that gets more than one signal. */
static bool is_called(const struct sigaction *before)
{
	return before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN &&
	       !(before->sa_flags & (int)SA_RESETHAND);
}

static void hand_on(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *before = signal == SIGBUS ? &before_bus : &before_segv;

	if (!is_called(before)) {
		sigaction(signal, before, NULL);
		/*
		 * A signal that a process has sent does not come again by itself. Not noticed in
		 * tests when 1 for 0: raised or not, a fault ends the process.
		 */
		if (info->si_code <= 0)
			raise(signal);
	} else if (before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(signal, info, context);
	} else {
		before->sa_handler(signal);
	}
}

static void faulted(int signal, siginfo_t *info, void *context)
{
	uintptr_t address = (uintptr_t)info->si_addr;
	struct nap_fiber *fiber = info->si_code > 0 ? overflown(address) : NULL;
	int err = errno;

	if (fiber)
		report(fiber, address);
	errno = err;
	hand_on(signal, info, context);
	errno = err;
}

/*
 * Installs the handler, with the mask of the earlier handler, which it calls. Stores *@before
 * first, so that a child that is forked right after the installation has *@before.
 */
static int overflow_install(int signal, struct sigaction *before)
{
	struct sigaction action, now;

	if (sigaction(signal, NULL, &now))
		return -errno;
	/* If this handler is installed already, *@before stays: a handler must not call itself. */
	if (now.sa_sigaction != faulted)
		*before = now;
	action = *before;
	action.sa_sigaction = faulted;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK | (before->sa_flags & SA_NODEFER);
	return sigaction(signal, &action, NULL) ? -errno : 0;
}

int nap_fibers_report_overflow(void)
{
	int err = 0, saved = errno;

	unseen_begin();
	if (!nap_load_relaxed(&nap__overflow_is_reported)) {
		err = overflow_install(SIGSEGV, &before_segv);
		if (!err)
			err = overflow_install(SIGBUS, &before_bus);
		if (!err)
			nap_store_relaxed(&nap__overflow_is_reported, true);
	}
	unseen_end();
	errno = saved;
	return err;
}
