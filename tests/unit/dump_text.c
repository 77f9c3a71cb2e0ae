/* SPDX-License-Identifier: MIT */
/* src/dump/say.c: what a dump makes of numbers, times, strings and addresses; its buffer. */
#include "dump/dump.h"
#include "harness.h"
#include "wrap.h"

static struct nap__dump dump;
static char text[4096];
static size_t length;
static int nr_writes, nr_lookups;

WRAP(int, nap__os_write, (int fd, const void *data, size_t size))
{
	memcpy(text + length, data, size);
	length += size;
	nr_writes++;
	return fd;
}

/* What is known of the addresses 1 to 3; nothing is known of any other. */
static const struct nap__symbol known[] = {
	{ .file = "file", .offset = 0x11d0, .name = "both", .behind = 0x12 },
	{ .file = "lib.so", .offset = 5 },
	{ .name = "f" },
};

WRAP(void, nap__os_symbol, (uintptr_t address, struct nap__symbol *symbol))
{
	nr_lookups++;
	*symbol = address - 1 < 3 ? known[address - 1] : (struct nap__symbol){ 0 };
	symbol->address = address;
}

/* Returns what was written since the last call. */
static const char *said(void)
{
	nap__dump_flush(&dump);
	text[length] = '\0';
	length = 0;
	return text;
}

TEST(numbers)
{
	say(&dump, "%u %u %u", 0, 409, UINT64_MAX);
	EXPECT_STREQ(said(), "0 409 18446744073709551615");
	say(&dump, "%p %p %p", 0, 0x10af, UINT64_MAX);
	EXPECT_STREQ(said(), "0x0 0x10af 0xffffffffffffffff");
}

TEST(times_have_milliseconds)
{
	say(&dump, "%m, %m, %m, %m", 0, 7, 1999, 61070);
	EXPECT_STREQ(said(), "0.000 s, 0.007 s, 1.999 s, 61.070 s");
	say(&dump, "%t, %t, %t", 999999, 1000000, 1000000000000);
	EXPECT_STREQ(said(), "0.000 s, 0.001 s, 1000.000 s");
}

TEST(a_string_of_the_program_forges_no_line)
{
	say(&dump, "%s %n", (uintptr_t)"a \"b\"\n", (uintptr_t)"a b~\"c\177d\n\037\303\251");
	EXPECT_STREQ(said(), "a \"b\"\n \"a b~?c?d??\303\251\"");
}

TEST(what_is_known_of_a_function)
{
	/* An entry without an address has a name that nobody has set. */
	strcpy(dump.names[0].name, "unset");
	say(&dump, "%f, %f, %f, %f, %f", 0, 1, 2, 3, 4);
	EXPECT_STREQ(said(), "0x0, 0x1 both+0x12 (file+0x11d0), 0x2 (lib.so+0x5), 0x3 f, 0x4");
	EXPECT_EQ(nr_lookups, 4);
}

/* Says of which function each of these addresses is. Returns how many were looked up. */
static int look_up(uintptr_t from, uintptr_t to)
{
	int before = nr_lookups;

	for (uintptr_t address = from; address <= to; address++)
		say(&dump, "%f", address);
	said();
	return nr_lookups - before;
}

TEST(the_latest_names_are_kept)
{
	EXPECT_EQ(look_up(1, DUMP_NAMES), DUMP_NAMES);
	EXPECT_EQ(look_up(1, DUMP_NAMES), 0);
	EXPECT_EQ(look_up(DUMP_NAMES + 1, DUMP_NAMES + 1), 1);
	EXPECT_EQ(look_up(2, DUMP_NAMES + 1), 0);
	EXPECT_EQ(look_up(1, 1), 1);
}

TEST(the_buffer_is_written_when_it_is_full)
{
	static char x[sizeof(dump.buf) + 1];

	memset(x, 'x', sizeof(x) - 1);
	say_only(&dump, x);
	EXPECT_EQ(nr_writes, 0);
	say_only(&dump, x);
	EXPECT_EQ(nr_writes, 1);
	say_only(&dump, "y");
	EXPECT_EQ(nr_writes, 2);
	EXPECT_EQ(strlen(said()), 2 * sizeof(dump.buf) + 1);
	EXPECT_EQ(nr_writes, 3);
	EXPECT_STREQ(text + 2 * sizeof(dump.buf), "y");
	EXPECT_STREQ(said(), "");
	EXPECT_EQ(nr_writes, 3);
}

TEST_HARNESS_MAIN
