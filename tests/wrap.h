/* SPDX-License-Identifier: MIT */
/*
 * A function that is called in place of a function of the library or of libc:
 *
 * 	WRAP(int, nap__os_yield, (void)) { return __real_nap__os_yield(); }
 *
 * The linker redirects the calls by --wrap; tests/tests.mk finds each WRAP() of a program.
 */
#ifndef NAP_TESTS_WRAP_H
#define NAP_TESTS_WRAP_H

#define WRAP(type, name, parameters)	\
type __real_##name parameters;		\
type __wrap_##name parameters;		\
type __wrap_##name parameters

#endif /* NAP_TESTS_WRAP_H */
