/* SPDX-License-Identifier: MIT */
/*
 * All headers about waiting without a thread: fibers, and what fibers wait for. nap/nap.h includes
 * them, too.
 */
#ifndef NAP_ASYNC_H
#define NAP_ASYNC_H

#include "fiber.h"
#include "here.h"
#include "scope.h"
#include "timer.h"
#include "io.h"
#include "sync.h"
#include "channel.h"

#endif /* NAP_ASYNC_H */
