/* SPDX-License-Identifier: MIT */
/*
 * Which kind the two unbounded queues are: overflow_*() behind each ring, inject_*() for what is
 * scheduled from outside. Build-time choices (make OVERFLOW= INJECT=), so that they can be
 * compared. Injection must be FIFO: programs in which an older task has to run first hang
 * otherwise.
 */
#ifndef NAP_QUEUE_KIND_H
#define NAP_QUEUE_KIND_H

#include "queue/treiber.h"
#include "queue/vyukov.h"

#ifndef NAP_OVERFLOW
#define NAP_OVERFLOW treiber
#endif
#ifndef NAP_INJECT
#define NAP_INJECT vyukov
#endif

#define NAP__JOIN(a, b)	a##b
#define NAP__CALL(a, b)	NAP__JOIN(a, b)

#define overflow_push	NAP__CALL(NAP_OVERFLOW, _push)
#define overflow_lock	NAP__CALL(NAP_OVERFLOW, _lock)
#define overflow_pop	NAP__CALL(NAP_OVERFLOW, _pop)
#define overflow_unlock	NAP__CALL(NAP_OVERFLOW, _unlock)
#define overflow_empty	NAP__CALL(NAP_OVERFLOW, _empty)

#define inject_push	NAP__CALL(NAP_INJECT, _push)
#define inject_lock	NAP__CALL(NAP_INJECT, _lock)
#define inject_pop	NAP__CALL(NAP_INJECT, _pop)
#define inject_unlock	NAP__CALL(NAP_INJECT, _unlock)
#define inject_empty	NAP__CALL(NAP_INJECT, _empty)

#endif /* NAP_QUEUE_KIND_H */
