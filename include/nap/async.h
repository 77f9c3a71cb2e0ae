/* SPDX-License-Identifier: MIT */
/* What waits without a thread: fibers, and what they wait for. All of it is in nap/nap.h, too. */
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
