# SPDX-License-Identifier: MIT
"""Numbers that stand in the sources, but not in the debug information: macros and enumerators.

tests/system/gdb_stuck.sh compares each with the file that is named before it.
"""

# src/worker/pools.h
NAP_POOLS = 64
POOL_LOOKERS = 63

# src/worker/phase.h
PHASE_RUNNING = 0
PHASE_DRAIN = 1
PHASE_STOP = 2
PHASE_JOINED = 3
PHASE_JOINED_STOP = 4
JOIN_BUSY = 1

# src/worker/worker.h
RECORD_FREE = 0
RECORD_CLAIMED = 1
RECORD_STARTED = 2
RECORD_STANDBY = 3
RECORD_LEAVING = 4
RECORD_GONE = 5
RECORD_JOINING = 6
RECORD_JOINED = 7

# src/worker/runs.h
SEEN_MS_BITS = 40

# src/sync/event.h
EVENT_PARKED = 1

# src/sync/lock_word.h
LOCK_STATE = 4

# src/sync/waitlist.h
WAITLIST_CLOSED = 1
WAITER_IS_LISTENER = 1

# src/sync/debug.h
DEBUG_SCHEDULED = 1 << 63

# src/queue/treiber.h
TREIBER_CACHED = 1
TREIBER_CONSUMING = 2
TREIBER_TAGS = 3

# src/queue/vyukov.h
VYUKOV_CONSUMING = 1
VYUKOV_WANTED = 2

# src/queue/inbox.h
INBOX_FLAGS = 7

# src/queue/list.h
LIST_MARK = 1

# src/async/fiber/fiber.h
FIBER_FREE = 0
FIBER_SPAWNED = 1
FIBER_BEGUN = 2
FIBER_ENDED = 3

# src/async/fiber/wait.h
WAIT_OPEN = 1
WAIT_OFF = 4
WAIT_NUMBER = 256
WAIT_TO_END = 136

# include/nap/trace_file.h
NAP_TRACE_ON_UNKNOWN = 0
NAP_TRACE_ON_YIELD = 1
NAP_TRACE_ON_TIME = 2
NAP_TRACE_ON_GROUP = 3
NAP_TRACE_ON_FIBER = 4
NAP_TRACE_ON_MUTEX = 5
NAP_TRACE_ON_COND = 6
NAP_TRACE_ON_SEM = 7
NAP_TRACE_ON_EVENT = 8
NAP_TRACE_ON_CHANNEL = 9
NAP_TRACE_ON_SELECT = 10
NAP_TRACE_ON_FILE = 11
NAP_TRACE_ON_TIMER = 12
