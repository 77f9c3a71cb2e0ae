/* SPDX-License-Identifier: MIT */
/* Waiting without a thread: fibers, and what they wait for. nap/nap.h includes all of this, too. */
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
