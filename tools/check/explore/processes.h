/* SPDX-License-Identifier: MIT */
/* The processes of a search in parts: starting one, and their ends. */
#ifndef NAP_CHECK_PROCESSES_H
#define NAP_CHECK_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* Returns memory of zeros that this process and its children share. */
void *shared_memory(size_t size);

/* Starts a process, as fork(2); -1: there is none to be had. */
int process_start(void);

/* The caller is the process that goes on with the program. */
void process_goes_on(void);

/*
 * Ends the calling process, which is no longer needed; the first process instead waits for the
 * others, and ends with the exit status of the one that goes on.
 */
_Noreturn void process_leaves(void);

/*
 * From here on SIGINT, SIGTERM and SIGHUP end no process, but are noted for all of them. A second
 * signal ends the process.
 */
void processes_note_signals(void);
bool process_interrupted(void);

/* Ends the calling process if the first process is gone; ends all processes if one has failed. */
void process_look_around(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_PROCESSES_H */
