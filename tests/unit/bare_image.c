/* SPDX-License-Identifier: MIT */
/* The bare library's beginning and end of a process: relocation, thread-local variables, panic. */
#include <stdlib.h>
#include <sys/wait.h>

#include "arch/syscall.h"
#include "os/bare/bare.h"
#include "os/bare/elf.h"
#include "os/os.h"
#include "harness.h"
#include "thread.h"

static int status_of(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	return status;
}

/* ---- what the kernel puts on the first thread's stack */

TEST(arguments)
{
	ASSERT_GE(main_argc, 1);
	ASSERT_NE(main_argv[0], NULL);
	EXPECT_NE(strstr(main_argv[0], "bare_image"), NULL);
	EXPECT_EQ(main_argv[main_argc], NULL);
}

/* ---- images of other programs */

#define STRANGE 0x1234			/* a relocation that a static program does not have */
#define DT_RELACOUNT 0x6ffffff9u	/* a tag that the library need not know */

static struct image {
	struct elf_header header;
	struct elf_segment segment;
	struct elf_dynamic dynamic[4];
	struct elf_rela rela[2];
	uint64_t word[2];
} image;

#define AT(member) offsetof(struct image, member)

/* Makes an image with a relocation for each of two words. */
static void make_image(uint32_t first, uint32_t second)
{
	image = (struct image){
		.header = { .type = ELF_DYN, .phoff = AT(segment), .phnum = 1 },
		.segment = { .type = PT_DYNAMIC, .vaddr = AT(dynamic) },
		.dynamic = { { DT_RELA, AT(rela) }, { DT_RELASZ, sizeof(image.rela) },
			     { DT_RELACOUNT, 2 }, { DT_NULL, 0 } },
		.rela = { { AT(word[0]), first, 100 }, { AT(word[1]), second, 200 } },
		.word = { 1, 2 },
	};
}

TEST(relocation)
{
	uintptr_t base = (uintptr_t)&image;

	make_image(0, NAP__R_RELATIVE);
	EXPECT_EQ(nap__relocate(&image), base);
	EXPECT_EQ(image.word[0], 1);
	EXPECT_EQ(image.word[1], base + 200);
	make_image(NAP__R_RELATIVE, NAP__R_RELATIVE);
	image.segment.type = PT_TLS;
	EXPECT_EQ(nap__relocate(&image), base);
	EXPECT_EQ(image.word[0], 1);
}

TEST(a_program_at_a_fixed_address_is_not_relocated)
{
	make_image(NAP__R_RELATIVE, NAP__R_RELATIVE);
	image.header.type = ELF_DYN - 1;
	EXPECT_EQ(nap__relocate(&image), 0);
	EXPECT_EQ(image.word[0], 1);
}

static int status_of_relocating(void)
{
	pid_t child = fork();

	if (child == 0) {
		nap__relocate(&image);
		_exit(1);
	}
	return status_of(child);
}

TEST(a_program_that_cannot_be_relocated_ends)
{
	int status;

	make_image(NAP__R_RELATIVE, STRANGE);
	status = status_of_relocating();
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 127);
	make_image(NAP__R_RELATIVE, NAP__R_RELATIVE);
	image.dynamic[2].tag = DT_RELR;
	status = status_of_relocating();
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 127);
}

TEST(a_program_without_thread_local_variables)
{
	size_t size = nap__tls_size();

	make_image(0, 0);
	EXPECT_EQ((void *)elf_segment(&image, PT_TLS), NULL);
	nap__tls_find(&image, (uintptr_t)&image);
	EXPECT_EQ(nap__tls_size(), size);
}

/*
 * An alignment of 0 counts as 1. The two sizes that are compared differ by 4,096 bytes, because the
 * rounding for the thread pointer would hide a few bytes.
 */
TEST(thread_local_variables_without_an_alignment)
{
	size_t size;

	make_image(0, 0);
	image.segment = (struct elf_segment){ .type = PT_TLS };
	nap__tls_find(&image, 0);
	size = nap__tls_size();
	image.segment.memsz = 4096;
	nap__tls_find(&image, 0);
	EXPECT_EQ(nap__tls_size(), size + 4096);
}

/* ---- the message of a panic */

#define WRITE_ONLY 1
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)

static void end_quietly(int signal)
{
	_exit(signal == SIGABRT ? 5 : 1);
}

static int status_of_panic(void *caller, void (*handler)(int))
{
	pid_t child = fork();

	if (child == 0) {
		sigaction(SIGABRT, &(struct sigaction){ .sa_handler = handler }, NULL);
		nap__os_panic(caller, "%s %u times", "wrong", 7u);
	}
	return status_of(child);
}

/* Diverts stderr to a pipe; from here on @fds[0] also has this test's own messages. */
static void divert_stderr(int fds[2])
{
	char name[32];

	if (nap__syscall2(NAP__NR_pipe2, (long)fds, 0))
		abort();
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[1]);
	nap__syscall1(NAP__NR_close, stderr);
	if (nap__syscall4(NAP__NR_openat, -100, (long)name, WRITE_ONLY, 0) != stderr)
		abort();
}

TEST(the_last_message)
{
	static const char lines[] = "nap: wrong 7 times, called from 0x1234\n"
				    "nap: wrong 7 times\n";
	char said[2 * sizeof(lines)];
	int fds[2], by_default, ignored, handled;
	long got;

	divert_stderr(fds);
	ignored = status_of_panic((void *)0x1234, SIG_IGN);
	handled = status_of_panic(NULL, end_quietly);
	got = nap__syscall3(NAP__NR_read, fds[0], (long)said, sizeof(said) - 1);
	ASSERT_EQ(got, (long)strlen(lines));
	said[got] = '\0';
	EXPECT_EQ(strcmp(said, lines), 0);
	EXPECT_TRUE(WIFEXITED(ignored));
	EXPECT_EQ(WEXITSTATUS(ignored), 128 + SIGABRT);
	EXPECT_EQ(WEXITSTATUS(handled), 5);
	/* The default action comes last, because an emulator then prints a line of its own. */
	by_default = status_of_panic(NULL, SIG_DFL);
	EXPECT_TRUE(WIFSIGNALED(by_default));
	EXPECT_EQ(WTERMSIG(by_default), SIGABRT);
}

TEST_HARNESS_MAIN
