/* SPDX-License-Identifier: MIT */
/*
 * A service that sends back what it gets, and its client: a process of its own, on the other CPU where
 * there are two. The row's n is how many requests, its "how" on how many connections at once.
 */
#ifndef NAP_BENCH_ECHO_H
#define NAP_BENCH_ECHO_H

#include "common/row.h"

/* How much is read at once. */
#define ECHO_BYTES 4096

/* A listening socket that does not block; *@port: where. */
int echo_listen(unsigned *port);

/* The client's command line, which ends with NULL. */
void echo_command(const struct size *size, unsigned port, char *command[5]);

/* Run the client to its end; it recomputes every answer. */
void echo_run_client(const struct size *size, unsigned port);

/* Run the client of what is beside tasks (tools/bench/client/beside.c), which prints the samples. */
void echo_run_beside(const struct size *size, unsigned port);

#endif /* NAP_BENCH_ECHO_H */
