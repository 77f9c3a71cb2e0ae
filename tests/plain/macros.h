/* SPDX-License-Identifier: MIT */
/*
 * The macros of the kernel's kselftest_harness.h as far as nap's tests use them, with the same
 * meaning, for programs without a libc (tests/bare/harness.h) and where the kernel's header cannot
 * be had (kselftest_harness.h beside this file). Every test runs in a child process of its own,
 * which is killed when the test takes too long. run.h runs the tests.
 *
 * Tests and variants find each other through sections of the program, so they need no constructors.
 * A failed ASSERT ends the child: the fixture's teardown does not run then.
 */
#ifndef NAP_TESTS_PLAIN_MACROS_H
#define NAP_TESTS_PLAIN_MACROS_H

#pragma GCC system_header	/* the compiler must not warn about what the macros expand to */

struct __test_metadata {
	const char *name, *fixture;	/* NULL: no fixture */
	void (*run)(struct __test_metadata *test, const void *variant);
	unsigned int timeout;		/* seconds */
	bool passed;
	const char *skipped;
};

struct plain_variant {
	const char *name, *fixture;
	const void *data;
};

#define PLAIN_ENTRY(kind) \
	__attribute__((section("plain_" #kind), used, aligned(sizeof(void *))))

int plain_run_tests(int argc, char **argv);
void plain_log(struct __test_metadata *test, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Notes the failure; with @fatal ends the test here, otherwise the block after the macro runs. */
static inline bool plain_fail(struct __test_metadata *test, bool fatal)
{
	test->passed = false;
	if (fatal)
		_exit(1);
	return false;
}

#define TH_LOG(...)	plain_log(_metadata, __FILE__, __LINE__, __VA_ARGS__)
#define SKIP(statement, why, ...)						\
	do {									\
		_metadata->skipped = (why);					\
		statement;							\
	} while (0)

#define PLAIN_CHECK(a, op, b, fatal)						\
	for (bool plain_failed = ({						\
		__typeof__(a) plain_a = (a);					\
		__typeof__(b) plain_b = (b);					\
		bool plain_good = plain_a op plain_b;				\
		if (!plain_good)						\
			TH_LOG("Expected %s (%ld) %s %s (%ld)", #a,		\
			       (long)plain_a, #op, #b, (long)plain_b);		\
		!plain_good; }); plain_failed;					\
	     plain_failed = plain_fail(_metadata, fatal))

#define PLAIN_CHECK_STR(a, b, fatal)						\
	for (bool plain_failed = ({						\
		const char *plain_a = (a), *plain_b = (b);			\
		bool plain_good = !strcmp(plain_a, plain_b);			\
		if (!plain_good)						\
			TH_LOG("Expected '%s' == '%s'", plain_a, plain_b);	\
		!plain_good; }); plain_failed;					\
	     plain_failed = plain_fail(_metadata, fatal))

#define EXPECT_EQ(a, b)		PLAIN_CHECK(a, ==, b, false)
#define EXPECT_NE(a, b)		PLAIN_CHECK(a, !=, b, false)
#define EXPECT_LT(a, b)		PLAIN_CHECK(a, <, b, false)
#define EXPECT_LE(a, b)		PLAIN_CHECK(a, <=, b, false)
#define EXPECT_GT(a, b)		PLAIN_CHECK(a, >, b, false)
#define EXPECT_GE(a, b)		PLAIN_CHECK(a, >=, b, false)
#define EXPECT_TRUE(a)		PLAIN_CHECK(!!(a), ==, true, false)
#define EXPECT_FALSE(a)		PLAIN_CHECK(!!(a), ==, false, false)
#define EXPECT_NULL(a)		PLAIN_CHECK((void *)(a), ==, NULL, false)
#define EXPECT_STREQ(a, b)	PLAIN_CHECK_STR(a, b, false)
#define ASSERT_EQ(a, b)		PLAIN_CHECK(a, ==, b, true)
#define ASSERT_NE(a, b)		PLAIN_CHECK(a, !=, b, true)
#define ASSERT_LT(a, b)		PLAIN_CHECK(a, <, b, true)
#define ASSERT_LE(a, b)		PLAIN_CHECK(a, <=, b, true)
#define ASSERT_GT(a, b)		PLAIN_CHECK(a, >, b, true)
#define ASSERT_GE(a, b)		PLAIN_CHECK(a, >=, b, true)
#define ASSERT_TRUE(a)		PLAIN_CHECK(!!(a), ==, true, true)
#define ASSERT_FALSE(a)		PLAIN_CHECK(!!(a), ==, false, true)
#define ASSERT_NULL(a)		PLAIN_CHECK((void *)(a), ==, NULL, true)
#define ASSERT_STREQ(a, b)	PLAIN_CHECK_STR(a, b, true)

#define TEST_TIMEOUT_DEFAULT 60

#define TEST(test_name)								\
	static void test_name(struct __test_metadata *_metadata);			\
	static void run_##test_name(struct __test_metadata *test, const void *variant) \
	{									\
		(void)variant;							\
		test_name(test);						\
	}									\
	static struct __test_metadata test_##test_name = {				\
		#test_name, NULL, run_##test_name, TEST_TIMEOUT_DEFAULT, true, NULL };	\
	static struct __test_metadata *const PLAIN_ENTRY(tests) entry_##test_name =	\
		&test_##test_name;						\
	static void test_name(struct __test_metadata *_metadata __attribute__((unused)))

#define FIXTURE(name)		struct fixture_variant_##name; struct fixture_##name
#define FIXTURE_DATA(name)	struct fixture_##name
#define FIXTURE_VARIANT(name)	struct fixture_variant_##name
#define FIXTURE_VARIANT_ADD(name, variant_name)					\
	extern const struct fixture_variant_##name data_##name##_##variant_name; \
	static const struct plain_variant variant_##name##_##variant_name = {	\
		#variant_name, #name, &data_##name##_##variant_name };		\
	static const struct plain_variant *const PLAIN_ENTRY(variants)		\
		entry_##name##_##variant_name = &variant_##name##_##variant_name; \
	const struct fixture_variant_##name data_##name##_##variant_name =

#define PLAIN_FIXTURE_ARGS(name)							\
	struct __test_metadata *_metadata __attribute__((unused)),		\
	struct fixture_##name *self __attribute__((unused)),			\
	const struct fixture_variant_##name *variant __attribute__((unused))
/* unused, because a test may include a fixture only for the other functions of its header */
#define FIXTURE_SETUP(name)							\
	__attribute__((unused)) static void setup_##name(PLAIN_FIXTURE_ARGS(name))
#define FIXTURE_TEARDOWN(name)							\
	__attribute__((unused)) static void teardown_##name(PLAIN_FIXTURE_ARGS(name))

#define TEST_F(name, test_name)	TEST_F_TIMEOUT(name, test_name, TEST_TIMEOUT_DEFAULT)
#define TEST_F_TIMEOUT(name, test_name, seconds)				\
	static void name##_##test_name(PLAIN_FIXTURE_ARGS(name));		\
	static void run_##name##_##test_name(struct __test_metadata *test, const void *variant) \
	{									\
		struct fixture_##name self = {};				\
										\
		setup_##name(test, &self, variant);				\
		name##_##test_name(test, &self, variant);			\
		teardown_##name(test, &self, variant);				\
	}									\
	static struct __test_metadata test_##name##_##test_name = {			\
		#test_name, #name, run_##name##_##test_name, seconds, true, NULL };	\
	static struct __test_metadata *const PLAIN_ENTRY(tests) entry_##name##_##test_name = \
		&test_##name##_##test_name;					\
	static void name##_##test_name(PLAIN_FIXTURE_ARGS(name))

#endif /* NAP_TESTS_PLAIN_MACROS_H */
