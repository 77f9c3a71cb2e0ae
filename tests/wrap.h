/* SPDX-License-Identifier: MIT */
/*
 * A function that is called in place of a function of the library or of libc:
 *
 * 	WRAP(int, nap__os_yield, (void)) { return __real_nap__os_yield(); }
 *
 * The linker redirects the calls by --wrap; tests/tests.mk finds each WRAP() of a program.
 * Calls inside one room of src/ are not redirected in every build, because BY_ROOM=1 links a room's
 * objects before the program. So @name has to be a function that another room calls.
 */
#ifndef NAP_TESTS_WRAP_H
#define NAP_TESTS_WRAP_H

#define WRAP(type, name, parameters)	\
type __real_##name parameters;		\
type __wrap_##name parameters;		\
type __wrap_##name parameters

#endif /* NAP_TESTS_WRAP_H */
