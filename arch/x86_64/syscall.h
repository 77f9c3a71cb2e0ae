/* SPDX-License-Identifier: MIT */
/*
 * System calls of Linux on x86-64: number in rax, arguments in rdi, rsi, rdx, r10, r8 and r9, the
 * result in rax. The instruction syscall overwrites rcx (with the return address) and r11 (with the
 * flags).
 *
 * nap__syscall6() returns the kernel's answer: a negative errno when the call failed.
 */
#ifndef NAP_ARCH_SYSCALL_H
#define NAP_ARCH_SYSCALL_H

#define NAP__NR_arch_prctl 158
#define NAP__NR_clock_gettime 228
#define NAP__NR_clone 56
#define NAP__NR_close 3
#define NAP__NR_dup3 292
#define NAP__NR_epoll_create1 291
#define NAP__NR_epoll_ctl 233
#define NAP__NR_epoll_pwait 281
#define NAP__NR_epoll_pwait2 441
#define NAP__NR_eventfd2 290
#define NAP__NR_execve 59
#define NAP__NR_exit 60
#define NAP__NR_exit_group 231
#define NAP__NR_fcntl 72
#define NAP__NR_futex 202
#define NAP__NR_getdents64 217
#define NAP__NR_getcpu 309
#define NAP__NR_get_mempolicy 239
#define NAP__NR_getpid 39
#define NAP__NR_getpriority 140
#define NAP__NR_gettid 186
#define NAP__NR_ioctl 16
#define NAP__NR_kill 62
#define NAP__NR_madvise 28
#define NAP__NR_membarrier 324
#define NAP__NR_mincore 27
#define NAP__NR_mkdirat 258
#define NAP__NR_mmap 9
#define NAP__NR_mount 165
#define NAP__NR_mprotect 10
#define NAP__NR_munmap 11
#define NAP__NR_nanosleep 35
#define NAP__NR_openat 257
#define NAP__NR_pipe2 293
#define NAP__NR_ppoll 271
#define NAP__NR_pread64 17
#define NAP__NR_prctl 157
#define NAP__NR_prlimit64 302
#define NAP__NR_process_vm_readv 310
#define NAP__NR_read 0
#define NAP__NR_readlinkat 267
#define NAP__NR_reboot 169
#define NAP__NR_rt_sigaction 13
#define NAP__NR_rt_sigprocmask 14
#define NAP__NR_sched_getaffinity 204
#define NAP__NR_sched_getparam 143
#define NAP__NR_sched_getscheduler 145
#define NAP__NR_sched_setaffinity 203
#define NAP__NR_sched_setscheduler 144
#define NAP__NR_sched_yield 24
#define NAP__NR_set_mempolicy 238
#define NAP__NR_setpriority 141
#define NAP__NR_sync 162
#define NAP__NR_tgkill 234
#define NAP__NR_uname 63
#define NAP__NR_wait4 61
#define NAP__NR_write 1

/* bytes of struct epoll_event, which is packed on x86-64 only */
#define NAP__EPOLL_EVENT_SIZE 12

static inline long nap__syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	register long r9 asm("r9") = f;

	asm volatile("syscall"
		     : "+a" (nr)
		     : "D" (a), "S" (b), "d" (c), "r" (r10), "r" (r8), "r" (r9)
		     : "rcx", "r11", "cc", "memory");
	return nr;
}

#endif /* NAP_ARCH_SYSCALL_H */
