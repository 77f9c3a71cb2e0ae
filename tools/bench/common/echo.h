/* SPDX-License-Identifier: MIT */
/*
 * A service that sends back its input, and its client, which is a process of its own, on the
 * other CPU if there are two. The row's n is the number of requests, and HOW is the number of
 * connections at once.
 */
#ifndef NAP_BENCH_ECHO_H
#define NAP_BENCH_ECHO_H

#include "common/row.h"

/* The size of a read. */
#define ECHO_BYTES 4096

/* Returns a listening socket that does not block; *@port is its port. */
int echo_listen(unsigned *port);

/* Writes the client's command line, which ends with NULL. */
void echo_command(const struct size *size, unsigned port, char *command[5]);

/* Runs the client to its end. The client checks every answer. */
void echo_run_client(const struct size *size, unsigned port);

/* Runs tools/bench/client/beside.c, which prints the samples. */
void echo_run_beside(const struct size *size, unsigned port);

#endif /* NAP_BENCH_ECHO_H */
