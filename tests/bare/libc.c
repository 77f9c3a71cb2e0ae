/* SPDX-License-Identifier: MIT */
#include "bare_libc.h"

#include "arch/atomic.h"
#include "arch/syscall.h"
#include "os/linux/file.h"
#include "os/os.h"

#define SIGCHLD		17
#define SA_RESTORER	0x04000000ul
#define PF_EXITING	4u
#ifdef __x86_64__
#define NR_SETITIMER	38
#define NR_PIPE2	293
#else
#define NR_SETITIMER	103
#define NR_PIPE2	59
#endif

static char **environment;
static int threads_at_first;

void bare_libc_init(char **envp)
{
	environment = envp;
}

char *getenv(const char *name)
{
	size_t len = strlen(name);

	for (char **e = environment; *e; e++)
		if (!strncmp(*e, name, len) && (*e)[len] == '=')
			return *e + len + 1;
	return NULL;
}

unsigned long strtoul(const char *str, char **end, int base)
{
	unsigned long n = 0;

	(void)end;
	for (; *str >= '0' && *str <= '9'; str++)
		n = n * (unsigned int)base + (unsigned long)(*str - '0');
	return n;
}

/* ---- processes ---- */

void _exit(int code)
{
	nap_bare_exit(code);
	__builtin_unreachable();
}

pid_t getpid(void)
{
	return (pid_t)nap__syscall0(NAP__NR_getpid);
}

void abort(void)
{
	kill(getpid(), SIGABRT);
	_exit(134);
}

pid_t bare_fork_untold(void)
{
	return (pid_t)nap__syscall5(NAP__NR_clone, SIGCHLD, 0, 0, 0, 0);
}

pid_t fork(void)
{
	pid_t pid = bare_fork_untold();

	if (pid == 0)
		nap_bare_forked();
	return pid;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return (pid_t)nap__syscall4(NAP__NR_wait4, pid, (long)status, options, 0);
}

void sched_yield(void)
{
	nap__syscall0(NAP__NR_sched_yield);
}

void usleep(unsigned long us)
{
	int64_t time[2] = { (int64_t)(us / 1000000), (int64_t)(us % 1000000 * 1000) };

	nap__syscall2(NAP__NR_nanosleep, (long)time, 0);
}

int pipe(int fds[2])
{
	return (int)nap__syscall2(NR_PIPE2, (long)fds, 0);
}

ptrdiff_t read(int fd, void *buf, size_t size)
{
	return file_read(fd, buf, size);
}

ptrdiff_t write(int fd, const void *buf, size_t size)
{
	return nap__syscall3(NAP__NR_write, fd, (long)buf, (long)size);
}

/* ---- signals ---- */

#ifdef __x86_64__
/* x86 is the only machine whose kernel has no code of its own for rt_sigreturn. */
void bare_restore_signal(void);
__asm__(".text\nbare_restore_signal:\n\tmovl $15, %eax\n\tsyscall\n");
#endif

int sigaction(int signal, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction with = *act;

	(void)old;
#ifdef __x86_64__
	with.flags |= SA_RESTORER;
	with.restorer = bare_restore_signal;
#elif !defined(__aarch64__)
	/* the kernel's structure has no restorer on this machine: the mask follows the flags */
	__builtin_memcpy(&with.restorer, &act->sa_mask, sizeof(act->sa_mask));
#endif
	return (int)nap__syscall4(NAP__NR_rt_sigaction, signal, (long)&with, 0, sizeof(sigset_t));
}

void signal(int number, void (*handler)(int))
{
	struct sigaction act = { .sa_handler = handler };

	sigaction(number, &act, NULL);
}

/* Does not return the remaining seconds of an earlier alarm: no test asks for them. */
unsigned int alarm(unsigned int seconds)
{
	long timer[4] = { 0, 0, (long)seconds, 0 };

	nap__syscall3(NR_SETITIMER, 0, (long)timer, 0);
	return 0;
}

int kill(pid_t pid, int signal)
{
	return (int)nap__syscall2(NAP__NR_kill, pid, signal);
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return (int)nap__syscall4(NAP__NR_rt_sigprocmask, how, (long)set, (long)old, sizeof(*set));
}

/* ---- threads and memory of the process ---- */

/*
 * Whether the kernel has begun to end the thread @tid, which may have been joined already. In the
 * text of /proc the flags are the seventh word after the name, which is in parentheses.
 */
static bool exits(const char *tid)
{
	char text[512], path[64], *at;
	int fd;
	long got;

	snprintf(path, sizeof(path), "/proc/self/task/%s/stat", tid);
	fd = file_open(path);
	got = file_read(fd, text, sizeof(text) - 1);
	file_close(fd);
	if (got <= 0)
		return true;
	text[got] = '\0';
	at = strrchr(text, ')');
	for (int i = 0; i < 7; i++)
		at = strchr(at, ' ') + 1;
	return strtoul(at, NULL, 10) & PF_EXITING;
}

/* Counts the entries of /proc/self/task without "." and "..", and without threads that exit. */
static int count_threads(void)
{
	struct entry {
		uint64_t ino;
		int64_t off;
		uint16_t len;
		uint8_t type;
		char name[];
	};
	char buf[4096] __attribute__((aligned(8)));
	int fd = file_open("/proc/self/task");
	long got;
	int n = 0;

	while ((got = nap__syscall3(NAP__NR_getdents64, fd, (long)buf, sizeof(buf))) > 0)
		for (long at = 0; at < got; at += ((struct entry *)(buf + at))->len)
			n += ((struct entry *)(buf + at))->name[0] != '.' &&
			     !exits(((struct entry *)(buf + at))->name);
	file_close(fd);
	return n;
}

void bare_libc_count_threads(void)
{
	threads_at_first = count_threads();
}

int bare_count_workers(void)
{
	return count_threads() - threads_at_first - bare_count_pthreads();
}

/* The first number of /proc/self/statm is in pages. */
long bare_mapped_kib(void)
{
	char text[100] = "";
	int fd = file_open("/proc/self/statm");

	if (file_read(fd, text, sizeof(text) - 1) <= 0)
		abort();
	file_close(fd);
	return (long)strtoul(text, NULL, 10) * 4;
}
