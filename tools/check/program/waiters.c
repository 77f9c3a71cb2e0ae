/* SPDX-License-Identifier: MIT */
/*
 * std::atomic::wait() and its users (std::barrier, std::latch), as libstdc++ has them in headers
 * that are compiled with the program. A waiter increments a count, reads the variable again, and
 * sleeps. A notifier reads the count, and without a waiter saves the system call. This is store
 * buffering: a wake-up is only safe if the count, the variable and the kernel's read of it are in
 * one order. C11 does not order them. (On Linux the kernel's read comes after a full barrier,
 * which closes the gap of the waiter. The gap of the notifier stays open if the write before it
 * is a plain store of the machine.) The program can do nothing about this.
 *
 * So the checker assumes what the standard says: a notifier always finds a waiter. The count is
 * no access of the program, because it would order other accesses of the program.
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
