/* SPDX-License-Identifier: MIT */
/*
 * An epoll with one file and an eventfd, in place of src/os/linux/epoll.c and eventfd.c. Each
 * call sees what was done before it, because the kernel has locks. A file is reported once each
 * time it is armed, the eventfd once for each write.
 */
#ifndef MODEL_EPOLL_H
#define MODEL_EPOLL_H

#include <errno.h>

#include <nap/check.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "os/linux/epoll.h"
#include "os/os.h"

#define EPOLL_FD	100
#define EVENT_FD_NR	200
#define FILE_FD		3

/* Bits of the word: what the file is ready for, what the file is armed for, and two flags. */
#define READY_FOR(events)	(events)
#define ARMED_FOR(events)	((events) << 8)
#define WRITTEN			(1u << 16)
#define CLOSED			(1u << 17)

static uint32_t epoll, nr_written, armed_number;

static inline void epoll_begin(void)
{
	epoll = nr_written = armed_number = 0;
	check_name(&epoll, sizeof(epoll), "epoll");
	check_name(&nr_written, sizeof(nr_written), "eventfd");
}

int nap__os_epoll_open(void)
{
	return EPOLL_FD;
}

void nap__os_epoll_close(int fd)
{
	CHECK(fd == EPOLL_FD);
}

int nap__os_eventfd_open(void)
{
	return EVENT_FD_NR;
}

void nap__os_eventfd_close(int fd)
{
	CHECK(fd == EVENT_FD_NR);
	nap_fetch_or_acq_rel(&epoll, CLOSED);
}

int nap__os_eventfd_write(int fd)
{
	CHECK(fd == EVENT_FD_NR);
	/* The kernel finds the file of @fd once; a close after that does no harm. */
	CHECK(!(nap_fetch_or_acq_rel(&epoll, WRITTEN) & CLOSED));
	nap__futex_wake(&epoll, 1);
	nap_fetch_add_acq_rel(&nr_written, 1);
	nap__futex_wake(&nr_written, 1);
	return 0;
}

uint64_t nap__os_eventfd_read(int fd)
{
	CHECK(fd == EVENT_FD_NR);
	return nap_xchg_acq_rel(&nr_written, 0);
}

bool nap__os_eventfd_wait(int fd, uint64_t ns)
{
	CHECK(fd == EVENT_FD_NR && ns == UINT64_MAX);
	if (nap_cmpxchg_relaxed(&nr_written, 0, 0) == 0)
		nap__futex_wait(&nr_written, 0, ns);
	return true;
}

int nap__os_epoll_watch(int fd, int watched)
{
	CHECK(fd == EPOLL_FD && watched == EVENT_FD_NR);
	return 0;
}

int nap__os_epoll_arm(int fd, int file, uint32_t number, uint32_t events)
{
	uint32_t word = nap_load_relaxed(&epoll);

	CHECK(fd == EPOLL_FD && file == FILE_FD && events);
	nap_store_relaxed(&armed_number, number);
	while (!nap_try_cmpxchg_acq_rel(&epoll, &word,
					(word & ~ARMED_FOR(0xffu)) | ARMED_FOR(events)))
		;
	nap__futex_wake(&epoll, 1);
	return 0;
}

void nap__os_epoll_forget(int fd, int file)
{
	CHECK(fd == EPOLL_FD && file == FILE_FD);
	nap_fetch_and_acq_rel(&epoll, ~ARMED_FOR(0xffu));
}

static inline uint32_t epoll_ready(uint32_t word)
{
	return word & (word >> 8) & 0xffu;
}

int nap__os_epoll_wait(int fd, struct nap__os_ready *ready, int most, uint64_t deadline)
{
	uint32_t word = nap_load_relaxed(&epoll), events;
	int n = 0, err = 0;

	CHECK(fd == EPOLL_FD && most >= 2);
	for (;;) {
		events = epoll_ready(word);
		if (!events && !(word & WRITTEN)) {
			if (!deadline || err == -ETIMEDOUT)
				return 0;
			err = nap__futex_wait(&epoll, word, deadline);
			word = nap_load_relaxed(&epoll);
		} else if (nap_try_cmpxchg_acq_rel(&epoll, &word, word & ~(WRITTEN |
							(events ? ARMED_FOR(0xffu) : 0)))) {
			break;
		}
	}
	if (events) {
		ready[n].events = events;
		ready_set(&ready[n++], FILE_FD, nap_load_relaxed(&armed_number));
	}
	if (word & WRITTEN) {
		ready[n].events = 1;
		ready_set(&ready[n++], EVENT_FD_NR, 0);
	}
	return n;
}

int nap__os_poll(int fd, uint32_t events, uint64_t deadline)
{
	(void)fd;
	(void)events;
	(void)deadline;
	CHECK(false);
	return 0;
}

/* The file becomes ready, and stays ready. */
static inline void file_ready(uint32_t events)
{
	nap_fetch_or_acq_rel(&epoll, READY_FOR(events));
	nap__futex_wake(&epoll, 1);
}

#endif /* MODEL_EPOLL_H */
