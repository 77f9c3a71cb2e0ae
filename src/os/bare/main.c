/* SPDX-License-Identifier: MIT */
/*
 * Behind arch/<isa>/start.S, for programs that have no entry point of their own: main(), and exit
 * with what it returns. A file of its own, so that a program that has one need not have main().
 */
#include "os/bare/bare.h"

int main(int argc, char **argv, char **envp);
_Noreturn void nap__start(long *stack);

/* @stack as the kernel leaves it: argc, argv, 0, envp, 0, ... */
void nap__start(long *stack)
{
	int argc = (int)stack[0];
	char **argv = (char **)(stack + 1);

	nap_bare_init();
	nap_bare_exit(main(argc, argv, argv + argc + 1));
}
