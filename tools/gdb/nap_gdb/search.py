# SPDX-License-Identifier: MIT
"""Queues that no pool leads to: serial and ordered queues, and completion queues.

A serial queue is known to its pool only while the queue's own task is queued. While a quantum runs, the
worker's stack has the queue's address. Else the queue is idle, and has no tasks. So queues are sought by
queued own tasks, in the stacks of threads and in static variables. The pool's counters say whether some
tasks were not found.
"""

import gdb

from . import read, tasks, unwind

STACK = 1 << 18  # bytes of a stack that are looked through


def kept(frame):
    """A frame's values of the registers that a call keeps. Such a value need not be on the stack."""
    for name in unwind.SAVED.get(frame.architecture().name(), (0, {}))[1]:
        try:
            yield int(frame.read_register(name)) % (1 << 64)
        except (gdb.error, ValueError):
            pass


def stack_words(thread):
    """The different words on the stack of a thread that gdb knows, from its stack pointer on, and in its registers."""
    known = [t for t in gdb.selected_inferior().threads() if t.num == thread.number]
    if not known:
        return set()
    selected, found = gdb.selected_thread(), set()
    frame = gdb.selected_frame() if selected else None
    try:
        known[0].switch()
        found.update(kept(gdb.newest_frame()))
        at = int(gdb.newest_frame().read_register("sp")) & ~7
        end = at + STACK
        while at < end:
            past = (at & ~4095) + 4096
            raw = read.bytes_at(at, past - at)
            found.update(int.from_bytes(raw[i:i + 8], "little") for i in range(0, past - at, 8))
            at = past
    except (gdb.error, gdb.MemoryError):
        pass
    finally:
        if selected:
            selected.switch()
            frame.select()
    return {word for word in found if word % 8 == 0 and 4096 < word < 1 << 56}


def in_stacks(pool, threads, found):
    run_at = read.offset("nap_serial", "task.run")
    for thread in threads:
        for word in stack_words(thread):
            try:
                if read.word_at(word) != pool.address:
                    continue
                run = read.word_at(word + run_at)
            except (gdb.MemoryError, OverflowError):
                continue
            if read.is_ours(run, "serial_run", "kit/serial.c"):
                found.serial(word)
            elif read.is_ours(run, "order_run", "kit/order.c"):
                found.serial(word, True)


def in_statics(pool, found):
    for kind, is_order in (("nap_serial", False), ("nap_order", True)):
        try:
            for _, value in read.statics(kind):
                serial = value["serial"] if is_order else value
                if int(serial["pool"]) == pool.address:
                    found.serial(read.address_of(value), is_order)
        except (read.Missing, gdb.MemoryError):
            pass


def in_serials(pool, threads, found):
    """Every task in a serial or ordered queue of the pool that can be found."""
    all_tasks = list(walk(found))
    missed = missing(pool, all_tasks, found)
    for look in (lambda: in_stacks(pool, threads, found), lambda: in_statics(pool, found)):
        if missed > 0:
            look()
            all_tasks = list(walk(found))
            missed = missing(pool, all_tasks, found)
    if missed > 0:
        found.notes.append(f"{missed} tasks wait in serial or ordered queues that no queued task, static variable or "
                           "stack leads to: show one with nap tasks -in QUEUE")
    return all_tasks


def missing(pool, all_tasks, found):
    """How many more tasks the pool has counted than were found. A queued own task stands for one task of its queue."""
    try:
        count = pool.serial_waiting()
    except gdb.MemoryError:
        count = 0
    if pool.complaint:
        return 0
    return count + len(found.own_queued) - len(all_tasks)


def walk(found):
    for address in list(found.serials):
        yield from one(tasks.of_serial, read.at(address, "nap_serial"), f"serial queue {read.named(address)}", found)
    for address in list(found.orders):
        yield from one(tasks.of_order, read.at(address, "nap_order"), f"ordered queue {read.named(address)}", found)


def one(walker, value, place, found):
    try:
        yield from walker(value, place, found)
    except gdb.MemoryError as error:
        found.notes.append(f"{place}: cannot be read: {error}")


def in_loops(found):
    """Every task in a completion queue that is a static variable, or that of a queued work."""
    try:
        for _, value in read.statics("nap_cq"):
            found.loops.setdefault(read.address_of(value), None)
    except (read.Missing, gdb.MemoryError):
        pass
    for address in list(found.loops):
        place = f"completion queue {read.named(address)}"
        yield from one(tasks.of_loop, read.at(address, "nap_cq"), place, found)


def in_given(text, found):
    """The tasks of the queue that an expression is."""
    try:
        value = gdb.parse_and_eval(text)
    except gdb.MemoryError:
        raise
    except gdb.error as error:
        raise read.Missing(str(error))
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        value = value.dereference()
    walkers = {"nap_serial": tasks.of_serial, "nap_order": tasks.of_order, "nap_cq": tasks.of_loop}
    tag = value.type.strip_typedefs().unqualified().tag
    if tag not in walkers:
        raise read.Missing(f"{text} is no nap_serial, nap_order or nap_cq: {value.type}")
    return list(walkers[tag](value, read.named(read.address_of(value)), found))
