/* SPDX-License-Identifier: MIT */
/* What the client of hashd, client.c, and its load, load.c, share. */
#ifndef HASHD_TEST_CLIENT_H
#define HASHD_TEST_CLIENT_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../../tools/example/hashd_frames.h"

uint32_t some(uint32_t below);
int open_connection(void);
char *new_frame(uint32_t id, uint32_t size, uint32_t deadline, uint8_t *digest);

struct load {
	unsigned connections, requests, bytes, ahead, deadline;
};

int run_load(const struct load *load);

#endif /* HASHD_TEST_CLIENT_H */
