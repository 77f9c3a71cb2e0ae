#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the tests' own harness (tests/plain), which stands in where the kernel's harness cannot be
# had: its verdicts are those of the kernel's harness. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}

echo "TAP version 13"
echo "1..5"

cat >"$tmp/sample.c" <<'END_OF_C'
#include "harness.h"

FIXTURE(kit) { int n; };
FIXTURE_VARIANT(kit) { int begin; };
FIXTURE_VARIANT_ADD(kit, one) { .begin = 1 };
FIXTURE_VARIANT_ADD(kit, two) { .begin = 2 };
FIXTURE_SETUP(kit) { self->n = variant->begin; }
FIXTURE_TEARDOWN(kit) { EXPECT_LE(self->n, 2); }

static int counted;

TEST_F(kit, passes_once) { EXPECT_EQ(1, self->n); }
TEST_F(kit, begins_anew) { counted++; ASSERT_EQ(1, counted); self->n = 1; }
TEST(passes) { ASSERT_STREQ("a", "a"); EXPECT_NULL(NULL); EXPECT_GT(2, 1u); }
TEST(expects) { EXPECT_TRUE(0); EXPECT_EQ(1, 1); }
TEST(expects_and_goes_on) { EXPECT_NE(1, 1) { TH_LOG("%s", "the block was run"); } TH_LOG("behind it"); }
TEST(asserts) { ASSERT_GE(1, 2) { TH_LOG("the block was run"); } TH_LOG("NOT REACHED"); }
TEST(skips) { SKIP(return, "for a reason"); }
TEST(crashes) { raise(SIGSEGV); }
TEST(exits) { _exit(3); }
TEST_F_TIMEOUT(kit, hangs, 1) { if (self->n == 2) for (;;) pause(); }

TEST_HARNESS_MAIN
END_OF_C
# verdicts DIRECTORY: compiles the sample on that harness, and prints what it says of each test
verdicts()
{
	gcc -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -iquote tests -I"$1" -o "$tmp/sample" "$tmp/sample.c" &&
		"$tmp/sample" >"$tmp/said" 2>&1
	echo "status $?"
	grep -q . "$tmp/said" && sed -n 's/^#  *RUN  *\([^ ]*\).*/\1/p; s/^\(\(not \)*ok\) [0-9]*.*SKIP.*/skipped/p
		s/^\(\(not \)*ok\) [0-9]*.*/\1/p' "$tmp/said"
	sed -n 's/^# .*:\([a-z_]*\):\(the block was run\|behind it\|NOT REACHED\)$/\1 \2/p' "$tmp/said" | sort
}
by_name()
{
	awk '/^[a-z]*[.]/ { name = $1; next } /^(ok|not ok|skipped)$/ { print name, $0; next } { print }' "$1" | sort
}
verdicts tests/plain >"$tmp/plain" 2>&1
by_name "$tmp/plain" >"$tmp/out"
[ "$(awk '$2 == "ok"' "$tmp/out" | wc -l)" = 5 ] && [ "$(awk '$2 == "not"' "$tmp/out" | wc -l)" = 7 ] &&
	grep -qx 'global.skips skipped' "$tmp/out" && grep -qx 'status 1' "$tmp/out" && grep -qx 'asserts the block was run' "$tmp/out" &&
	! grep -q 'NOT REACHED' "$tmp/out"
check "the tests' own harness: what passes, fails, skips, crashes, hangs"
if [ -e build/kselftest/kselftest.h ] && ! grep -q plain build/kselftest/kselftest_harness.h; then
	verdicts build/kselftest >"$tmp/kernel" 2>&1
	by_name "$tmp/kernel" | diff - "$tmp/out" >"$tmp/differ"
	status=$?
	cp "$tmp/differ" "$tmp/out"
	[ $status = 0 ]
	check "the kernel's has the same verdicts"
else
	nr=$((nr + 1))
	echo "ok $nr the kernel's has the same verdicts # SKIP needs package linux-source"
fi
verdicts tests/plain >"$tmp/plain" 2>&1
"$tmp/sample" passes >"$tmp/out" 2>&1 && grep -q '^1\.\.1$' "$tmp/out" && "$tmp/sample" passes passes_once >"$tmp/out" 2>&1
[ $? = 1 ] && grep -q '^1\.\.3$' "$tmp/out"
check "an argument names the test that is run"
"$tmp/sample" none >"$tmp/out" 2>&1
[ $? = 2 ] && grep -q 'no such test' "$tmp/out"
check "a name that no test has is an error"

# Builds and runs some of nap's tests on this harness, as a machine without the kernel's harness
# would. They are linked with the library that is already built, because no harness changes the
# library.
programs='unit/here unit/ring unit/fiber_errno fault/arguments'
mkdir -p "$build/plain" && ln -sf ../libnap.a "$build/plain/libnap.a" &&
	${MAKE:-make} --no-print-directory -o "$build/plain/libnap.a" B="$build/plain" HARNESS=tests/plain \
		$(printf "$build/plain/tests/%s " $programs) >"$tmp/out" 2>&1
for program in $programs; do
	TALLY=$tmp/tally tools/ktap.sh "$program" "$tmp/log" "$build/plain/tests/$program" >"$tmp/out" 2>&1
done
awk '!/^\t/ { passed += $1; other += $2 + $3 } END { exit !(passed >= 30 && !other) }' "$tmp/tally"
check "tests of the library pass on it ($(awk '!/^\t/ { n += $1 } END { print n }' "$tmp/tally"))"
