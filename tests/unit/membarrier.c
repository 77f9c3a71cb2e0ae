/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose membarrier(2) is no full fence. nap knows such a kernel by its version, and the
 * test makes versions up. The rule is for RISC-V, but every machine tests it: linked with a
 * src/os/linux/membarrier.c of its own.
 */
#include <string.h>

#include "arch/syscall.h"
#include "os/linux/release.h"
#include "os/os.h"
#include "fork/ask.h"
#include "../../arch/riscv64/membarrier.h"
#include "fib.h"
#include "jobs_fixture.h"
#include "wrap.h"

/* linux/membarrier.h */
#define MEMBARRIER_CMD_QUERY			0
#define MEMBARRIER_CMD_PRIVATE_EXPEDITED	(1 << 3)

static const char *made_up;	/* NULL: uname(2) fails */

WRAP(bool, nap__os_release, (char release[RELEASE_SIZE]))
{
	if (made_up)
		memcpy(release, made_up, strlen(made_up) + 1);
	return made_up;
}

static const struct {
	const char *release;
	bool holds;
} riscv64[] = {
	{ "5.15.0", false },
	{ "6.1.0-44-riscv64", false },
	{ "6.1.176", false },
	{ "6.5.99", false },
	{ "6.6", false },
	{ "6.6.0-57-generic", false },
	{ "6.6.9", false },
	{ "6.6.50", false },
	{ "6.6.51", true },
	{ "6.6.51-rc1", true },
	{ "6.6.101+deb", true },
	{ "6.7.0", false },
	{ "6.7.99", false },
	{ "6.8.12-riscv64", false },
	{ "6.8.0-rc7-00123-g0123456789ab", false },
	{ "6.9.0-rc1", true },
	{ "6.9-rc1", true },
	{ "6.9", true },
	{ "6.10.0", true },
	{ "6.10-rc3", true },
	{ "6.12.90+deb13-riscv64", true },
	{ "6.18.44", true },
	{ "7.0.0-rc1", true },
	{ "7", true },
	{ "10.0.0", true },
	{ "1048575.1048575.1048575", true },
	{ "6.6.1048575", true },
	/* these texts are no version of a kernel */
	{ "", false },
	{ "linux", false },
	{ "v6.12.0", false },
	{ " 6.12.0", false },
	{ "-6.12.0", false },
	{ ".6.12", false },
	{ "6", false },
	{ "6.", false },
	{ "6..12", false },
	{ "6.x", false },
	{ "6,9", false },
	{ "1048576.0.0", false },
	{ "6.1048576.0", false },
	{ "6.6.1048576", false },
	{ "99999999999999999999999999999999999999999999999999999999999999", false },
	{ "6.99999999999999999999999999999999999999999999999999999999999", false },
	{ "6.6.4294967347", false },
	{ "6.6.18446744073709551667", false },
};

TEST(the_kernels_of_risc_v)
{
	for (unsigned i = 0; i < sizeof(riscv64) / sizeof(*riscv64); i++) {
		const char *release = riscv64[i].release;
		bool holds = nap__release_is_of(release, NAP__MEMBARRIER_SINCE);

		EXPECT_STREQ(holds == riscv64[i].holds ? "" : release, "");
	}
}

TEST(lists_of_kernels)
{
	EXPECT_TRUE(nap__release_is_of("", "0"));
	EXPECT_TRUE(nap__release_is_of("linux", "0"));
	EXPECT_TRUE(nap__release_is_of("6.9", "0"));
	EXPECT_FALSE(nap__release_is_of("6.9", "never"));
	EXPECT_FALSE(nap__release_is_of("6.9", ""));
	EXPECT_FALSE(nap__release_is_of("7.0", "6.1.90,never"));
	EXPECT_TRUE(nap__release_is_of("6.1.90", "6.1.90,never"));
	EXPECT_TRUE(nap__release_is_of("6.1.91", "5.10.7,6.1.90,6.9"));
	EXPECT_TRUE(nap__release_is_of("5.10.7", "5.10.7,6.1.90,6.9"));
	EXPECT_FALSE(nap__release_is_of("5.11.0", "5.10.7,6.1.90,6.9"));
	EXPECT_FALSE(nap__release_is_of("6.1.89", "5.10.7,6.1.90,6.9"));
	EXPECT_TRUE(nap__release_is_of("6.9.0", "5.10.7,6.1.90,6.9"));
	EXPECT_TRUE(nap__release_is_of("6.2.0", "6.1.90"));
	EXPECT_TRUE(nap__release_is_of("7.0", "6.9 and later"));
}

static bool kernel_has_membarrier(void)
{
	long commands = nap__syscall2(NAP__NR_membarrier, MEMBARRIER_CMD_QUERY, 0);

	return commands >= 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

/*
 * The process registers for membarrier when it is loaded, because later the registration would add
 * milliseconds to a fork. No pool has been used in this process yet.
 */
TEST(the_process_is_registered_when_it_is_loaded)
{
	if (!kernel_has_membarrier())
		SKIP(return, "this kernel has no membarrier");
	EXPECT_EQ(0, nap__syscall2(NAP__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0));
}

static struct nap_pool pool;
static long result;

static void fib_of_18(struct nap_worker *worker)
{
	result = fib(worker, nap_top(worker), 18);
}

static void use_pool(struct __test_metadata *_metadata, const char *release, uint32_t forks)
{
	made_up = release;
	watchdog(&pool, 0);
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4 }), 0);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(run_on_worker(&pool, fib_of_18), 0);
		EXPECT_EQ(result, 2584);
	}
	EXPECT_EQ(pool.forks, forks);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(forks_are_fenced_on_an_older_kernel)
{
	use_pool(_metadata, "6.1.0-44-riscv64", FORKS_FENCED);
}

TEST(forks_are_fenced_where_the_kernel_does_not_say)
{
	use_pool(_metadata, NULL, FORKS_FENCED);
}

#ifndef NAP_DEBUG
TEST(a_newer_kernel_needs_no_fences_unless_it_has_no_membarrier)
{
	use_pool(_metadata, "6.12.90+deb13-riscv64",
		 kernel_has_membarrier() ? FORKS_SPLIT : FORKS_FENCED);
}
#endif

TEST(the_release_is_the_systems)
{
	char release[RELEASE_SIZE] = "";
	const char *at = release;

	ASSERT_TRUE(__real_nap__os_release(release));
	EXPECT_TRUE(*at >= '1' && *at <= '9');
	EXPECT_TRUE(nap__release_is_of(release, "2.6"));
	EXPECT_FALSE(nap__release_is_of(release, "1000"));
}

TEST_HARNESS_MAIN
