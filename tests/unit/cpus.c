/* SPDX-License-Identifier: MIT */
/* The CPU count from affinity and cgroup quota, on made-up trees of files. */
#include "os/linux/cpus.h"
#include "os/os.h"
#include "harness.h"

#include <nap/nap.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "wrap.h"

#define NONE UINT32_MAX

#define V1_MOUNT(root, point) \
	"33 31 0:30 " root " " point " rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define V2_MOUNT(root, point) "41 31 0:38 " root " " point " rw - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1 V1_MOUNT("/", "/cg/cpu")
#define V2 V2_MOUNT("/", "/cg/two")
#define OTHERS "22 27 0:21 / /proc rw - proc proc rw\n" \
	"34 31 0:31 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n" \
	"35 31 0:32 / /cg/acct rw - cgroup cgroup rw,cpuacct\n"

FIXTURE(tree) {
	char root[64];
};

FIXTURE_SETUP(tree)
{
	strcpy(self->root, "/tmp/nap-cpus-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->root));
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

FIXTURE_TEARDOWN(tree)
{
	nftw(self->root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes @text to the file @name below @root, with the directories that the file needs. */
static void put_bytes(const char *root, const char *name, const char *text, size_t size)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, text, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void put(const char *root, const char *name, const char *text)
{
	put_bytes(root, name, text, strlen(text));
}

static void put_proc(const char *root, const char *mounts, const char *cgroup)
{
	put(root, "/proc/self/mountinfo", mounts);
	put(root, "/proc/self/cgroup", cgroup);
}

static void put_v1(const char *root, const char *dir, const char *quota, const char *period)
{
	char name[512];

	snprintf(name, sizeof(name), "%s/cpu.cfs_quota_us", dir);
	put(root, name, quota);
	snprintf(name, sizeof(name), "%s/cpu.cfs_period_us", dir);
	put(root, name, period);
}

TEST_F(tree, nothing_there)
{
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
	put(self->root, "/proc/self/mountinfo", V1 V2);
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
	put(self->root, "/proc/self/cgroup", "1:cpu:/\n0::/\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
	put(self->root, "/cg/cpu/cpu.cfs_quota_us", "100000\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
	put(self->root, "/cg/cpu/cpu.cfs_period_us", "100000\n");
	EXPECT_EQ(1, nap__os_quota_cpus(self->root));
}

TEST_F(tree, v1)
{
	put_proc(self->root, OTHERS V1, "5:cpuset:/x\n4:cpuacct,cpu:/a\n");
	put_v1(self->root, "/cg/cpu/a", "300000\n", "100000\n");
	put_v1(self->root, "/cg/cpu/x", "100000\n", "100000\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
	put_v1(self->root, "/cg/cpu/a", "-1\n", "100000\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
}

TEST_F(tree, v2)
{
	put_proc(self->root, OTHERS V2, "0::/a\n");
	put(self->root, "/cg/two/a/cpu.max", "300000 100000\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
	put(self->root, "/cg/two/a/cpu.max", "max 100000\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
}

TEST_F(tree, fractions_are_rounded_up)
{
	static const struct {
		const char *max;
		uint32_t cpus;
	} rows[] = {
		{ "50000 100000\n", 1 },
		{ "1000 100000\n", 1 },
		{ "1 1000000\n", 1 },
		{ "100000 100000\n", 1 },
		{ "100001 100000\n", 2 },
		{ "150000 100000\n", 2 },
		{ "75000 50000\n", 2 },
		{ "1600000 100000\n", 16 },
		{ "18446744073709551615 1\n", NONE },
		{ "18446744073709551615 18446744073709551614\n", 2 },
		{ "18446744073709551616 100000\n", NONE },
	};

	put_proc(self->root, V2, "0::/\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put(self->root, "/cg/two/cpu.max", rows[i].max);
		EXPECT_EQ(rows[i].cpus, nap__os_quota_cpus(self->root))
			TH_LOG("with %s", rows[i].max);
	}
	put_proc(self->root, V1, "1:cpu:/\n");
	put_v1(self->root, "/cg/cpu", "50000\n", "100000\n");
	EXPECT_EQ(1, nap__os_quota_cpus(self->root));
	put_v1(self->root, "/cg/cpu", "150000\n", "100000\n");
	EXPECT_EQ(2, nap__os_quota_cpus(self->root));
}

/*
 * Four ancestors have a quota, and each quota is the smallest once. A quota beside the path does
 * not count.
 */
TEST_F(tree, smallest_of_all_ancestors)
{
	static const char *const dirs[] = { "", "/a", "/a/b", "/a/b/c" };
	char name[64];

	put_proc(self->root, V1 V2, "3:cpu:/a/b/c\n0::/a/b/c\n");
	put(self->root, "/cg/two/a/z/cpu.max", "100000 100000\n");
	put_v1(self->root, "/cg/cpu/a/z", "100000\n", "100000\n");
	for (int least = 0; least < 4; least++) {
		for (int i = 0; i < 4; i++) {
			snprintf(name, sizeof(name), "/cg/two%s/cpu.max", dirs[i]);
			put(self->root, name, i == least ? "200000 100000\n" : "700000 100000\n");
		}
		EXPECT_EQ(2, nap__os_quota_cpus(self->root)) TH_LOG("v2, %s", dirs[least]);
	}
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "/cg/two%s/cpu.max", dirs[i]);
		put(self->root, name, "max 100000\n");
	}
	for (int least = 0; least < 4; least++) {
		for (int i = 0; i < 4; i++) {
			snprintf(name, sizeof(name), "/cg/cpu%s", dirs[i]);
			put_v1(self->root, name, i == least ? "300000\n" : "700000\n", "100000\n");
		}
		EXPECT_EQ(3, nap__os_quota_cpus(self->root)) TH_LOG("v1, %s", dirs[least]);
	}
}

/* The thread's own directory may not exist, or may lack the file, as the root of v2 does. */
TEST_F(tree, ancestors_of_a_missing_directory)
{
	put_proc(self->root, V2, "0::/a/b/c (deleted)\n");
	put(self->root, "/cg/two/a/cpu.max", "500000 100000\n");
	EXPECT_EQ(5, nap__os_quota_cpus(self->root));
}

TEST_F(tree, hybrid_takes_the_smaller)
{
	put_proc(self->root, OTHERS V1 V2, "1:cpu:/one\n0::/two\n");
	put_v1(self->root, "/cg/cpu/one", "400000\n", "100000\n");
	EXPECT_EQ(4, nap__os_quota_cpus(self->root));
	put(self->root, "/cg/two/two/cpu.max", "300000 100000\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
	put_v1(self->root, "/cg/cpu/one", "200000\n", "100000\n");
	EXPECT_EQ(2, nap__os_quota_cpus(self->root));
}

/* In a container: the mount shows the hierarchy from the container's cgroup on. */
TEST_F(tree, root_of_the_mount)
{
	put_proc(self->root, V1_MOUNT("/docker/7f", "/cg/cpu"), "1:cpu:/docker/7f/job\n");
	put_v1(self->root, "/cg/cpu/job", "400000\n", "100000\n");
	EXPECT_EQ(4, nap__os_quota_cpus(self->root));
	put_v1(self->root, "/cg/cpu", "300000\n", "100000\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
	put_proc(self->root, V1_MOUNT("/docker/7f", "/cg/cpu"), "1:cpu:/docker/7f\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));

	/*
	 * No limit comes from a path that only begins with the letters of the mount's root, nor
	 * from a mount of another file system.
	 */
	put_v1(self->root, "/cg/cpuff", "100000\n", "100000\n");
	put_proc(self->root, V1_MOUNT("/docker/7f", "/cg/cpu"), "1:cpu:/docker/7fff\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
	put_proc(self->root, V1_MOUNT("/docker/7f", "/cg/cpu"), "1:cpu:/\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));

	/* The cgroup is outside of this namespace: "/cg/cpu/.." would be a wrong directory. */
	put_v1(self->root, "/cg", "100000\n", "100000\n");
	put_proc(self->root, V1, "1:cpu:/..\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
	put_proc(self->root, V1, "1:cpu:/../job\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
	put_proc(self->root, V1_MOUNT("/..", "/cg/cpu"), "1:cpu:/../job\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
	put_proc(self->root, V1, "1:cpu:/..job\n");
	put_v1(self->root, "/cg/cpu/..job", "200000\n", "100000\n");
	EXPECT_EQ(2, nap__os_quota_cpus(self->root));
}

TEST_F(tree, several_mounts)
{
	put_proc(self->root, V2_MOUNT("/else", "/cg/x") V2_MOUNT("/a", "/cg/y") V2, "0::/a/b\n");
	put(self->root, "/cg/x/cpu.max", "100000 100000\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
	put(self->root, "/cg/y/b/cpu.max", "400000 100000\n");
	EXPECT_EQ(4, nap__os_quota_cpus(self->root));
	put(self->root, "/cg/two/cpu.max", "300000 100000\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
}

/* A program that has closed stdin gets the number 0 for the files that are read here. */
TEST_F(tree, files_with_the_number_0)
{
	put_proc(self->root, V2, "0::/\n");
	put(self->root, "/cg/two/cpu.max", "300000 100000\n");
	close(STDIN_FILENO);
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
}

TEST_F(tree, escapes_and_colons)
{
	put_proc(self->root, V2_MOUNT("/a\\040b", "/c\\134g\\011"), "0::/a b/x:y\\040\n");
	put(self->root, "/c\\g\t/x:y\\040/cpu.max", "300000 100000\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
}

/* Threads of one process may be in different cgroups; the main thread's cgroup counts. */
TEST_F(tree, process_before_thread)
{
	put_proc(self->root, V2, "0::/process\n");
	put(self->root, "/proc/thread-self/cgroup", "0::/thread\n");
	put(self->root, "/cg/two/process/cpu.max", "300000 100000\n");
	put(self->root, "/cg/two/thread/cpu.max", "200000 100000\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
}

TEST_F(tree, malformed_files_are_no_limit)
{
	static const char *const max[] = {
		"", "\n", " ", "max", "max max\n", "100000", "100000\n", "100000 \n", "100000 0\n",
		"0 100000\n", "-1 100000\n", "100000 -1\n", "1e5 100000\n", "0x10 100000\n",
		"100000 100000 7\n", "100000  100000\n", " 100000 100000\n", "100000 100000x\n",
		"99999999999999999999 1\n", "\377\376\n",
		"0000000000000000000000000000000000000000000000000000000000000000000001 1\n",
	};
	static const char *const mounts[] = {
		"", "\n", " \n", "41\n", "41 31 0:38 / /cg/two rw\n", "41 31 0:38 / /cg/two rw -\n",
		"41 31 0:38 / /cg/two rw - cgroup2\n",
		"41 31 0:38 / /cg/two rw - cgroup2 cgroup2\n",
		"41 31 0:38 / /cg/two rw cgroup2 cgroup2 rw\n", "- - - - - - - - -\n",
		" - cgroup2 c rw\n",
		"41 31 0:38 / /cg/two rw - cgroup2 cgroup2 rw" /* no newline */,
		"41 31 0:38 / /cg/two rw - cgroup cgroup rw,cpuset\n",
	};
	static const char *const cgroups[] = {
		"", "\n", ":\n", "::\n", "0:\n", "0::", "0:cpu:/\n", "00::/\n", "1::/\n", "0::x\n",
		"name=x\n", "0::/..\n",
	};

	put(self->root, "/cg/two/x/cpu.max", "100000 100000\n");
	put_proc(self->root, V2, "0::/\n");
	for (size_t i = 0; i < ARRAY_SIZE(max); i++) {
		put(self->root, "/cg/two/cpu.max", max[i]);
		EXPECT_EQ(NONE, nap__os_quota_cpus(self->root)) TH_LOG("cpu.max %s", max[i]);
	}
	put(self->root, "/cg/two/cpu.max", "100000 100000\n");
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		put(self->root, "/proc/self/mountinfo", mounts[i]);
		EXPECT_EQ(NONE, nap__os_quota_cpus(self->root)) TH_LOG("mountinfo %s", mounts[i]);
	}
	put(self->root, "/proc/self/mountinfo", V2);
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		put(self->root, "/proc/self/cgroup", cgroups[i]);
		EXPECT_EQ(NONE, nap__os_quota_cpus(self->root)) TH_LOG("cgroup %s", cgroups[i]);
	}
}

/* Only a line that is too long is skipped. A path that is too long to read is no limit. */
TEST_F(tree, long_lines)
{
	static char text[1 << 16];
	uint32_t cpus;

	put(self->root, "/proc/self/cgroup", "0::/\n");
	put(self->root, "/cg/two/cpu.max", "200000 100000\n");
	for (size_t len = 2000; len < 8300; len += 1 + len % 37) {
		memset(text, 'x', len);
		strcpy(text + len, "\n" V2);
		put(self->root, "/proc/self/mountinfo", text);
		ASSERT_EQ(2, nap__os_quota_cpus(self->root)) TH_LOG("behind %zu bytes", len);
	}
	/* The text after a full buffer belongs to the long line, even if it looks like a line. */
	for (size_t len = 2000; len < 2100; len++) {
		memset(text, 'x', len);
		strcpy(text + len, V2);
		put(self->root, "/proc/self/mountinfo", text);
		ASSERT_EQ(NONE, nap__os_quota_cpus(self->root)) TH_LOG("behind %zu bytes", len);
	}
	put(self->root, "/proc/self/mountinfo", V2);
	for (size_t len = 1900; len < 2100; len++) {
		strcpy(text, "0::/");
		memset(text + 4, 'y', len);
		strcpy(text + 4 + len, "\n0::/\n");
		put(self->root, "/proc/self/cgroup", text);
		cpus = nap__os_quota_cpus(self->root);
		ASSERT_TRUE(cpus == 2 || cpus == NONE);
	}
	memset(text, 0, sizeof(text));
	put_bytes(self->root, "/proc/self/mountinfo", text, sizeof(text));
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
}

/*
 * Good files with random damage: the count may be any number except 0, and nothing may crash (the
 * sanitizers watch).
 */
TEST_F(tree, damaged_files)
{
	static const char mounts[] = OTHERS V1 V2_MOUNT("/a\\040b", "/cg/two") "\n";
	static const char cgroup[] = "5:cpuset:/x\n4:cpuacct,cpu:/a\n0::/a b/c\n";
	char m[sizeof(mounts)], c[sizeof(cgroup)];
	uint32_t seed = 1;

	put_v1(self->root, "/cg/cpu/a", "100000\n", "100000\n");
	put(self->root, "/cg/two/c/cpu.max", "100000 100000\n");
	for (unsigned long n = nap_test_count(2000); n--;) {
		memcpy(m, mounts, sizeof(m));
		memcpy(c, cgroup, sizeof(c));
		for (int i = 0; i < 3; i++) {
			seed = seed * 1664525u + 1013904223u;
			m[(seed >> 8) % (sizeof(m) - 1)] = " \n\\-,:/\0"[seed >> 29];
			seed = seed * 1664525u + 1013904223u;
			c[(seed >> 8) % (sizeof(c) - 1)] = " \n\\-,:/\0"[seed >> 29];
		}
		put_bytes(self->root, "/proc/self/mountinfo", m, sizeof(m) - 1);
		put_bytes(self->root, "/proc/self/cgroup", c, sizeof(c) - 1);
		ASSERT_NE(0, nap__os_quota_cpus(self->root));
	}
}

/* Where the affinity mask may not be read, sysfs says how many CPUs there are. */
TEST_F(tree, online)
{
	static const struct { const char *list; uint32_t cpus; } lists[] = {
		{ "0\n", 1 }, { "0-3\n", 4 }, { "0-3,5\n", 5 }, { "1,3,5-6,8-11\n", 8 },
		{ "\n", 0 }, { "0", 0 }, { "x\n", 0 }, { "3-1\n", 0 }, { "0-\n", 0 }, { "0,\n", 0 },
		{ "0 1\n", 0 }, { "0-99999999\n", 0 }, { "99999999999999999999\n", 0 },
		{ "0-9999,10000-19999,20000\n", 0 },	/* more CPUs than any pool counts */
	};

	EXPECT_EQ(0, nap__os_online_cpus(self->root));
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		put(self->root, "/sys/devices/system/cpu/online", lists[i].list);
		EXPECT_EQ(lists[i].cpus, nap__os_online_cpus(self->root)) {
			TH_LOG("\"%s\"", lists[i].list);
		}
	}
	EXPECT_GE(nap__os_online_cpus(""), 1);
}

static int open_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

TEST_F(tree, every_file_is_closed)
{
	int before;

	put_proc(self->root, V1 V2, "4:cpu:/a\n0::/a\n");
	put(self->root, "/cg/two/a/cpu.max", "300000 100000\n");
	put(self->root, "/cg/cpu/a/cpu.cfs_quota_us", "100000\n");
	put(self->root, "/cg/cpu/a/cpu.cfs_period_us", "100000\n");
	put(self->root, "/sys/devices/system/cpu/online", "0-3\n");
	before = open_files();
	EXPECT_EQ(1, nap__os_quota_cpus(self->root));
	EXPECT_EQ(4, nap__os_online_cpus(self->root));
	EXPECT_GT(nap_cpu_count(), 0);
	EXPECT_EQ(before, open_files());
}

/* A directory that stands in place of the file can be opened, but not read. */
TEST_F(tree, a_quota_that_cannot_be_read_is_no_limit)
{
	put_proc(self->root, V1 V2, "4:cpu:/a\n0::/a\n");
	put(self->root, "/cg/two/a/cpu.max/inside", "100000 100000\n");
	put(self->root, "/cg/cpu/a/cpu.cfs_quota_us/inside", "100000\n");
	put(self->root, "/cg/cpu/a/cpu.cfs_period_us", "100000\n");
	EXPECT_EQ(NONE, nap__os_quota_cpus(self->root));
	put(self->root, "/cg/two/cpu.max", "300000 100000\n");
	EXPECT_EQ(3, nap__os_quota_cpus(self->root));
}

/*
 * The path of one mount is too long; the other mount still counts. Then the root's path is too
 * long.
 */
TEST_F(tree, paths_that_are_too_long_are_no_limit)
{
	char root[200], far[1960], mounts[4096], beyond[3000];

	snprintf(root, sizeof(root), "%s/%0*d", self->root, 120, 0);
	far[0] = '/';
	memset(far + 1, 'x', sizeof(far) - 2);
	far[sizeof(far) - 1] = '\0';
	snprintf(mounts, sizeof(mounts), V2_MOUNT("/", "%s") V1, far);
	put_proc(root, mounts, "4:cpu:/a\n0::/a\n");
	put_v1(root, "/cg/cpu/a", "200000\n", "100000\n");
	EXPECT_EQ(2, nap__os_quota_cpus(root));
	memset(beyond, 'x', sizeof(beyond));
	beyond[sizeof(beyond) - 1] = '\0';
	EXPECT_EQ(NONE, nap__os_quota_cpus(beyond));
	/* The buffer has room for the root's path, but not for a file name in addition. */
	beyond[2040] = '\0';
	EXPECT_EQ(NONE, nap__os_quota_cpus(beyond));
}

/* On the real machine: a thread that may use one CPU counts one, whatever the quota. */
TEST(affinity)
{
	cpu_set_t all, one;
	uint32_t cpus;
	int cpu = 0;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	cpus = nap__os_cpu_count(NULL, 0);
	EXPECT_LE(1, cpus);
	EXPECT_GE(CPU_COUNT(&all), cpus);
	if (nap__os_quota_cpus("") == NONE)
		EXPECT_EQ(CPU_COUNT(&all), cpus);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	EXPECT_EQ(1, nap__os_cpu_count(NULL, 0));
}

TEST_F(tree, of_a_mask_those_count_that_are_online)
{
	unsigned long mask[4] = { 0 };

	mask[0] = 0x0f;
	mask[1] = 1;
	mask[3] = 1ul << 63;
	/* The machine does not say which CPUs there are. */
	EXPECT_EQ(6, nap__os_mask_cpus(self->root, mask, sizeof(mask)));
	EXPECT_EQ(5, nap__os_mask_cpus(self->root, mask, 2 * sizeof(*mask)));
	put(self->root, "/sys/devices/system/cpu/online", "0-1,3,64-254\n");
	EXPECT_EQ(4, nap__os_mask_cpus(self->root, mask, sizeof(mask)));
	EXPECT_EQ(3, nap__os_mask_cpus(self->root, mask, sizeof(*mask)));
	put(self->root, "/sys/devices/system/cpu/online", "255,4-63\n");
	EXPECT_EQ(1, nap__os_mask_cpus(self->root, mask, sizeof(mask)));
	EXPECT_EQ(0, nap__os_mask_cpus(self->root, mask, sizeof(*mask)));
	put(self->root, "/sys/devices/system/cpu/online", "0-1;\n");
	EXPECT_EQ(6, nap__os_mask_cpus(self->root, mask, sizeof(mask)));
}

TEST(cpus_are_counted_from_the_first_of_a_mask)
{
	const unsigned long bit = 1, mask[4] = { 0, bit << 3 | bit << (LONG_BITS - 1), 0, bit };

	EXPECT_EQ(LONG_BITS + 3, nap__os_nth_cpu(mask, 0));
	EXPECT_EQ(2 * LONG_BITS - 1, nap__os_nth_cpu(mask, 1));
	EXPECT_EQ(3 * LONG_BITS, nap__os_nth_cpu(mask, 2));
}

static uint32_t counted;

static void *count_in_thread(void *one)
{
	sched_setaffinity(0, sizeof(cpu_set_t), one);
	counted = nap_cpu_count();
	return NULL;
}

/* A thread that is bound to one CPU still counts the CPUs that the main thread may use. */
TEST(the_main_threads_mask_counts)
{
	cpu_set_t all, one;
	pthread_t thread;
	int cpu = 0;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	if (CPU_COUNT(&all) < 2)
		SKIP(return, "there is one CPU only");
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ASSERT_EQ(0, pthread_create(&thread, NULL, count_in_thread, &one));
	pthread_join(thread, NULL);
	EXPECT_EQ(nap_cpu_count(), counted);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	ASSERT_EQ(0, pthread_create(&thread, NULL, count_in_thread, &all));
	pthread_join(thread, NULL);
	EXPECT_EQ(1, counted);
}

/* A sandbox answers EPERM to sched_getaffinity(). */
TEST(a_mask_that_may_not_be_read_counts_as_none)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(*code), .filter = code };

	EXPECT_GE(nap__os_affinity_cpus(), 1);
#ifndef NAP_TEST_EMULATED	/* the filter would see the emulator's own calls */
	ASSERT_EQ(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	ASSERT_EQ(0, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	EXPECT_EQ(0, nap__os_affinity_cpus());
	EXPECT_GE(nap__os_cpu_count(NULL, 0), 1);
#else
	(void)program;
#endif
}

/* The count is the smaller one of mask and quota. The test pretends a quota. */
static bool pretends;
static uint32_t pretended;

WRAP(uint32_t, nap__os_quota_cpus, (const char *root))
{
	return pretends && !*root ? pretended : __real_nap__os_quota_cpus(root);
}

TEST(the_quota_cuts_what_affinity_allows)
{
	cpu_set_t all;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	pretends = true;
	pretended = 1;
	EXPECT_EQ(1, nap__os_cpu_count(NULL, 0));
	EXPECT_EQ(1, nap__os_cpu_count((unsigned long *)&all, sizeof(all)));
	pretended = UINT32_MAX;
	EXPECT_EQ(CPU_COUNT(&all), nap__os_cpu_count(NULL, 0));
	EXPECT_EQ(CPU_COUNT(&all), nap__os_cpu_count((unsigned long *)&all, sizeof(all)));
}

/* A pool has at least one worker, whatever the quota says. */
TEST(the_count_is_never_zero)
{
	pretends = true;
	pretended = 0;
	EXPECT_EQ(1, nap__os_cpu_count(NULL, 0));
}

TEST_HARNESS_MAIN
