# SPDX-License-Identifier: MIT
"""The fibers of a pool: their records lie on top of their stacks (src/async/fiber/stacks.h)."""

import os
import time

import gdb

from . import read, words

LIVES = ("free", "spawned", "begun", "ended")


class Times:
    """stops: when gdb stopped each process, by pid. known: the processes that were seen to stop.

    is_late: a command has shown times of a process that was not seen to stop.
    """
    stops, known, is_late = {}, set(), False


def clock():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def is_childs(pid):
    """Whether gdb has started the process, rather than attached to it."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1]) == os.getpid()
    except OSError:
        return True


def stopped(_):
    pid = gdb.selected_inferior().pid
    Times.stops.setdefault(pid, clock())
    Times.known.add(pid)


def has_thread(event):
    """Notes when gdb attaches to a process. The stop event comes later, when all symbols have been read."""
    inferior = event.inferior_thread.inferior
    if len(inferior.threads()) <= 1:
        Times.known.discard(inferior.pid)
        Times.stops[inferior.pid] = clock()


def goes_on(event):
    """The process goes on. This event also comes while gdb attaches."""
    inferior = event.inferior_thread.inferior if event.inferior_thread else gdb.selected_inferior()
    if inferior.pid in Times.known or is_childs(inferior.pid):
        Times.stops.pop(inferior.pid, None)


def watch_stops():
    gdb.events.new_thread.connect(has_thread)
    gdb.events.stop.connect(stopped)
    gdb.events.cont.connect(goes_on)


def now():
    """CLOCK_MONOTONIC, in ns, when gdb stopped the program; None for a core file, and for another machine."""
    connection = getattr(gdb.selected_inferior(), "connection", None)  # since gdb 11
    if connection is None or connection.type != "native":
        return None
    stop = Times.stops.get(gdb.selected_inferior().pid)
    Times.is_late |= stop is None
    return stop or clock()


def about_times():
    """A remark on the times that a command has shown, or ''."""
    was, Times.is_late = Times.is_late, False
    return "times include that since gdb has stopped the program: nap.py was not loaded by then" if was else ""


class Fiber:
    def __init__(self, pool, value):
        self.pool, self.value, self.address = pool, value, read.address_of(value)
        self.index, self.life = int(value["index"]), int(value["life"])
        self.state, self.on = int(value["wait"]["state"]), int(value["wait"]["on"])
        self.object, self.fn = int(value["wait"]["object"]), int(value["fn"])
        self.name = read.string(value["name"])
        self.scope = int(value["scope"])
        self.thread = None  # the thread that is on the fiber's stack, once waits.World has found one

    def is_waiting(self):
        return self.life == words.FIBER_BEGUN and bool(self.state & words.WAIT_OFF and self.state & words.WAIT_OPEN)

    def has_left(self):
        """Whether the fiber's stack has what a switch has pushed. WAIT_OFF stays set until the fiber's next wait."""
        return self.life == words.FIBER_BEGUN and not self.thread and bool(self.state & words.WAIT_OFF)

    def does(self):
        if self.life != words.FIBER_BEGUN:
            return {words.FIBER_SPAWNED: "is queued, has not begun",
                    words.FIBER_ENDED: "has ended, nobody has awaited it"}.get(self.life, f"life {self.life}?")
        if self.thread or not self.state & words.WAIT_OFF:
            return "runs"
        return "waits" if self.state & words.WAIT_OPEN else "is to go on"

    def label(self):
        return f"fiber {self.index}" + (f' "{self.name}"' if self.name else "")

    def seen(self):
        """When an earlier dump saw the fiber in the same wait, in ns; None if no dump has."""
        seen, progress = int(self.value["seen"]), self.state // words.WAIT_NUMBER
        bits = 64 - words.SEEN_MS_BITS
        if not seen or (seen >> words.SEEN_MS_BITS) != progress & ((1 << bits) - 1):
            return None
        return (seen & ((1 << words.SEEN_MS_BITS) - 1)) * 1000000


class Fibers:
    """The fibers of a pool. .unreadable: the numbers of records that are not in the memory."""

    def __init__(self, pool):
        self.pool, self.unreadable, self.head, self.found = pool, [], None, 0
        if int(pool.value["async"]):
            self.head = read.at(pool.value["async"], "nap__fibers")

    def used(self):
        return int(self.head["used"]) if self.head is not None and int(self.head["stacks"]) else 0

    def at(self, index):
        """The address of a record."""
        size = read.struct("nap_fiber").sizeof
        return int(self.head["stacks"]) + int(self.head["slot"]) * (index + 1) - size

    def is_record(self, address):
        """Whether a record of the pool begins at the address."""
        if not self.used():
            return False
        past = address + read.struct("nap_fiber").sizeof - int(self.head["stacks"])
        return 0 < past <= int(self.head["slot"]) * self.used() and past % int(self.head["slot"]) == 0

    def fiber(self, index):
        """The fiber of a stack; None if the stack is free. Raises gdb.MemoryError if the stack is not in the memory."""
        address = self.at(index)
        life = int.from_bytes(read.bytes_at(address + read.offset("nap_fiber", "life"), 4), "little")
        if life == words.FIBER_FREE:
            return None
        return Fiber(self.pool, read.at(address, "nap_fiber"))

    def all(self):
        for index in range(self.used()):
            try:
                fiber = self.fiber(index)
            except gdb.MemoryError:
                self.unreadable.append(index)
                continue
            if fiber:
                self.found += fiber.life != words.FIBER_ENDED
                yield fiber

    def live(self):
        """How many fibers have not ended, by the pool's counters."""
        if self.head is None:
            return 0
        count = int(self.head["spawned"]) - int(self.head["ended"])
        for record in self.pool.records():
            count += int(record["stats"]["fibers_spawned"]) - int(record["stats"]["fibers_ended"])
        return count

    def lost(self):
        """A remark on records that are not in the memory, or are all zero; or ''."""
        lost = max(len(self.unreadable), self.live() - self.found)
        if lost <= 0:
            return ""
        return (f"{lost} records of fibers are not there: gdb's own core files lack stacks that have guards "
                "(NAP_FIBER_NO_GUARD)")


def heap(root, most):
    """The nodes of a heap of timers (src/async/timer/heap.h)."""
    rest = [root]
    while rest and most >= 0:
        node = rest.pop()
        if int(node):
            most -= 1
            yield node.dereference()
            rest += [node["right"], node["left"]]


def deadlines(fibers):
    """{address of a wait: the wait's deadline in ns}"""
    found = {}
    if fibers.head is None:
        return found
    sleeps = fibers.head["async"]["timers"]["sleeps"]
    try:
        for node in heap(sleeps["root"], int(sleeps["count"])):
            found[int(node["wait"])] = int(node["when"])
    except gdb.MemoryError:
        pass
    return found
