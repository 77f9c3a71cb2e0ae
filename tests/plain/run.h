/* SPDX-License-Identifier: MIT */
/*
 * Runs every test of the program with each of its variants, or those that the arguments name, and
 * prints KTAP. The file that includes this one has macros.h, stdio, fork() and so on, and
 *
 *	plain_child()		what a test's process begins with
 *	plain_kill(pid)		kills it
 *	plain_slower()		by how much tests are slower than natively
 */

#define SKIPPED 77	/* exit code of a test's process */
#define POLL_US 1000

extern struct __test_metadata *const __start_plain_tests[] __attribute__((visibility("hidden")));
extern struct __test_metadata *const __stop_plain_tests[] __attribute__((visibility("hidden")));
/* weak, because a program without variants has no such section */
extern const struct plain_variant *const __start_plain_variants[]
	__attribute__((weak, visibility("hidden")));
extern const struct plain_variant *const __stop_plain_variants[]
	__attribute__((weak, visibility("hidden")));

static int nr, nr_failed;
static char full_name[200];

void plain_log(struct __test_metadata *test, const char *file, int line, const char *fmt, ...)
{
	char what[700];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	fprintf(stderr, "# %s:%d:%s:%s\n", file, line, test->name, what);
}

static _Noreturn void child(struct __test_metadata *test, const void *data)
{
	plain_child();
	test->run(test, data);
	/* The child prints the line because it knows the reason; the parent counts the skip. */
	if (test->passed && test->skipped)
		printf("ok %d # SKIP %s: %s\n", nr + 1, full_name, test->skipped);
	fflush(stdout);
	_exit(!test->passed ? 1 : test->skipped ? SKIPPED : 0);
}

/* Returns the child's status. A child whose time is over is killed first. */
static int wait_for(pid_t pid, unsigned int seconds)
{
	uint64_t polls = (uint64_t)seconds * plain_slower() * (1000000 / POLL_US);
	int status;

	for (uint64_t i = 0; i < polls; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(POLL_US);
	}
	printf("# %s: Test terminated by timeout after %u s\n", full_name,
	       seconds * plain_slower());
	plain_kill(pid);
	waitpid(pid, &status, 0);
	return status;
}

static void run_test(struct __test_metadata *test, const struct plain_variant *variant)
{
	int status;
	pid_t pid;

	snprintf(full_name, sizeof(full_name), "%s%s%s.%s",
		 test->fixture ? test->fixture : "global", variant ? "." : "",
		 variant ? variant->name : "", test->name);
	printf("#  RUN           %s ...\n", full_name);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0)
		child(test, variant ? variant->data : NULL);
	status = wait_for(pid, test->timeout);
	nr++;
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
		return;
	if (WIFSIGNALED(status))
		printf("# %s: Test terminated unexpectedly by signal %d\n", full_name,
		       WTERMSIG(status));
	nr_failed += status != 0;
	printf("%s %d %s\n", status ? "not ok" : "ok", nr, full_name);
}

/* Counts the runs of @test (one for each variant); with @run, also runs the test. */
static int each_variant(struct __test_metadata *test, bool run)
{
	int n = 0;

	for (const struct plain_variant *const *v = __start_plain_variants;
	     test->fixture && v != __stop_plain_variants; v++) {
		if (strcmp((*v)->fixture, test->fixture))
			continue;
		n++;
		if (run)
			run_test(test, *v);
	}
	if (n)
		return n;
	if (run)
		run_test(test, NULL);
	return 1;
}

/* Whether the arguments name the test, or no test at all. */
static bool is_wanted(const struct __test_metadata *test, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], test->name))
			return true;
	return argc < 2;
}

int plain_run_tests(int argc, char **argv)
{
	int planned = 0;

	for (struct __test_metadata *const *test = __start_plain_tests; test != __stop_plain_tests;
	     test++)
		if (is_wanted(*test, argc, argv))
			planned += each_variant(*test, false);
	if (!planned) {
		fprintf(stderr, "%s: no such test\n", argv[0]);
		return 2;
	}
	printf("TAP version 13\n1..%d\n", planned);
	for (struct __test_metadata *const *test = __start_plain_tests; test != __stop_plain_tests;
	     test++)
		if (is_wanted(*test, argc, argv))
			each_variant(*test, true);
	printf("# Totals: pass:%d fail:%d\n", nr - nr_failed, nr_failed);
	return nr_failed != 0;
}
