# SPDX-License-Identifier: MIT
"""Which pools there are, and the records of their workers."""

import gdb

from . import read, words

PHASES = {
    words.PHASE_RUNNING: "open", words.PHASE_DRAIN: "draining", words.PHASE_STOP: "stopped",
    words.PHASE_JOINED: "joined", words.PHASE_JOINED_STOP: "joined after a stop",
}
PROTOCOLS = ("NAP_IDLE_SYNC", "NAP_IDLE_GO", "NAP_IDLE_JEC")
MOST = 1 << 20  # a list with more members than this is broken, and is not followed further


class Pool:
    def __init__(self, value):
        self.value = value
        self.address = read.address_of(value)

    def name(self):
        """The pool's address, and its name in quotes if it has one."""
        try:
            text = read.string(self.value["config"]["name"])
        except gdb.MemoryError:
            text = ""
        return f'{read.named(self.address)} "{text}"' if text else read.named(self.address)

    def phase(self):
        if self.is_parents():
            return "the parent's: this process is the child of a fork"
        phase = int(self.value["phase"])
        text = PHASES.get(phase, f"phase {phase}, which no pool has")
        if phase == words.PHASE_RUNNING and not int(self.value["limit"]):
            return "open, not used yet"
        return text + (", a thread joins" if int(self.value["join"]) == words.JOIN_BUSY else "")

    def is_joined(self):
        return int(self.value["phase"]) in (words.PHASE_JOINED, words.PHASE_JOINED_STOP)

    def is_parents(self):
        generation, here = int(self.value["fork_gen"]), read.variable("nap__fork_gen")
        try:
            return bool(generation) and here is not None and generation != int(here)
        except gdb.error:
            return False

    def protocol(self):
        idle = int(self.value["config"]["idle"])
        return PROTOCOLS[idle] if idle < len(PROTOCOLS) else f"protocol {idle}"

    def records(self):
        """Each worker's and guest's record, the oldest first, as far as the memory can be read."""
        found, seen, record = [], set(), self.value["registry"]
        try:
            while int(record) and int(record) not in seen and len(found) < MOST:
                worker = read.at(record, "nap_worker")
                seen.add(int(record))
                record = worker["next"]
                found.append(worker)
                record.fetch_lazy()
        except gdb.MemoryError as error:
            self.complaint = f"not all records of workers can be read: {error}"
        except read.Missing as error:
            self.complaint = f"workers: {error}"
        return found[::-1]

    complaint = None

    def serial_waiting(self):
        """How many tasks wait in serial queues, by the pool's counters."""
        count = int(self.value["serial_waiting"])
        for worker in self.records():
            count += 0 if int(worker["guest"]) else int(worker["serial_waiting"])
        count %= 1 << 64
        return 0 if count >> 63 else count


def table():
    """The addresses in the table of the pools in use."""
    read.needs_memory()
    try:
        first = int(read.in_c("(unsigned long)&nap__pools"))
    except gdb.MemoryError:
        raise
    except gdb.error:
        raise read.Missing("no symbol nap__pools: the program does not use nap, or was stripped of its symbols")
    try:
        many = read.in_c("nap__pools").type.range()[1] + 1
    except (gdb.error, RuntimeError):
        many = words.NAP_POOLS
    found = [read.word_at(first + 8 * i) & ~words.POOL_LOOKERS for i in range(many)]
    return [address for address in found if address]


def all_pools():
    """The pools in use; then other pools of static storage, which are not used yet, or were joined."""
    used = table()
    pools = [Pool(read.at(address, "nap_pool")) for address in used]
    for _, value in read.statics("nap_pool"):
        if read.address_of(value) not in used:
            pools.append(Pool(value))
    return pools


def chosen(text):
    """The pools that a command is about: that of an expression, or all in use."""
    if text:
        read.needs_memory()
        value = read.evaluate(text, "nap_pool", "pool")
        if read.address_of(value) & words.POOL_LOOKERS:
            raise read.Missing(f"no pool is at {read.address_of(value):#x}: it would be aligned to 64 bytes")
        return [Pool(value)]
    used = table()
    if not used:
        raise read.Missing("no pool is in use")
    return [Pool(read.at(address, "nap_pool")) for address in used]
