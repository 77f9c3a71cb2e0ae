/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_FATAL_H
#define NAP_CHECK_FATAL_H

/* Names the scenario that the next message is about. The string @name stays the caller's. */
void fatal_is_about(const char *name);

/* Ends the program: the checker is wrong, or was given what it does not model. */
_Noreturn void fatal(const char *what);

/*
 * Ends the program without its destructors and atexit() functions: these are the tested program's.
 */
_Noreturn void leave(int status);

#endif /* NAP_CHECK_FATAL_H */
