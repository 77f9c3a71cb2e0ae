/* SPDX-License-Identifier: MIT */
/*
 * As much of a libc as the tests use when they run on the bare library. The headers that bare.mk
 * makes all include this header; the functions are in libc.c, memory.c and print.c. Nothing of nap
 * is here.
 */
#ifndef NAP_TESTS_BARE_LIBC_H
#define NAP_TESTS_BARE_LIBC_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <nap/bare.h>

typedef int pid_t;

/* limits.h, inttypes.h */
#define INT_MAX __INT_MAX__
#define UINT_MAX (__INT_MAX__ * 2u + 1u)
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (__LONG_MAX__ * 2ul + 1ul)
#define PRIx64 "lx"

/* memory.c */
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *aligned_alloc(size_t align, size_t size);
void free(void *mem);

/* print.c knows %s %c %d %u %x %p with l, z and #, and %%. */
#define stdout 1
#define stderr 2
int vsnprintf(char *to, size_t size, const char *fmt, va_list args);
int snprintf(char *to, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int fprintf(int fd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define dprintf fprintf
static inline void fflush(int fd)
{
	(void)fd;	/* nothing is buffered */
}

/* libc.c: processes */
_Noreturn void abort(void);
_Noreturn void _exit(int code);
#define exit(code) _exit(code)
#define quick_exit(code) _exit(code)
pid_t fork(void);
pid_t bare_fork_untold(void);	/* forks without telling nap */
pid_t getpid(void);
#define WNOHANG 1
pid_t waitpid(pid_t pid, int *status, int options);
#define WIFEXITED(status)	(((status) & 0x7f) == 0)
#define WEXITSTATUS(status)	((status) >> 8 & 0xff)
#define WIFSIGNALED(status)	(!WIFEXITED(status))
#define WTERMSIG(status)	((status) & 0x7f)
char *getenv(const char *name);
unsigned long strtoul(const char *str, char **end, int base);
void sched_yield(void);
void usleep(unsigned long us);
int pipe(int fds[2]);
ptrdiff_t read(int fd, void *buf, size_t size);
ptrdiff_t write(int fd, const void *buf, size_t size);

/* libc.c: signals */
#define SIGINT	2
#define SIGABRT	6
#define SIGKILL	9
#define SIGUSR1	10
#define SIGSEGV	11
#define SIGALRM	14
#define SIGTERM	15
#define SIG_SETMASK 2
typedef struct {
	uint64_t bits;
} sigset_t;
struct sigaction {
	void (*sa_handler)(int signal);
	unsigned long flags;
	void (*restorer)(void);
	sigset_t sa_mask;
};
int sigaction(int signal, const struct sigaction *act, struct sigaction *old);
void signal(int number, void (*handler)(int));
unsigned int alarm(unsigned int seconds);
int kill(pid_t pid, int signal);
static inline int sigismember(const sigset_t *set, int signal)
{
	return set->bits >> (signal - 1) & 1;
}

/* threads.c */
typedef struct bare_pthread *pthread_t;
typedef struct {
	size_t stack_size;
} pthread_attr_t;
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int pthread_join(pthread_t thread, void **result);
int pthread_kill(pthread_t thread, int signal);
pthread_t pthread_self(void);
int pthread_attr_init(pthread_attr_t *attr);
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);
int pthread_getattr_np(pthread_t self, pthread_attr_t *attr);
int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, size_t *size);
int pthread_attr_destroy(pthread_attr_t *attr);
int pthread_getname_np(pthread_t self, char *name, size_t size);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
typedef struct {
	uint32_t taken;
} pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER { 0 }
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
typedef struct {
	uint32_t n, arrived, rounds;
} pthread_barrier_t;
int pthread_barrier_init(pthread_barrier_t *barrier, const void *attr, unsigned int n);
int pthread_barrier_wait(pthread_barrier_t *barrier);
int bare_count_pthreads(void);

/* Counts the threads except those of pthread_create() and those that the process began with. */
int bare_count_workers(void);

/* Returns how much memory this process has mapped. */
long bare_mapped_kib(void);

/*
 * bare_libc_init() keeps the environment for getenv(). bare_libc_count_threads() notes how many
 * threads the process began with; bare_count_workers() does not count these.
 */
void bare_libc_init(char **envp);
void bare_libc_count_threads(void);

#endif /* NAP_TESTS_BARE_LIBC_H */
