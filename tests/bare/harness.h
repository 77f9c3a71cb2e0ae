/* SPDX-License-Identifier: MIT */
/*
 * The macros of the kernel's kselftest_harness.h for programs without a libc, as far as nap's
 * tests use them, with the same meaning and output (KTAP). Every test runs in a child process of
 * its own, which is killed when the test takes too long. run.c runs the tests.
 *
 * Tests and variants find each other through sections of the program, because there are no
 * constructors.
 */
#ifndef NAP_TESTS_BARE_HARNESS_H
#define NAP_TESTS_BARE_HARNESS_H

/* As in the hosted harness, the compiler must not warn about what the macros expand to. */
#pragma GCC system_header

#include "bare_libc.h"

struct __test_metadata {
	const char *name, *fixture;	/* NULL: no fixture */
	void (*run)(struct __test_metadata *test, const void *variant);
	unsigned int timeout;		/* seconds */
	bool passed;
	const char *skipped;
};

struct bare_variant {
	const char *name, *fixture;
	const void *data;
};

#define BARE_ENTRY(kind) \
	__attribute__((section("bare_" #kind), used, aligned(sizeof(void *))))

int bare_run_tests(void);
void bare_log(struct __test_metadata *test, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Notes the failure; with @fatal ends the test here, otherwise the block after the macro runs. */
static inline bool bare_fail(struct __test_metadata *test, bool fatal)
{
	test->passed = false;
	if (fatal)
		_exit(1);
	return false;
}

#define TH_LOG(...)	bare_log(_metadata, __FILE__, __LINE__, __VA_ARGS__)
#define SKIP(statement, why, ...)						\
	do {									\
		_metadata->skipped = (why);					\
		statement;							\
	} while (0)

#define BARE_CHECK(a, op, b, fatal)						\
	for (bool bare_failed = ({						\
		__typeof__(a) bare_a = (a);					\
		__typeof__(b) bare_b = (b);					\
		bool bare_good = bare_a op bare_b;				\
		if (!bare_good)							\
			TH_LOG("expected %s (%ld) %s %s (%ld)", #a,		\
			       (long)bare_a, #op, #b, (long)bare_b);		\
		!bare_good; }); bare_failed;					\
	     bare_failed = bare_fail(_metadata, fatal))

#define BARE_CHECK_STR(a, b, fatal)						\
	for (bool bare_failed = ({						\
		const char *bare_a = (a), *bare_b = (b);			\
		bool bare_good = !strcmp(bare_a, bare_b);			\
		if (!bare_good)							\
			TH_LOG("expected '%s' == '%s'", bare_a, bare_b);	\
		!bare_good; }); bare_failed;					\
	     bare_failed = bare_fail(_metadata, fatal))

#define EXPECT_EQ(a, b)		BARE_CHECK(a, ==, b, false)
#define EXPECT_NE(a, b)		BARE_CHECK(a, !=, b, false)
#define EXPECT_LT(a, b)		BARE_CHECK(a, <, b, false)
#define EXPECT_LE(a, b)		BARE_CHECK(a, <=, b, false)
#define EXPECT_GT(a, b)		BARE_CHECK(a, >, b, false)
#define EXPECT_GE(a, b)		BARE_CHECK(a, >=, b, false)
#define EXPECT_TRUE(a)		BARE_CHECK(!!(a), ==, true, false)
#define EXPECT_FALSE(a)		BARE_CHECK(!!(a), ==, false, false)
#define EXPECT_NULL(a)		BARE_CHECK((void *)(a), ==, NULL, false)
#define EXPECT_STREQ(a, b)	BARE_CHECK_STR(a, b, false)
#define ASSERT_EQ(a, b)		BARE_CHECK(a, ==, b, true)
#define ASSERT_NE(a, b)		BARE_CHECK(a, !=, b, true)
#define ASSERT_LT(a, b)		BARE_CHECK(a, <, b, true)
#define ASSERT_LE(a, b)		BARE_CHECK(a, <=, b, true)
#define ASSERT_GT(a, b)		BARE_CHECK(a, >, b, true)
#define ASSERT_GE(a, b)		BARE_CHECK(a, >=, b, true)
#define ASSERT_TRUE(a)		BARE_CHECK(!!(a), ==, true, true)
#define ASSERT_FALSE(a)		BARE_CHECK(!!(a), ==, false, true)
#define ASSERT_NULL(a)		BARE_CHECK((void *)(a), ==, NULL, true)
#define ASSERT_STREQ(a, b)	BARE_CHECK_STR(a, b, true)

#define TEST_TIMEOUT_DEFAULT 60
#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

#define TEST(test_name)								\
	static void test_name(struct __test_metadata *_metadata);			\
	static void run_##test_name(struct __test_metadata *test, const void *variant) \
	{									\
		(void)variant;							\
		test_name(test);						\
	}									\
	static struct __test_metadata test_##test_name = {				\
		#test_name, NULL, run_##test_name, TEST_TIMEOUT_DEFAULT, true, NULL };	\
	static struct __test_metadata *const BARE_ENTRY(tests) entry_##test_name =	\
		&test_##test_name;						\
	static void test_name(struct __test_metadata *_metadata __attribute__((unused)))

#define FIXTURE(name)		struct fixture_##name
#define FIXTURE_VARIANT(name)	struct fixture_variant_##name
#define FIXTURE_VARIANT_ADD(name, variant_name)					\
	extern const struct fixture_variant_##name data_##name##_##variant_name; \
	static const struct bare_variant variant_##name##_##variant_name = {	\
		#variant_name, #name, &data_##name##_##variant_name };		\
	static const struct bare_variant *const BARE_ENTRY(variants)		\
		entry_##name##_##variant_name = &variant_##name##_##variant_name; \
	const struct fixture_variant_##name data_##name##_##variant_name =

#define BARE_FIXTURE_ARGS(name)							\
	struct __test_metadata *_metadata __attribute__((unused)),		\
	struct fixture_##name *self __attribute__((unused)),			\
	const struct fixture_variant_##name *variant __attribute__((unused))
/* unused, because a test may include a fixture only for the other functions of its header */
#define FIXTURE_SETUP(name)							\
	__attribute__((unused)) static void setup_##name(BARE_FIXTURE_ARGS(name))
#define FIXTURE_TEARDOWN(name)							\
	__attribute__((unused)) static void teardown_##name(BARE_FIXTURE_ARGS(name))

#define TEST_F(name, test_name)	TEST_F_TIMEOUT(name, test_name, TEST_TIMEOUT_DEFAULT)
#define TEST_F_TIMEOUT(name, test_name, seconds)				\
	static void name##_##test_name(BARE_FIXTURE_ARGS(name));		\
	static void run_##name##_##test_name(struct __test_metadata *test, const void *variant) \
	{									\
		struct fixture_##name self = { 0 };				\
										\
		setup_##name(test, &self, variant);				\
		name##_##test_name(test, &self, variant);			\
		teardown_##name(test, &self, variant);				\
	}									\
	static struct __test_metadata test_##name##_##test_name = {			\
		#test_name, #name, run_##name##_##test_name, seconds, true, NULL };	\
	static struct __test_metadata *const BARE_ENTRY(tests) entry_##name##_##test_name = \
		&test_##name##_##test_name;					\
	static void name##_##test_name(BARE_FIXTURE_ARGS(name))

#define TEST_HARNESS_MAIN							\
	int main(int argc, char **argv, char **envp);				\
	int main(int argc, char **argv, char **envp)				\
	{									\
		(void)argc;							\
		(void)argv;							\
		bare_libc_init(envp);						\
		return bare_run_tests();					\
	}

#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif /* NAP_TESTS_BARE_HARNESS_H */
