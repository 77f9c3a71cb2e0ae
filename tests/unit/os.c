/* SPDX-License-Identifier: MIT */
/*
 * The system behind src/os/os.h and src/arch/syscall.h: its answers, and what nap does when a
 * call is refused.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "arch/syscall.h"
#include "os/os.h"
#include "pool_fixture.h"
#include "wrap.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

/* What wrapped functions answer; 0: what the system answers. */
static int attr_init_err;
static long least_stack;
static uint32_t affinity_cpus, online_cpus;

WRAP(int, pthread_attr_init, (pthread_attr_t *attr))
{
	return attr_init_err ? attr_init_err : __real_pthread_attr_init(attr);
}

WRAP(long, sysconf, (int name))
{
	if (name == _SC_THREAD_STACK_MIN && least_stack)
		return least_stack;
	return __real_sysconf(name);
}

WRAP(uint32_t, nap__os_affinity_cpus, (void))
{
	return affinity_cpus;
}

WRAP(uint32_t, nap__os_online_cpus, (const char *root))
{
	return *root ? 0 : online_cpus;
}

/* The tests in this file count CPUs without the machine's quota. */
WRAP(uint32_t, nap__os_quota_cpus, (const char *root))
{
	(void)root;
	return UINT32_MAX;
}

TEST(where_the_mask_cannot_be_read_the_cpus_online_count)
{
	online_cpus = 7;
	EXPECT_EQ(nap__os_cpu_count(NULL, 0), 7);
	online_cpus = 0;
	EXPECT_EQ(nap__os_cpu_count(NULL, 0), 1);
	affinity_cpus = 3;
	EXPECT_EQ(nap__os_cpu_count(NULL, 0), 3);
}

TEST(a_thread_whose_attributes_are_refused_is_a_failed_start)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_pool_stats stats;

	attr_init_err = ENOMEM;
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), -ENOMEM);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 1);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawned, 0);
	EXPECT_EQ(stats.helped, 1);
	EXPECT_EQ(stats.spawn_last_errno, ENOMEM);
	attr_init_err = 0;
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static size_t stack_size;

static void measure_stack(struct nap_task *task)
{
	pthread_attr_t attr;
	void *stack;

	(void)task;
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &stack, &stack_size);
	pthread_attr_destroy(&attr);
}

/* Returns a worker's stack size, rounded down because a libc may add a page for itself. */
static size_t stack_for(size_t asked)
{
	struct nap_task task = NAP_TASK_INIT(measure_stack);

	stack_size = 0;
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1, .stack_size = asked }) ||
	    nap_schedule(&pool, &task) || nap_pool_join(&pool, NULL))
		abort();
	return stack_size & ~(size_t)0xffff;
}

TEST(a_stack_is_raised_to_what_the_system_needs)
{
	size_t size = 1 << 20;

	EXPECT_EQ(stack_for(size), size);
	least_stack = 3 << 20;
	EXPECT_EQ(stack_for(size), 3u << 20);
	least_stack = -1;
	EXPECT_EQ(stack_for(size), size);
}

/* musl's default is only 128 KiB. The test sets a small default on every libc. */
TEST(a_default_stack_is_1_mib_at_least)
{
	size_t little = 512 << 10, usual = 2 << 20;
	pthread_attr_t attr;

	ASSERT_EQ(pthread_attr_init(&attr), 0);
	ASSERT_EQ(pthread_attr_setstacksize(&attr, little), 0);
	ASSERT_EQ(pthread_setattr_default_np(&attr), 0);
	/*
	 * The small sizes come first, because a libc may keep a stack for a later thread that wants
	 * a smaller one.
	 */
	EXPECT_LT(stack_for(little), 1u << 20);
	EXPECT_EQ(stack_for(0), 1u << 20);
	ASSERT_EQ(pthread_attr_setstacksize(&attr, usual), 0);
	ASSERT_EQ(pthread_setattr_default_np(&attr), 0);
	EXPECT_EQ(stack_for(0), usual);
}

TEST(memory_that_there_is_not)
{
	char *mem = nap__os_map(4096);

	ASSERT_NE(mem, NULL);
	EXPECT_EQ(mem[0] | mem[4095], 0);
	nap__os_unmap(mem, 4096);
	EXPECT_EQ(nap__os_map((size_t)1 << 62), NULL);
}

/* One system call for each number of arguments; its result depends on the last argument. */
/* A text that does not fit ends with a whole line. */
TEST(a_text_of_mappings_ends_with_a_line)
{
	static char buf[4096];

	for (size_t size = 0; size < sizeof(buf); size += 13) {
		size_t length = nap__os_mappings(buf, size);

		EXPECT_LE(length, size);
		EXPECT_TRUE(!length || buf[length - 1] == '\n');
	}
	EXPECT_GT(nap__os_mappings(buf, sizeof(buf)), 0);
}

TEST(system_calls_pass_every_argument)
{
	char name[16] = "";
	int fds[2];

	ASSERT_EQ(nap__syscall2(SYS_pipe2, (long)fds, 0), 0);
	EXPECT_EQ(nap__syscall3(SYS_write, fds[1], (long)"abc", 3), 3);
	EXPECT_EQ(nap__syscall1(SYS_close, fds[1]), 0);
	EXPECT_EQ(nap__syscall1(SYS_close, fds[1]), -EBADF);
	EXPECT_EQ(nap__syscall4(SYS_pread64, fds[0], (long)name, 1, 0), -ESPIPE);
	EXPECT_EQ(nap__syscall3(SYS_read, fds[0], (long)name, sizeof(name)), 3);
	EXPECT_STREQ(name, "abc");
	close(fds[0]);
	ASSERT_GE(fds[0] = (int)nap__syscall2(SYS_memfd_create, (long)"nap", 0), 0);
	EXPECT_EQ(nap__syscall4(SYS_pwrite64, fds[0], (long)"x", 1, 9), 1);
	EXPECT_EQ(lseek(fds[0], 0, SEEK_END), 10);
	close(fds[0]);
	EXPECT_EQ(nap__syscall5(SYS_prctl, PR_SET_NAME, (long)"named", 0, 0, 0), 0);
	prctl(PR_GET_NAME, name);
	EXPECT_STREQ(name, "named");
	/* The kernel refuses this call unless the last three arguments are 0. */
	EXPECT_EQ(nap__syscall5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 7), -EINVAL);
}

/* A test asks for this name. Of a wrapped name that is weak, GNU ld 2.40 dies (SIGSEGV). */
void a_function_of_this_program(void);
void a_function_of_this_program(void)
{
}

/* A program that has closed stdin gets the number 0 for the files that are read here. */
TEST(files_with_the_number_0)
{
	static char maps[1 << 16];
	struct nap__symbol symbol;

	close(STDIN_FILENO);
	nap__os_symbol((uintptr_t)a_function_of_this_program, &symbol);
	EXPECT_STREQ(symbol.name, "a_function_of_this_program");
	EXPECT_EQ(symbol.behind, 0);
	EXPECT_GT(nap__os_mappings(maps, sizeof(maps)), 0);
	EXPECT_NE(strstr(maps, symbol.file), NULL);
}

/* Not even a program that has closed its standard streams writes into the file by accident. */
TEST(a_new_file_is_only_this_users_and_no_standard_stream)
{
	char path[] = "/tmp/nap-os-XXXXXX";
	struct stat st;
	int fd;

	ASSERT_GE(fd = mkstemp(path), 0);
	close(fd);
	EXPECT_EQ(nap__os_create(path), -EEXIST);
	for (int first = STDIN_FILENO; first <= STDERR_FILENO; first++) {
		int kept[] = { dup(STDIN_FILENO), dup(STDOUT_FILENO), dup(STDERR_FILENO) };

		unlink(path);
		for (int i = first; i <= STDERR_FILENO; i++)
			close(i);
		fd = nap__os_create(path);
		EXPECT_EQ(fcntl(first, F_GETFD), -1);
		for (int i = 0; i <= STDERR_FILENO; i++) {
			dup2(kept[i], i);
			close(kept[i]);
		}
		ASSERT_GT(fd, STDERR_FILENO);
		EXPECT_EQ(fstat(fd, &st), 0);
		EXPECT_EQ(st.st_mode, S_IFREG | 0600);
		EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
		EXPECT_EQ(nap__os_write(fd, "abc", 3), 0);
		close(fd);
	}
	unlink(path);
	ASSERT_GE(fd = nap__os_create(path), 0);
	EXPECT_GT(fd, STDERR_FILENO);
	nap__os_close(fd);
	EXPECT_EQ(fcntl(fd, F_GETFD), -1);
	unlink(path);
}

/*
 * Runs a child that panics for @caller. @line gets the first line of its output, and @status its
 * status.
 */
static void panic_for(void *caller, char *line, size_t size, int *status)
{
	int fds[2];
	pid_t child;
	FILE *said;

	if (pipe(fds))
		abort();
	child = fork();
	if (child == 0) {
		dup2(fds[1], STDERR_FILENO);
		nap__os_panic(caller, "%s %d times", "wrong", 7);
	}
	close(fds[1]);
	said = fdopen(fds[0], "r");
	if (!said || !fgets(line, (int)size, said))
		line[0] = '\0';
	fclose(said);
	waitpid(child, status, 0);
}

/* musl's dladdr() names an exported function that lies before the address, however far. */
#ifdef __GLIBC__
static const bool nearest_is_named;
#else
static const bool nearest_is_named = true;
#endif

/* The message names the file, the function if its name is known, and always the address. */
TEST(the_last_message_says_where)
{
	static const char begin[] = "nap: wrong 7 times, called from ";
	char line[1024], address[64];
	int status;

	panic_for((void *)8, line, sizeof(line), &status);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	EXPECT_STREQ(line, "nap: wrong 7 times, called from [0x8]\n");

	panic_for((void *)panic_for, line, sizeof(line), &status);
	snprintf(address, sizeof(address), ") [%p]\n", (void *)panic_for);
	EXPECT_EQ(strncmp(line, begin, strlen(begin)), 0);
	EXPECT_NE(strstr(line, nearest_is_named ? "os(" : "os(+0x"), NULL);
	EXPECT_NE(strstr(line, address), NULL);

	panic_for(dlsym(RTLD_DEFAULT, "getpid"), line, sizeof(line), &status);
	EXPECT_EQ(strncmp(line, begin, strlen(begin)), 0);
	EXPECT_NE(strstr(line, "getpid+0x0) ["), NULL);
}

TEST_HARNESS_MAIN
