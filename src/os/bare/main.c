/* SPDX-License-Identifier: MIT */
/*
 * What arch/<isa>/start.S calls in programs without an entry point of their own: runs main() and
 * exits. This is a file of its own, because a program with an entry point need not have main().
 */
#include "os/bare/bare.h"

int main(int argc, char **argv, char **envp);
_Noreturn void nap__start(long *stack);

/* @stack is as the kernel leaves it: argc, argv, 0, envp, 0, ... */
void nap__start(long *stack)
{
	int argc = (int)stack[0];
	char **argv = (char **)(stack + 1);

	nap_bare_init();
	nap_bare_exit(main(argc, argv, argv + argc + 1));
}
