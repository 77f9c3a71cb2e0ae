/* SPDX-License-Identifier: MIT */
#include "bare_libc.h"

#include "atomic.h"
#include "linux/file.h"
#include "os.h"
#include "syscall.h"

#define SIGCHLD		17
#define SA_RESTORER	0x04000000ul
#define PR_GET_NAME	16
#define PF_EXITING	4u

static char **environment;
static int threads_at_first, nr_pthreads;

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

/* ---- signals ---- */

#ifdef __x86_64__
/* The only machine whose kernel has no such code of its own: rt_sigreturn. */
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
	/* no restorer there: the mask follows the flags */
	__builtin_memcpy(&with.restorer, &act->sa_mask, sizeof(act->sa_mask));
#endif
	return (int)nap__syscall4(NAP__NR_rt_sigaction, signal, (long)&with, 0, sizeof(sigset_t));
}

int kill(pid_t pid, int signal)
{
	return (int)nap__syscall2(NAP__NR_kill, pid, signal);
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return (int)nap__syscall4(NAP__NR_rt_sigprocmask, how, (long)set, (long)old, sizeof(*set));
}

/* ---- threads ---- */

struct bare_pthread {
	struct nap_bare_thread *thread;
	uint32_t tid;		/* A: 0 until it runs */
	void *(*run)(void *);
	void *arg, *result;
};

static __thread struct bare_pthread *self;

static void run_pthread(void *arg)
{
	self = arg;
	nap_store_relaxed(&self->tid, (uint32_t)nap__syscall0(NAP__NR_gettid));
	self->result = self->run(self->arg);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	struct bare_pthread *new = malloc(sizeof(*new));

	*new = (struct bare_pthread){ .run = run, .arg = arg };
	/* before it is seen */
	*thread = new;
	nap_fetch_add_relaxed((uint32_t *)&nr_pthreads, 1);
	if (nap_bare_thread_start(&new->thread, attr ? attr->stack_size : 0, run_pthread, new))
		abort();
	return 0;
}

int pthread_join(pthread_t thread, void **result)
{
	nap_bare_thread_join(thread->thread);
	nap_fetch_sub_relaxed((uint32_t *)&nr_pthreads, 1);
	if (result)
		*result = thread->result;
	free(thread);
	return 0;
}

int pthread_kill(pthread_t thread, int signal)
{
	uint32_t tid;

	while (!(tid = nap_load_relaxed(&thread->tid)))
		sched_yield();
	return (int)nap__syscall3(NAP__NR_tgkill, getpid(), tid, signal);
}

pthread_t pthread_self(void)
{
	return self;
}

int pthread_attr_init(pthread_attr_t *attr)
{
	attr->stack_size = 0;
	return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
	attr->stack_size = size;
	return 0;
}

/* What is left of it here; the rest is a few frames. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr)
{
	(void)thread;
	attr->stack_size = 2 * ((uintptr_t)__builtin_frame_address(0) - nap__os_stack_half());
	return 0;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, size_t *size)
{
	*stack = NULL;
	*size = attr->stack_size;
	return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr)
{
	(void)attr;
	return 0;
}

int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
	(void)thread;
	(void)size;	/* 16, as the kernel has it */
	return (int)nap__syscall2(NAP__NR_prctl, PR_GET_NAME, (long)name);
}

/*
 * Whether the kernel has begun to end that thread: then it may have been joined already. The flags
 * are the seventh word behind the name, which is in parentheses.
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

/* The entries of /proc/self/task but "." and "..", and but those that exit. */
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
	return count_threads() - threads_at_first - nr_pthreads;
}
