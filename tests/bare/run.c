/* SPDX-License-Identifier: MIT */
/* Runs every test of the program with each of its variants, and prints KTAP. */
#include <nap/bare.h>

#include "harness.h"

/* Links every idle protocol, because the tests try them all. */
NAP_BARE_IDLE_GO;
NAP_BARE_IDLE_JEC;
NAP_BARE_COUNT_CPUS;

#define SKIPPED 77	/* exit code of a test's process */
#define POLL_US 1000

extern struct __test_metadata *const __start_bare_tests[] __attribute__((visibility("hidden")));
extern struct __test_metadata *const __stop_bare_tests[] __attribute__((visibility("hidden")));
/* weak, because a program without variants has no such section */
extern const struct bare_variant *const __start_bare_variants[]
	__attribute__((weak, visibility("hidden")));
extern const struct bare_variant *const __stop_bare_variants[]
	__attribute__((weak, visibility("hidden")));

static int nr, nr_failed;
static char full_name[200];

void bare_log(struct __test_metadata *test, const char *file, int line, const char *fmt, ...)
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
	bare_libc_count_threads();
	test->run(test, data);
	/* The child prints the line because it knows the reason; the parent counts the skip. */
	if (test->passed && test->skipped)
		printf("ok %d # SKIP %s: %s\n", nr + 1, full_name, test->skipped);
	_exit(!test->passed ? 1 : test->skipped ? SKIPPED : 0);
}

/* Returns the child's status. A child whose time is over is killed first. */
static int wait_for(pid_t pid, unsigned int seconds)
{
	uint64_t polls = (uint64_t)seconds * NAP_TEST_SCALE * (1000000 / POLL_US);
	int status;

	for (uint64_t i = 0; i < polls; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(POLL_US);
	}
	printf("# %s: timed out after %u s\n", full_name, seconds * NAP_TEST_SCALE);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return status;
}

static void run_test(struct __test_metadata *test, const struct bare_variant *variant)
{
	int status;
	pid_t pid;

	snprintf(full_name, sizeof(full_name), "%s%s%s.%s", test->fixture ? test->fixture : "global",
		 variant ? "." : "", variant ? variant->name : "", test->name);
	printf("#  RUN           %s ...\n", full_name);
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
		printf("# %s: killed by signal %d\n", full_name, WTERMSIG(status));
	nr_failed += status != 0;
	printf("%s %d %s\n", status ? "not ok" : "ok", nr, full_name);
}

/* Counts the runs of @test (one for each variant); with @run, also runs the test. */
static int each_variant(struct __test_metadata *test, bool run)
{
	int n = 0;

	for (const struct bare_variant *const *v = __start_bare_variants;
	     test->fixture && v != __stop_bare_variants; v++) {
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

int bare_run_tests(void)
{
	int planned = 0;

	for (struct __test_metadata *const *test = __start_bare_tests; test != __stop_bare_tests; test++)
		planned += each_variant(*test, false);
	printf("TAP version 13\n1..%d\n", planned);
	for (struct __test_metadata *const *test = __start_bare_tests; test != __stop_bare_tests; test++)
		each_variant(*test, true);
	printf("# Totals: pass:%d fail:%d\n", nr - nr_failed, nr_failed);
	return nr_failed != 0;
}
