/* SPDX-License-Identifier: MIT */
/*
 * What is not modelled is refused by name.
 *
 * verdict! nap-check: not modelled: pthread_kill rand
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

int main(void)
{
	pthread_kill(pthread_self(), 0);
	return rand();
}
