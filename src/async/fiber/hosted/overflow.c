/* SPDX-License-Identifier: MIT */
/*
 * Reporting a fiber's stack overflow: nap/fiber.h. The handler runs on the thread's signal stack,
 * because the fiber's stack has no room. The handler restores the previous handler and returns;
 * then the access faults again, for the previous handler.
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

static void faulted(int signal, siginfo_t *info, void *context)
{
	uintptr_t address = (uintptr_t)info->si_addr;
	struct nap_fiber *fiber = info->si_code > 0 ? overflown(address) : NULL;
	int err = errno;

	(void)context;
	if (fiber)
		report(fiber, address);
	sigaction(signal, signal == SIGBUS ? &before_bus : &before_segv, NULL);
	/* A signal that a process has sent does not come again by itself. */
	if (info->si_code <= 0)
		raise(signal);
	errno = err;
}

/* Stores *@before first: in a child that is forked right after the installation it is there. */
static int overflow_install(int signal, struct sigaction *before)
{
	struct sigaction action = { .sa_sigaction = faulted, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction now;

	sigemptyset(&action.sa_mask);
	if (sigaction(signal, NULL, &now))
		return -errno;
	/* The handler is not its own earlier one, to which it would never end to hand a fault. */
	if (now.sa_sigaction != faulted)
		*before = now;
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
