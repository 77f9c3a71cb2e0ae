/* SPDX-License-Identifier: MIT */
/*
 * The sections of a trace's file: which there are, and what is in them. Most pools here have no
 * worker, and the events are the test's own.
 */
#include <sys/syscall.h>

#include <nap/trace.h>

#include "pool_fixture.h"
#include "trace/trace.h"
#include "trace_fixture.h"

static struct nap_pool pool;
static union {
	char bytes[1 << 22];
	struct nap_trace_file file;
} whole;
static size_t size;

/* Writes a snapshot into whole. */
static void snapshot(void)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	ssize_t n;

	if (nap_trace_write(&pool, fd))
		abort();
	n = pread(fd, whole.bytes, sizeof(whole), 0);
	size = n > 0 ? (size_t)n : 0;
	close(fd);
}

/*
 * Finds section @number of a type, counted from 0. *@section: its head; returns what follows, or
 * NULL if there is none. Aborts if a section does not begin where the one before ends.
 */
static const void *find(uint32_t type, int number, struct nap_trace_section *section)
{
	for (size_t at = sizeof(whole.file); at + sizeof(*section) <= size;) {
		memcpy(section, whole.bytes + at, sizeof(*section));
		at += sizeof(*section);
		if (section->type == type && number-- == 0)
			return whole.bytes + at;
		at += (section->length + 7) / 8 * 8;
		if (section->type == NAP_TRACE_LAST && at != size)
			abort();
	}
	return NULL;
}

static void begin(struct nap_config config, uint32_t events)
{
	struct nap_trace_options options = { .events = events };

	config.max_workers = 2;
	if (nap_pool_init(&pool, &config) || nap_trace_begin(&pool, &options))
		abort();
}

TEST(a_ring_has_a_power_of_two_events)
{
	static const uint32_t sizes[][2] = {
		{ 0, NAP_TRACE_EVENTS }, { 1, 64 }, { 64, 64 }, { 65, 128 }, { 128, 128 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		begin((struct nap_config){ 0 }, sizes[i][0]);
		snapshot();
		EXPECT_EQ(whole.file.ring, sizes[i][1]);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

/* The events of a thread from outside: each has a number. */
TEST(the_latest_events_that_fit_are_kept)
{
	struct nap_trace_section section;
	struct nap_trace_track track;
	uint64_t n = 0;

	begin((struct nap_config){ 0 }, 64);
	for (uint64_t most = 62; most <= 67; most++) {
		const char *at;

		while (n < most)
			nap__trace_event(&pool, NAP_TRACE_PUSH, 7, n++, 9);
		snapshot();
		at = find(NAP_TRACE_OUTSIDE, 0, &section);
		ASSERT_NE(at, NULL);
		memcpy(&track, at, sizeof(track));
		EXPECT_EQ(track.written, most);
		EXPECT_EQ(track.kept, most < 64 ? most : 64);
		EXPECT_EQ(track.lost, most - track.kept);
		EXPECT_EQ(track.dropped, 0);
		EXPECT_EQ(section.length,
			  sizeof(track) + track.kept * sizeof(struct nap_trace_outside));
		for (uint64_t i = 0; i < track.kept; i++) {
			struct nap_trace_outside one;

			memcpy(&one, at + sizeof(track) + i * sizeof(one), sizeof(one));
			ASSERT_EQ(one.event.a, track.lost + i);
			ASSERT_EQ(one.event.b, 9);
			ASSERT_EQ(one.event.kind, NAP_TRACE_PUSH);
			ASSERT_EQ(one.event.other, 7);
			ASSERT_EQ(one.event.flags, 0);
			ASSERT_EQ(one.thread, syscall(SYS_gettid));
			ASSERT_EQ(one.reserved, 0);
		}
	}
	EXPECT_EQ(find(NAP_TRACE_WORKER, 0, &section), NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A name of each length up to two words; the next section begins at a whole word. */
TEST(texts_are_padded)
{
	static const char name[] = "sixteen_letters.";
	struct nap_trace_section section;

	for (size_t length = 0; length <= 16; length++) {
		const char *at;

		begin((struct nap_config){ .name = name + 16 - length }, 64);
		snapshot();
		at = find(NAP_TRACE_NAME, 0, &section);
		ASSERT_EQ(at != NULL, length > 0);
		if (at) {
			EXPECT_EQ(section.length, length);
			EXPECT_EQ(memcmp(at, name + 16 - length, length), 0);
		}
		EXPECT_NE(find(NAP_TRACE_LAST, 0, &section), NULL);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	}
	begin((struct nap_config){ 0 }, 64);
	snapshot();
	EXPECT_EQ(find(NAP_TRACE_NAME, 0, &section), NULL);
	EXPECT_NE(find(NAP_TRACE_EXE, 0, &section), NULL);
	EXPECT_NE(find(NAP_TRACE_MAPS, 0, &section), NULL);
	EXPECT_EQ(find(NAP_TRACE_CLASSES, 0, &section), NULL);
	EXPECT_EQ(find(NAP_TRACE_PAUSES, 0, &section), NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A static pool may have a wrong number of classes, which counts as the largest. */
TEST(as_many_classes_as_the_pool_has)
{
	static const uint32_t counts[][2] = {
		{ 1, 1 }, { 2, 2 }, { NAP_CLASSES, NAP_CLASSES }, { 0, NAP_CLASSES },
		{ NAP_CLASSES + 1, NAP_CLASSES },
	};
	static struct nap_classes classes = {
		.of = { { .weight = 3, .limit = 1 }, { .weight = 2 } }, .count = 1 };
	struct nap_trace_section section;

	begin((struct nap_config){ .classes = &classes }, 64);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct nap_trace_class class[2];
		const char *at;

		classes.count = counts[i][0];
		snapshot();
		at = find(NAP_TRACE_CLASSES, 0, &section);
		ASSERT_NE(at, NULL);
		EXPECT_EQ(section.length, counts[i][1] * sizeof(*class));
		memcpy(class, at, counts[i][1] > 1 ? sizeof(class) : sizeof(*class));
		EXPECT_EQ(class[0].address, (uintptr_t)&classes.of[0]);
		EXPECT_EQ(class[0].weight, 3);
		EXPECT_EQ(class[0].limit, 1);
		if (counts[i][1] > 1) {
			EXPECT_EQ(class[1].address, (uintptr_t)&classes.of[1]);
			EXPECT_EQ(class[1].weight, 2);
		}
		EXPECT_NE(find(NAP_TRACE_LAST, 0, &section), NULL);
	}
	classes.count = 1;
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void run_some(int n)
{
	while (n--)
		nap_schedule(&pool, new_task(count_and_free));
	nap_pool_quiesce(&pool);
}

TEST(counters_from_the_begin_and_from_now)
{
	struct nap_config config = { .max_workers = 2 };
	struct nap_pool_stats before, now;
	struct nap_trace_section section;
	const void *at;

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	run_some(5);
	ASSERT_EQ(nap_trace_begin(&pool, NULL), 0);
	run_some(3);
	snapshot();
	at = find(NAP_TRACE_STATS, 0, &section);
	ASSERT_NE(at, NULL);
	EXPECT_EQ(section.id, 0);
	memcpy(&before, at, sizeof(before));
	EXPECT_EQ(before.workers.run + before.helped, 5);
	at = find(NAP_TRACE_STATS, 1, &section);
	ASSERT_NE(at, NULL);
	EXPECT_EQ(section.id, 1);
	memcpy(&now, at, sizeof(now));
	EXPECT_EQ(now.workers.run + now.helped, 8);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Two clocks were read at once: by the system's, both are the same. */
TEST(the_clocks_of_the_head)
{
	struct nap_trace_options options = { .flags = NAP_TRACE_BY_SYSTEM };
	uint64_t before = nap__os_now();

	ASSERT_EQ(nap_trace_begin(&pool, &options), 0);
	snapshot();
	EXPECT_EQ(whole.file.clock, NAP_TRACE_MONOTONIC);
	EXPECT_EQ(whole.file.begin_ticks, whole.file.begin_ns);
	EXPECT_EQ(whole.file.end_ticks, whole.file.end_ns);
	EXPECT_GE(whole.file.begin_ns, before);
	EXPECT_LE(whole.file.begin_ns, whole.file.end_ns);
	EXPECT_LE(whole.file.end_ns, nap__os_now());
	EXPECT_EQ(whole.file.version, NAP_TRACE_VERSION);
	EXPECT_EQ(whole.file.order, NAP_TRACE_ORDER);
	EXPECT_EQ(whole.file.flags, NAP_TRACE_ON);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
