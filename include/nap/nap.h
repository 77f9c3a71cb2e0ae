/* SPDX-License-Identifier: MIT */
/* The whole public API of nap. */
#ifndef NAP_NAP_H
#define NAP_NAP_H

#include "version.h"
#include "task.h"
#include "fork.h"
#include "call.h"
#include "broadcast.h"
#include "parallel.h"
#include "group.h"
#include "local.h"
#include "stats.h"
#include "pool.h"
#include "child.h"
#include "limit.h"
#include "blocking.h"
#include "complete.h"
#include "end.h"
#include "async.h"
#include "work.h"
#include "submit.h"
#include "serial.h"
#include "order.h"
#include "class.h"
#include "new.h"
#include "after.h"
#include "metrics.h"
#include "histogram.h"
#include "trace.h"
#include "dump.h"
#include "foreign.h"

#endif /* NAP_NAP_H */
