/* SPDX-License-Identifier: MIT */
/* The parts of hashd's client that its files share: client.c, load.c and odd.c. */
#ifndef HASHD_TEST_CLIENT_H
#define HASHD_TEST_CLIENT_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../../tools/example/hashd_frames.h"

uint32_t some(uint32_t below);
int open_connection(void);
void send_frame(int fd, uint32_t id, uint32_t size, size_t but, uint8_t *digest);
bool has_reply(int fd, uint32_t id, enum hash_status status, const uint8_t *digest);
char *new_frame(uint32_t id, uint32_t size, uint32_t deadline, uint8_t *digest);

struct load {
	unsigned connections, requests, bytes, ahead, deadline;
};

int run_load(const struct load *load);

/* odd.c */
int run_shut(unsigned times);
int run_reset(unsigned times, unsigned bytes);
int run_rude(unsigned times, unsigned bytes);
int run_held(unsigned times, unsigned bytes, bool stays);
int run_later(unsigned bytes);
int run_slow(void);

#endif /* HASHD_TEST_CLIENT_H */
