# SPDX-License-Identifier: MIT
"""Threads: which worker a thread is, what the thread runs, and its waits.

A thread has its words (struct nap__self) in thread-local storage, which gdb finds by libthread_db. A
worker's record leads to these words, too. Without them, the thread's waits are sought in its frames.
"""

import gdb

from . import pools, read, words

# The names in nap's own tables of type struct nap__wait_ops. What lies at another address has none
# of these names.
GROUP, QUIET, JOB = "group", "quiet pool", "stolen job"
KINDS = {GROUP, QUIET, JOB, "place for a call", "place of a submitter"}
FRAMES = 200


class Wait:
    """A wait of a thread: ON (enum nap_trace_wait) and OBJECT, or the KIND of its table."""

    def __init__(self, value):
        self.address, self.kind = read.address_of(value), read.string(value["ops"]["name"])
        if self.kind not in KINDS:
            raise read.Missing(f"no wait is at {self.address:#x}")
        self.since, self.deadline = int(value["since"]), int(value["deadline"])
        self.on, self.object, self.pool = words.NAP_TRACE_ON_UNKNOWN, 0, int(value["pool"])
        self.job, self.thief, self.worker_pool = 0, 0, 0
        if self.kind == JOB:
            self.look_at_job(value)
        if int(value["list"]):
            self.object = int(value["list"]) - int(value["ops"]["list_at"])
        elif self.kind == QUIET:
            self.object = self.pool
        if self.kind == GROUP:
            self.on = words.NAP_TRACE_ON_GROUP
            self.look_into_sleeper()

    def look_at_job(self, value):
        """The job's function, and its thief's index plus one. Both are 0 if this is no job, but a broadcast, say."""
        frame = read.container(self.address, "latch_wait", "wait")["frame"].dereference()
        self.job, self.thief = int(frame["run"]), int(frame["thief"])
        self.worker_pool = int(value["worker"]["pool"])

    def look_into_sleeper(self):
        """A thread that waits for a mutex, for example, sleeps on a group of its own: src/async/fiber/wait.h."""
        try:
            sleeper = read.container(self.object, "nap__sleeper", "group")
            if int(sleeper["wait"]) == read.address_of(sleeper["own"]):
                self.on, self.object = int(sleeper["own"]["on"]), int(sleeper["own"]["object"])
        except (gdb.MemoryError, read.Missing):
            pass


class Thread:
    def __init__(self, number=None, own=None, worker=None):
        self.number, self.own, self.worker = number, own, worker  # gdb's, struct nap__self, struct nap_worker
        self.lwp, self.waits, self.complaint = 0, [], None

    def key(self):
        return ("thread", read.address_of(self.own) if self.own is not None else -self.lwp)

    def fiber(self):
        """The fiber on whose stack the thread is, or 0."""
        return int(self.own["fiber"]) if self.own is not None else 0

    def which(self):
        if self.number:
            return f"thread {self.number}"
        return f"LWP {self.lwp}" if self.lwp else "a thread"

    def label(self, many_pools=False):
        if self.worker is None:
            return self.which()
        text = ("guest " if int(self.worker["guest"]) else "worker ") + str(int(self.worker["index"]))
        if many_pools:
            text += f" of {read.function(int(self.worker['pool']))}"
        return f"{text} ({self.which()})"

    def nested(self, record):
        """The functions around the one that the worker of a record runs now, the innermost first."""
        found, at, worker = [], int(self.own["outer"]), int(self.own["worker"])
        for outer in outers(at):
            if worker == record and int(outer["runs"]):
                found.append(int(outer["runs"]))
            worker = int(outer["worker"])
        return found

    def find_waits(self):
        """The waits on the thread's stack, the innermost first."""
        candidates = [int(self.own["sleeps"])]
        before = read.offset("nap__wait", "before")
        candidates += [read.address_of(outer) - before for outer in outers(int(self.own["outer"]))]
        for address in dict.fromkeys(a for a in candidates if a):
            try:
                self.waits.append(Wait(read.at(address, "nap__wait")))
            except (gdb.MemoryError, read.Missing):
                pass

    def sleeps(self):
        return bool(self.own is not None and int(self.own["sleeps"])) or (self.own is None and bool(self.waits))


def outers(at):
    """The records of what a thread was before (struct nap__outer), the innermost first."""
    seen = set()
    while at and at not in seen and len(seen) < FRAMES:
        seen.add(at)
        outer = read.at(at, "nap__outer")
        try:
            at = int(outer["outer"])
        except gdb.MemoryError:
            return
        yield outer


def own_words(thread):
    """Selects gdb's thread, and returns its struct nap__self; None if gdb cannot find that."""
    thread.switch()
    try:
        own = read.in_c("&nap__own")
        return own.dereference()["self"] if read.is_readable(int(own)) else None
    except (gdb.error, gdb.MemoryError):
        return None


def waits_in_frames():
    """The waits that the frames of the selected thread have."""
    found, frame = [], gdb.newest_frame()
    for _ in range(FRAMES):
        if frame is None:
            break
        if frame.name() == "wait_as_thread":
            try:
                found.append(Wait(frame.read_var("w")["wait"]))
            except (gdb.error, ValueError, read.Missing):
                pass
        try:
            frame = frame.older()
        except gdb.error:
            break
    return found


def of_gdb():
    """Each thread that gdb knows, with its words or, without these, the waits in its frames."""
    selected, found = gdb.selected_thread(), []
    frame = gdb.selected_frame() if selected and selected.is_valid() else None
    try:
        for known in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
            thread = Thread(number=known.num, own=own_words(known))
            thread.lwp = known.ptid[1] or known.ptid[2]
            if thread.own is None:
                thread.waits = waits_in_frames()
            found.append(thread)
    finally:
        if selected and selected.is_valid():
            selected.switch()
            frame.select()
    return found


def of_worker(known, pool, record):
    """The thread of a worker's record: one of KNOWN, or a new one."""
    own = record["self"].dereference()
    address = int(record["self"])
    for thread in known:
        if thread.own is not None and read.address_of(thread.own) == address:
            return thread
    lwp = int(own["number"])
    for thread in known:
        if thread.own is None and lwp and thread.lwp == lwp:
            thread.own, thread.waits = own, []
            return thread
    thread = Thread(own=own)
    thread.lwp = lwp
    known.append(thread)
    return thread


def is_started(record):
    """Whether a worker's thread runs: it may run a task before its starter has noted the start."""
    state = int(record["record"])
    return state == words.RECORD_STARTED or (state == words.RECORD_CLAIMED and int(record["runs"]) != 0)


def has_thread(record):
    if int(record["guest"]):
        return int(record["record"]) != words.RECORD_FREE
    return is_started(record) or words.RECORD_STARTED <= int(record["record"]) < words.RECORD_JOINED


def visitors(pool, known):
    """Threads from outside that are in the pool's list of waiters, and not in KNOWN."""
    at, seen = int(pool.value["waiters"]), set()
    have = {wait.address for thread in known for wait in thread.waits}
    while at not in (0, words.WAITLIST_CLOSED) and at not in seen and len(seen) < pools.MOST:
        seen.add(at)
        node = read.at(at, "nap__waiter")
        if int(node["event"]) != words.WAITER_IS_LISTENER:
            wait = read.container(at, "nap__wait", "visitor")
            if read.address_of(wait) not in have and not int(wait["worker"]):
                thread = Thread()
                thread.waits = [Wait(wait)]
                thread.lwp = -at
                thread.which = lambda: "a thread from outside"
                yield thread
        at = int(node["next"])


def collect(some):
    """(every thread, {record of a worker: its thread}) of the pools."""
    found, by_record = of_gdb(), {}
    for pool in some:
        for record in pool.records():
            try:
                if not has_thread(record) or not int(record["self"]) or not read.is_readable(int(record["self"])):
                    continue
                thread = of_worker(found, pool, record)
                by_record[read.address_of(record)] = thread
                if thread.worker is None or int(thread.own["worker"]) == read.address_of(record):
                    thread.worker = record
            except (gdb.MemoryError, read.Missing):
                continue
    for thread in found:
        if thread.own is not None:
            try:
                thread.find_waits()
            except (gdb.MemoryError, read.Missing) as error:
                thread.complaint = str(error)
    for pool in some:
        try:
            found += list(visitors(pool, found))
        except (gdb.MemoryError, read.Missing):
            pass
    return found, by_record
