/* SPDX-License-Identifier: MIT */
/* Eventfds, and a thread's wait for one of them by an epoll that has no other fd. */
#ifndef NAP_SIM_FILES_H
#define NAP_SIM_FILES_H

#include <stdint.h>

/*
 * Do what eventfd(2), write(2) of 1, read(2) and close(2) do. Return a negative errno on failure.
 */
int file_open(void);
int file_write(int fd);
uint64_t file_read(int fd);	/* 0: nothing was written since the last read */
void file_close(int fd);

/* Sleeps until @fd can be read. */
void file_poll(int fd);

#endif /* NAP_SIM_FILES_H */
