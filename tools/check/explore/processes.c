/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/processes.h"
#include "graph/fatal.h"

#define MOST 65536	/* processes over the whole run, most of which have ended */

static struct shared {
	pid_t first, goes_on;
	bool interrupted;
	unsigned nr;
	pid_t started[MOST];
} *shared;

void *shared_memory(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		fatal("no memory for the parts of a search");
	return mem;
}

/* Ends all other processes. One that has ended keeps its number until this process reaps it. */
static void end_others(void)
{
	for (unsigned i = 0; i < shared->nr && i < MOST; i++)
		if (shared->started[i] > 0 && shared->started[i] != getpid())
			kill(shared->started[i], SIGKILL);
}

static void on_end(int number)
{
	end_others();
	signal(number, SIG_DFL);
	raise(number);
}

static const int ends[] = { SIGTERM, SIGINT, SIGHUP };
#define NR_ENDS (sizeof(ends) / sizeof(ends[0]))

static volatile sig_atomic_t interrupted;
static bool signals_are_noted;

static void on_interrupt(int number)
{
	(void)number;
	interrupted = true;
	if (shared)
		shared->interrupted = true;
}

void processes_note_signals(void)
{
	struct sigaction action = { .sa_handler = on_interrupt,
				    .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_RESTART };

	signals_are_noted = true;
	for (unsigned i = 0; i < NR_ENDS; i++)
		sigaction(ends[i], &action, NULL);
}

bool process_interrupted(void)
{
	return interrupted || (shared && __atomic_load_n(&shared->interrupted, __ATOMIC_RELAXED));
}

/* Makes the caller the first process: all others become its children when their parents end. */
static void begin(void)
{
	shared = shared_memory(sizeof(*shared));
	shared->first = shared->goes_on = getpid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (unsigned i = 0; i < NR_ENDS; i++) {
		struct sigaction action = { .sa_handler = on_end,
					    .sa_flags = SA_ONSTACK | SA_NODEFER };
		struct sigaction was;

		if (!sigaction(ends[i], NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
	}
}

int process_start(void)
{
	unsigned nr;
	pid_t pid;

	if (!shared)
		begin();
	nr = __atomic_fetch_add(&shared->nr, 1, __ATOMIC_RELAXED);
	if (nr >= MOST)
		return -1;
	fflush_unlocked(NULL);
	pid = fork();
	if (pid > 0)
		shared->started[nr] = pid;
	for (unsigned i = 0; !pid && !signals_are_noted && i < NR_ENDS; i++)
		signal(ends[i], SIG_DFL);
	return pid;
}

void process_goes_on(void)
{
	if (shared)
		shared->goes_on = getpid();
}

/*
 * Takes the exit status of a process. A process that does not go on with the program has to end
 * with 0.
 */
static void take_end(pid_t pid, int status, int *of_all)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 4;

	for (unsigned i = 0; i < shared->nr && i < MOST; i++)
		/* The number may be another process's from here on. */
		if (shared->started[i] == pid)
			shared->started[i] = 0;
	if (pid == shared->goes_on) {
		*of_all = code;
	} else if (code) {
		if (WIFSIGNALED(status))
			fprintf(stderr, "a process of the search has ended: %s\n",
				strsignal(WTERMSIG(status)));
		end_others();
		leave(code);
	}
}

void process_look_around(void)
{
	int status, of_all;
	pid_t pid;

	if (!shared)
		return;
	if (getpid() != shared->first && kill(shared->first, 0) && errno == ESRCH)
		_exit(4);
	while (getpid() == shared->first && (pid = waitpid(-1, &status, WNOHANG)) > 0)
		take_end(pid, status, &of_all);
}

_Noreturn void process_leaves(void)
{
	int status, of_all = 4;
	pid_t pid;

	if (getpid() != shared->first)
		_exit(0);
	while ((pid = waitpid(-1, &status, 0)) > 0 || errno == EINTR)
		if (pid > 0)
			take_end(pid, status, &of_all);
	leave(of_all);
}
