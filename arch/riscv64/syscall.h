/* SPDX-License-Identifier: MIT */
/*
 * System calls of Linux on RISC-V: number in a7, arguments in a0 to a5, the result in a0; all
 * other registers are kept.
 *
 * nap__syscall6() returns the kernel's answer: a negative errno when the call failed.
 */
#ifndef NAP_ARCH_SYSCALL_H
#define NAP_ARCH_SYSCALL_H

#define NAP__NR_clock_gettime 113
#define NAP__NR_clone 220
#define NAP__NR_close 57
#define NAP__NR_dup3 24
#define NAP__NR_epoll_create1 20
#define NAP__NR_epoll_ctl 21
#define NAP__NR_epoll_pwait 22
#define NAP__NR_epoll_pwait2 441
#define NAP__NR_eventfd2 19
#define NAP__NR_execve 221
#define NAP__NR_exit 93
#define NAP__NR_exit_group 94
#define NAP__NR_fcntl 25
#define NAP__NR_futex 98
#define NAP__NR_getdents64 61
#define NAP__NR_getcpu 168
#define NAP__NR_get_mempolicy 236
#define NAP__NR_getpid 172
#define NAP__NR_getpriority 141
#define NAP__NR_gettid 178
#define NAP__NR_ioctl 29
#define NAP__NR_kill 129
#define NAP__NR_madvise 233
#define NAP__NR_membarrier 283
#define NAP__NR_mincore 232
#define NAP__NR_mkdirat 34
#define NAP__NR_mmap 222
#define NAP__NR_mount 40
#define NAP__NR_mprotect 226
#define NAP__NR_munmap 215
#define NAP__NR_nanosleep 101
#define NAP__NR_openat 56
#define NAP__NR_pipe2 59
#define NAP__NR_ppoll 73
#define NAP__NR_pread64 67
#define NAP__NR_prctl 167
#define NAP__NR_prlimit64 261
#define NAP__NR_process_vm_readv 270
#define NAP__NR_read 63
#define NAP__NR_readlinkat 78
#define NAP__NR_reboot 142
#define NAP__NR_rt_sigaction 134
#define NAP__NR_rt_sigprocmask 135
#define NAP__NR_sched_getaffinity 123
#define NAP__NR_sched_getparam 121
#define NAP__NR_sched_getscheduler 120
#define NAP__NR_sched_setaffinity 122
#define NAP__NR_sched_setscheduler 119
#define NAP__NR_sched_yield 124
#define NAP__NR_set_mempolicy 237
#define NAP__NR_setpriority 140
#define NAP__NR_sync 81
#define NAP__NR_tgkill 131
#define NAP__NR_uname 160
#define NAP__NR_wait4 260
#define NAP__NR_write 64

/* bytes of struct epoll_event */
#define NAP__EPOLL_EVENT_SIZE 16

static inline long nap__syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long a7 asm("a7") = nr;
	register long a0 asm("a0") = a;
	register long a1 asm("a1") = b;
	register long a2 asm("a2") = c;
	register long a3 asm("a3") = d;
	register long a4 asm("a4") = e;
	register long a5 asm("a5") = f;

	asm volatile("ecall"
		     : "+r" (a0)
		     : "r" (a7), "r" (a1), "r" (a2), "r" (a3), "r" (a4), "r" (a5)
		     : "memory");
	return a0;
}

#endif /* NAP_ARCH_SYSCALL_H */
