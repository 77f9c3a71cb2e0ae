/* SPDX-License-Identifier: MIT */
/* Dumps all pools on a signal: nap/dump.h. */
#include "dump/dump.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "sync/process_lock.h"

/* the handler that the program had; written before the new handler is installed */
static struct sigaction earlier;
static int signal_number;		/* the signal in use; 0: none */
static int dump_fd;			/* A: the file to write to */
static uint32_t dumping;		/* held by the thread that dumps in the handler */

static void call_earlier(int signo, siginfo_t *info, void *context)
{
	if (earlier.sa_flags & SA_SIGINFO)
		earlier.sa_sigaction(signo, info, context);
	else if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN)
		earlier.sa_handler(signo);
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
	if (process_lock_try(&dumping)) {
		nap_pools_dump(nap_load_relaxed(&dump_fd));
		process_lock_give(&dumping);
	}
	call_earlier(signo, info, context);
}

static int handler_install(int signo)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK }, now;

	if (sigaction(signo, NULL, &now))
		return -EINVAL;
	/* In a child that was forked between these steps the handler may be there already. */
	if (now.sa_sigaction != on_signal)
		earlier = now;
	sigemptyset(&action.sa_mask);
	action.sa_sigaction = on_signal;
	if (sigaction(signo, &action, NULL))
		return -EINVAL;
	signal_number = signo;
	return 0;
}

static int handler_restore(int signo)
{
	struct sigaction now;

	/* If the program has installed a later handler, which may call this one, this one stays. */
	if (sigaction(signo, NULL, &now) || !(now.sa_flags & SA_SIGINFO) ||
	    now.sa_sigaction != on_signal)
		return -EBUSY;
	/* Stored first, so that a child that is forked in between can install the handler again. */
	signal_number = 0;
	sigaction(signo, &earlier, NULL);
	return 0;
}

int nap_dump_on_signal(int signo, int fd)
{
	int before = errno, err;

	if (signo <= 0)
		return -EINVAL;
	if (signal_number && signal_number != signo)
		return -EBUSY;
	if (fd >= 0)
		nap_store_relaxed(&dump_fd, fd);
	if (fd >= 0)
		err = signal_number ? 0 : handler_install(signo);
	else
		err = signal_number ? handler_restore(signo) : -EALREADY;
	errno = before;
	return err;
}
