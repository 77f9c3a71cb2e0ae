/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_FATAL_H
#define NAP_CHECK_FATAL_H

/* What the next message is about: a scenario's name, which stays the caller's. */
void fatal_is_about(const char *name);

/* End the program: the checker is wrong, or was given what it does not model. */
_Noreturn void fatal(const char *what);

#endif /* NAP_CHECK_FATAL_H */
