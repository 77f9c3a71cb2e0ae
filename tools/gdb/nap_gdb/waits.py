# SPDX-License-Identifier: MIT
"""Who waits for whom. A waiter, a fiber or a thread, waits for an object that another one holds."""

import collections

import gdb

from . import fibers, pools, read, threads, words

OBJECTS = {
    words.NAP_TRACE_ON_UNKNOWN: "something", words.NAP_TRACE_ON_YIELD: "its turn",
    words.NAP_TRACE_ON_TIME: "a time", words.NAP_TRACE_ON_FIBER: "the end of",
    words.NAP_TRACE_ON_GROUP: "group", words.NAP_TRACE_ON_SEM: "semaphore", words.NAP_TRACE_ON_MUTEX: "mutex",
    words.NAP_TRACE_ON_COND: "condition", words.NAP_TRACE_ON_EVENT: "event", words.NAP_TRACE_ON_CHANNEL: "channel",
    words.NAP_TRACE_ON_SELECT: "one of several channels", words.NAP_TRACE_ON_FILE: "file descriptor",
    words.NAP_TRACE_ON_TIMER: "the end of a timer's task",
}


class Edge:
    """What a waiter waits for, in words, and who has it: keys of other waiters."""

    def __init__(self, waiter, text, holders=(), since=None, deadline=None):
        self.waiter, self.text, self.holders = waiter, text, list(holders)
        self.since, self.deadline = since, deadline


def with_others(some):
    """SOME pools, and all others in use: a fiber of one pool may wait for a fiber of another pool."""
    known = {pool.address for pool in some}
    try:
        return some + [pool for pool in pools.chosen("") if pool.address not in known]
    except (read.Missing, gdb.MemoryError):
        return some


class World:
    """The threads and fibers of the program; .pools: those that are asked for; .notes: what could not be read."""

    def __init__(self, some):
        self.pools, self.notes = some, []
        self.all_pools = with_others(some)
        self.threads, self.by_record = threads.collect(self.all_pools)
        self.by_self = {read.address_of(t.own): t for t in self.threads if t.own is not None}
        self.fibers, self.deadlines, self.heads = {}, {}, []
        for pool in self.all_pools:
            try:
                head = fibers.Fibers(pool)
                self.heads.append(head)
                self.fibers.update((fiber.address, fiber) for fiber in head.all())
                self.deadlines.update(fibers.deadlines(head))
                self.notes += [head.lost()] if head.lost() else []
            except read.Missing as error:
                self.notes.append(f"fibers: {error}")
            except gdb.MemoryError as error:
                self.notes.append(f"fibers: cannot be read: {error}")
            self.notes += [pool.complaint] if pool.complaint else []
        for thread in self.threads:
            if thread.fiber() in self.fibers:
                self.fibers[thread.fiber()].thread = thread
        self.by_scope = {}
        for fiber in self.fibers.values():
            self.by_scope.setdefault(fiber.scope, []).append(fiber)
        self.notes += [f"{t.label()}: its waits cannot be read: {t.complaint}" for t in self.threads if t.complaint]

    def many(self):
        return len(self.all_pools) > 1

    def fiber_label(self, address):
        """The fiber's own label, or a text that says why the address is no fiber's."""
        fiber = self.fibers.get(address)
        if fiber:
            return fiber.label() + (f" of {read.function(fiber.pool.address)}" if self.many() else "")
        if any(head.is_record(address) for head in self.heads):
            return f"a fiber that has ended (its stack: {address:#x})"
        return f"a fiber of another pool ({address:#x})"

    def label(self, key):
        if key[0] == "fiber":
            return self.fiber_label(key[1])
        return self.thread(key).label(self.many())

    def concerns(self, edge):
        """Whether the waiter is a fiber or a worker of the pools that are asked for, or a thread from outside."""
        if edge.waiter[0] == "fiber":
            return self.fibers[edge.waiter[1]].pool in self.pools
        thread = self.thread(edge.waiter)
        return thread.worker is None or int(thread.worker["pool"]) in [pool.address for pool in self.pools]

    def thread(self, key):
        return next(thread for thread in self.threads if thread.key() == key)

    # ---- objects

    def mutex(self, address):
        """(a text about the owner, the owner's keys)"""
        mutex = read.at(address, "nap_mutex")
        if not int(mutex["state"]) & words.LOCK_STATE:
            return ", which is free at this moment", []
        owner = int(mutex["owner"])
        if not owner:
            return " owned by a thread (a mutex does not note which)", []
        fiber = self.fibers.get(owner)
        if fiber and fiber.life == words.FIBER_ENDED:
            return f" owned by {self.fiber_label(owner)}, which has ended", []
        return f" owned by {self.fiber_label(owner)}", [("fiber", owner)] if fiber else []

    def group(self, address):
        group = read.at(address, "nap_group")
        text = f" ({int(group['state']) & 0xffffffff} to be done)"
        if not any(self.by_scope):
            return text, []  # and a program without scopes has no struct nap_scope
        scope = address - read.offset("nap_scope", "group")
        inside = [fiber for fiber in self.by_scope.get(scope, ()) if fiber.life != words.FIBER_ENDED]
        if inside:
            text += ", a scope's, with " + ", ".join(self.fiber_label(fiber.address) for fiber in inside)
        return text, [("fiber", fiber.address) for fiber in inside]

    def timers_runs(self):
        """(timer, thread) of each timer's task that runs."""
        for head in (h.head for h in self.heads if h.head is not None):
            at, seen = int(head["async"]["timers"]["running"]), set()
            while at and at not in seen:
                seen.add(at)
                run = read.at(at, "nap__timer_run")
                thread = self.by_self.get(int(run["self"]))
                if thread:
                    yield int(run["timer"]), thread
                at = int(run["next"])

    def timer(self, address):
        for timer, thread in self.timers_runs():
            if timer == address:
                return f", which runs on {thread.label(self.many())}", [thread.key()]
        return "", []

    def object(self, on, address):
        """("mutex 0x1234 <m> owned by ...", the keys of the holders)"""
        text, more, holders = OBJECTS.get(on, OBJECTS[words.NAP_TRACE_ON_UNKNOWN]), "", []
        if on == words.NAP_TRACE_ON_FILE:
            return f"{text} {address}", holders
        if on == words.NAP_TRACE_ON_FIBER:
            return f"{text} {self.fiber_label(address)}", [("fiber", address)] if address in self.fibers else []
        if not address:
            return text, holders
        who = {words.NAP_TRACE_ON_MUTEX: self.mutex, words.NAP_TRACE_ON_GROUP: self.group,
               words.NAP_TRACE_ON_TIMER: self.timer}.get(on)
        try:
            more, holders = who(address) if who else ("", [])
        except (gdb.MemoryError, read.Missing) as error:
            more = f", which cannot be read: {error}"
        return f"{text} {read.named(address)}{more}", holders

    def thread_wait(self, wait):
        if wait.kind == threads.GROUP:
            return self.object(wait.on, wait.object)
        if wait.kind == threads.JOB and wait.job:
            thief = self.thief(wait)
            text = f", stolen by {thief.label(self.many())}" if thief else ", stolen"
            return f"job {read.function(wait.job)}{text}", [thief.key()] if thief else []
        return f"a {wait.kind}" + (f" {read.named(wait.object)}" if wait.object else ""), []

    def thief(self, wait):
        """The thread that runs the job, or None."""
        for pool in (p for p in self.all_pools if p.address == wait.worker_pool):
            for record in pool.records():
                if int(record["index"]) == wait.thief - 1:
                    return self.by_record.get(read.address_of(record))
        return None

    # ---- edges

    def of_fiber(self, fiber):
        key = ("fiber", fiber.address)
        if fiber.is_waiting():
            text, holders = self.object(fiber.on, fiber.object)
            deadline = self.deadlines.get(fiber.address + read.offset("nap_fiber", "wait"))
            return [Edge(key, text, holders, fiber.seen(), deadline)]
        if fiber.does() == "runs":
            return [Edge(key, f"{t.label(self.many())}, on which it runs", [t.key()])
                    for t in self.threads if t.fiber() == fiber.address and t.waits]
        return []

    def edges(self):
        found = [edge for fiber in self.fibers.values() for edge in self.of_fiber(fiber)]
        for thread in self.threads:
            for wait in thread.waits:
                text, holders = self.thread_wait(wait)
                found.append(Edge(thread.key(), text, holders, wait.since or None, wait.deadline))
        return found


def cycles(edges):
    """Lists of (edge, holder): the waiter of each edge waits for that of the next, the last for the first."""
    leads = {}
    for edge in edges:
        for holder in edge.holders:
            leads.setdefault(edge.waiter, []).append((edge, holder))
    trim(leads)
    met = set()
    for first in leads:
        cycle = None if first in met else shortest(leads, first)
        if cycle:
            met.update(edge.waiter for edge, _ in cycle)
            yield cycle


def trim(leads):
    """Drops each waiter that waits only for dropped ones. So long chains that lead to no cycle cost little."""
    waiters = {}
    for waiter in leads:
        for _, holder in leads[waiter]:
            waiters.setdefault(holder, []).append(waiter)
    left = {waiter: len(steps) for waiter, steps in leads.items()}
    gone = [holder for holder in waiters if holder not in leads]
    while gone:
        for waiter in waiters.get(gone.pop(), ()):
            left[waiter] -= 1
            if not left[waiter]:
                del leads[waiter]
                gone.append(waiter)


def shortest(leads, first):
    """The shortest way from a waiter back to itself, or None."""
    came, ways = {}, collections.deque([first])
    while ways:
        key = ways.popleft()
        for edge, holder in leads.get(key, ()):
            if holder == first:
                return way_to(came, first, key) + [(edge, holder)]
            if holder not in came:
                came[holder] = (key, (edge, holder))
                ways.append(holder)
    return None


def way_to(came, first, key):
    steps = []
    while key != first:
        key, step = came[key]
        steps.append(step)
    return steps[::-1]
