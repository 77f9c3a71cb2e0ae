/* SPDX-License-Identifier: MIT */
/*
 * A function that is not modelled is refused by the name that it has in the library. A function
 * that touches no memory is not refused, nor is a function of the program itself.
 *
 * options -std=c11 -O1 -D_FORTIFY_SOURCE=2
 * verdict! nap-check: not modelled: __isoc99_scanf __sigsetjmp at_quick_exit fdopen fopen64 frexp getchar_unlocked getline mmap mrand48 pthread_getattr_np pthread_kill rand realpath setenv sysv_signal$
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* This function stands in place of the library's. */
int getc(FILE *in)
{
	return in != stdin;
}

static double unmoved(double x, const char *s)
{
	char copy[8];

	errno = abs(toupper(getc(stdin)));
	strcpy(copy, s);
	return sin(x) + copysign(x, getpid()) + copy[0];
}

int main(void)
{
	pthread_attr_t attr;
	sigjmp_buf place;
	size_t size = 0;
	char *s = NULL;
	int n;

	pthread_kill(pthread_self(), 0);
	pthread_attr_init(&attr);
	pthread_getattr_np(pthread_self(), &attr);
	(void)!scanf("%d", &n);
	(void)!getline(&s, &size, stdin);
	s = realpath("/", NULL);
	setenv("A", "b", 1);
	sigsetjmp(place, 1);
	at_quick_exit(abort);
	sysv_signal(SIGTERM, SIG_DFL);
	fopen64("/", "r");
	fdopen(0, "r");
	mmap(NULL, 1, 0, 0, 0, 0);
	return rand() + getchar_unlocked() + (int)mrand48() + (int)frexp(unmoved(1, s), &n);
}
