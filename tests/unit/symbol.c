/* SPDX-License-Identifier: MIT */
/* nap__os_symbol(): the function at an address, and the file that is mapped there. */
#include <dlfcn.h>
#include <sys/mman.h>

#include "harness.h"
#include "os/os.h"

static struct nap__symbol symbol;

static void look_up(const void *address, size_t behind)
{
	memset(&symbol, 0xa5, sizeof(symbol));
	nap__os_symbol((uintptr_t)address + behind, &symbol);
}

/*
 * A function of 16 bytes, followed by 16 bytes that belong to no function; a function without a
 * size; 16 bytes of data with a name.
 */
__asm__(".pushsection .text\n"
	".globl sixteen_bytes\n.type sixteen_bytes, %function\n"
	"sixteen_bytes: .skip 16\n.size sixteen_bytes, 16\n"
	".skip 16\n"
	".globl no_bytes\n.type no_bytes, %function\n"
	"no_bytes: .skip 16\n"
	".globl no_function\n.type no_function, %object\n"
	"no_function: .skip 16\n.size no_function, 16\n"
	".popsection\n");

extern const char sixteen_bytes[], no_bytes[], no_function[];

TEST(a_function_ends_where_its_size_says)
{
	uint64_t begin;

	look_up(sixteen_bytes, 0);
	EXPECT_STREQ(symbol.name, "sixteen_bytes");
	EXPECT_EQ(symbol.behind, 0);
	EXPECT_EQ(symbol.address, (uintptr_t)sixteen_bytes);
	begin = symbol.offset;
	look_up(sixteen_bytes, 15);
	EXPECT_STREQ(symbol.name, "sixteen_bytes");
	EXPECT_EQ(symbol.behind, 15);
	EXPECT_EQ(symbol.offset, begin + 15);
	look_up(sixteen_bytes, 16);
	EXPECT_STRNE(symbol.name, "sixteen_bytes");
	EXPECT_EQ(symbol.offset, begin + 16);
}

TEST(a_function_without_a_size_has_one_address)
{
	look_up(no_bytes, 0);
	EXPECT_STREQ(symbol.name, "no_bytes");
	EXPECT_EQ(symbol.behind, 0);
	look_up(no_bytes, 1);
	EXPECT_STRNE(symbol.name, "no_bytes");
}

TEST(data_are_no_function)
{
	look_up(no_function, 0);
	EXPECT_STRNE(symbol.name, "no_function");
	EXPECT_STRNE(symbol.file, "");
}

void a_function_with_a_name_of_more_than_48_characters_(void);
void a_function_with_a_name_of_more_than_48_characters_(void)
{
}

TEST(a_long_name_is_cut)
{
	look_up((void *)a_function_with_a_name_of_more_than_48_characters_, 0);
	EXPECT_STREQ(symbol.name, "a_function_with_a_name_of_more_than_48_characte");
}

/* A library may be stripped: it has the names of what it exports. */
TEST(a_function_of_a_library)
{
	look_up(dlsym(RTLD_DEFAULT, "getpid"), 0);
	EXPECT_NE(strstr(symbol.name, "getpid"), NULL);
	EXPECT_EQ(symbol.behind, 0);
	EXPECT_NE(strstr(symbol.file, ".so"), NULL);
	EXPECT_NE(symbol.offset, 0);
}

/* ---- files */

enum { PAGE = 65536 };	/* of any kernel */

static char *reserve(void)
{
	char *mem = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		abort();
	return mem;
}

/* Maps the second page of a file @name, which only this process has, to @at. */
static void map_file(const char *name, char *at)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 2 * PAGE) ||
	    mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, PAGE) != at)
		abort();
	close(fd);
}

TEST(the_offset_is_that_in_the_file)
{
	char *mem = reserve(), *file = mem + PAGE;

	map_file("a", file);
	look_up(file, 0);
	EXPECT_STREQ(symbol.file, "memfd:a (deleted)");
	EXPECT_STREQ(symbol.name, "");
	EXPECT_EQ(symbol.offset, PAGE);
	EXPECT_EQ(symbol.behind, 0);
	look_up(file, PAGE - 1);
	EXPECT_STREQ(symbol.file, "memfd:a (deleted)");
	EXPECT_EQ(symbol.offset, 2 * PAGE - 1);
	look_up(file, PAGE);
	EXPECT_STREQ(symbol.file, "");
	look_up(mem, PAGE - 1);
	EXPECT_STREQ(symbol.file, "");
	EXPECT_STREQ(symbol.name, "");
}

TEST(a_long_name_of_a_file_is_cut)
{
	char *mem = reserve();

	map_file("1234567", mem);
	look_up(mem, 0);
	EXPECT_STREQ(symbol.file, "memfd:1234567 (deleted)");
	map_file("12345678", mem);
	look_up(mem, 0);
	EXPECT_STREQ(symbol.file, "memfd:12345678 (deleted");
}

TEST(an_address_where_nothing_is)
{
	char *mem = reserve();

	munmap(mem, 3 * PAGE);
	look_up(mem, 0);
	EXPECT_STREQ(symbol.file, "");
	EXPECT_STREQ(symbol.name, "");
	EXPECT_EQ(symbol.address, (uintptr_t)mem);
}

/* A file that is there, and is no program. */
TEST(a_file_without_functions)
{
	char path[] = "/tmp/nap-symbol-XXXXXX", *mem = reserve();
	int fd = mkstemp(path);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(ftruncate(fd, PAGE), 0);
	ASSERT_EQ(mmap(mem, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0), mem);
	look_up(mem, 7);
	EXPECT_STREQ(symbol.file, path + 5);
	EXPECT_STREQ(symbol.name, "");
	EXPECT_EQ(symbol.offset, 7);
	close(fd);
	unlink(path);
}

TEST_HARNESS_MAIN
