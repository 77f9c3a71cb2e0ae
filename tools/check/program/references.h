/* SPDX-License-Identifier: MIT */
/*
 * References that C++'s library counts. The counts are inside of the library, which is not compiled
 * for the checker. So the functions of the library that count are replaced, for the program and for
 * the library itself. A thread that gives a reference back is ordered after the threads that gave
 * one back before, as the count would order it; then the library's own function runs. Taking one
 * more reference orders nothing.
 */
#ifndef NAP_CHECK_REFERENCES_H
#define NAP_CHECK_REFERENCES_H

#include <stdint.h>

#include "program/caller.h"
#include "program/shadow.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/*
 * What has references. A kind of object is shared as soon as one of its objects has had a second
 * reference, in some execution. Before that no event is needed.
 */
enum references { OF_EXCEPTIONS, OF_MESSAGES, OF_LOCALES, KINDS_OF_REFERENCES };

void references_shared(enum references kind);
bool references_are_shared(enum references kind);

/*
 * Notes that the running thread is about to give back a reference to @object, if it is the
 * program's.
 */
void reference_back(enum references kind, const void *object, uintptr_t pc);

#pragma GCC visibility pop

#endif /* NAP_CHECK_REFERENCES_H */
