/* SPDX-License-Identifier: MIT */
/*
 * nap__start(), which arch/<isa>/start.S calls in a program without an entry point of its own: runs
 * main(), and exits. The function has a file of its own, because a program with an entry point need
 * not have main().
 */
#include "os/bare/bare.h"

int main(int argc, char **argv, char **envp);
_Noreturn void nap__start(long *stack);

/* @stack is the kernel's initial stack: argc, argv, 0, envp, 0, ... */
void nap__start(long *stack)
{
	int argc = (int)stack[0];
	char **argv = (char **)(stack + 1);

	nap_bare_init();
	nap_bare_exit(main(argc, argv, argv + argc + 1));
}
