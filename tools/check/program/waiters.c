/* SPDX-License-Identifier: MIT */
/*
 * std::atomic::wait() and what is made of it (std::barrier, std::latch) as libstdc++ has them, in
 * headers that are compiled with the program. A waiter counts itself, looks at the variable again,
 * and sleeps; a notifier looks at the count, and without a waiter saves the system call. That is
 * store buffering: for it not to lose a wake-up, the count would have to be in one order with the
 * variable, and with the kernel's look at it. By C11 it is not. (On Linux the kernel's look is
 * behind a full barrier, which closes the gap of the thread that waits; that of the thread that
 * notifies is open where the write before it is a plain store of the machine's.) The program can do
 * nothing about it. So this is believed to be what the standard says: there is always somebody who
 * waits, and the count is no access of the program's, which would order things for it besides.
 */
#include "program/names.h"
#include "program/waiters.h"

uintptr_t waiters_begin;
size_t waiters_size;

void waiters_find(void)
{
	waiters_begin = object_named("_ZZNSt8__detail18__waiter_pool_base6_S_forEPKvE3__w",
				     &waiters_size);
}
