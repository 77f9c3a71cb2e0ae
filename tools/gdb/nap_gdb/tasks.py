# SPDX-License-Identifier: MIT
"""Every queued task of a pool: what it calls, and where it is."""

import gdb

from . import fibers, lists, read, words


class Task:
    def __init__(self, address, place, what):
        self.address, self.place, self.what = address, place, what


class Found:
    """What a walk has come by: tasks; queues that lead to others; what could not be shown."""

    def __init__(self):
        self.notes, self.serials, self.orders, self.loops = [], {}, {}, {}
        self.own_queued = set()  # serial queues whose own task is queued

    def serial(self, address, is_order=False):
        (self.orders if is_order else self.serials).setdefault(address, None)


def what_is(address, found):
    """The function that a task calls: the program's own where that is known, else the library's."""
    run = int(read.at(address, "nap_task")["run"]) & ~words.DEBUG_SCHEDULED
    name = (read.symbol(run) or ("", 0))[0]
    try:
        if name == "nap__fiber_run":
            fiber = fibers.Fiber(None, read.container(address, "nap_fiber", "task"))
            return f"{fiber.label()} {read.function(fiber.fn)}"
        if name == "nap__start_run":
            start = read.container(address, "nap_fiber_start", "task")
            return f"{read.function(int(start['fn']))}, a fiber that has not begun"
        if name == "nap__timer_run":
            return f"{read.function(int(read.container(address, 'nap_timer', 'task')['run']))}, of a timer"
        if name.startswith("nap__work_"):
            work = read.container(address, "nap_work", "told" if name == "nap__work_told" else "task")
            if int(work["cq"]):
                found.loops.setdefault(int(work["cq"]), None)
            return f"{read.function(int(work['fn']))}, a work"
        if read.is_ours(run, "run_slot", "kit/submit.c"):
            return f"{read.function(int(read.container(address, 'nap_slot', 'task')['fn']))}, submitted"
        if read.is_ours(run, "serial_run", "kit/serial.c"):
            serial = read.address_of(read.container(address, "nap_serial", "task"))
            found.serial(serial)
            found.own_queued.add(serial)
            return f"the serial queue {read.named(serial)}"
        if read.is_ours(run, "order_run", "kit/order.c"):
            order = read.address_of(read.container(address, "nap_order", "serial.task"))
            found.serial(order, True)
            found.own_queued.add(order)
            return f"the ordered queue {read.named(order)}"
    except (gdb.MemoryError, read.Missing):
        pass
    return read.function(run)


def seen(addresses, place, found):
    for address in addresses:
        try:
            yield Task(address, place, what_is(address, found))
        except gdb.MemoryError as error:
            found.notes.append(f"{place}: the task at {address:#x} cannot be read: {error}")


def of_jobs(record, place, found):
    for frame, stolen in lists.jobs(record["deque"], found.notes, place):
        try:
            text, thief = read.function(int(frame["run"])), int(frame["thief"])
        except gdb.MemoryError as error:
            found.notes.append(f"{place}: cannot be read: {error}")
            return
        where = f"stolen by worker {thief - 1}" if stolen and thief else "stolen" if stolen else "not stolen"
        yield Task(read.address_of(frame), f"{place}, {where}", f"job {text}")


def of_workers(pool, found):
    for record in pool.records():
        which = ("guest " if int(record["guest"]) else "worker ") + str(int(record["index"]))
        yield from seen(lists.ring(record["ring"], f"ring of {which}", found.notes), f"ring of {which}", found)
        place = f"overflow of {which}"
        yield from seen(lists.unbounded(record["overflow"], place, found.notes), place, found)
        yield from of_jobs(record, f"forked by {which}", found)


def classes(pool):
    """(number, struct nap_class) of each class of a pool."""
    if not int(pool.value["config"]["classes"]):
        return
    all_of = pool.value["config"]["classes"].dereference()
    most = all_of["of"].type.range()[1] + 1
    many = int(all_of["count"])
    for i in range(many if 0 < many < most else most):
        yield i, all_of["of"][i]


def of_classes(pool, found):
    for i, each in classes(pool):
        place, limit = f"class {i}", int(each["limit"])
        if limit and int(each["inside"]) >= limit:
            place += f", at its limit of {limit}"
        yield from seen(lists.unbounded(each["queue"], place, found.notes), place, found)


def of_async(pool, found):
    """Ready fibers, fibers without a stack, and timers."""
    head = fibers.Fibers(pool).head
    if head is None:
        return
    timers = head["async"]["timers"]
    for batch, place in ((timers["ready"], "ready, its file is"), (head["starts"], "waits for a stack")):
        if int(batch["count"]):
            yield from seen(lists.chain(int(batch["head"]), place, found.notes), place, found)
    now = fibers.now() if int(timers["tasks"]["count"]) else None
    for node in fibers.heap(timers["tasks"]["root"], int(timers["tasks"]["count"])):
        timer = read.container(read.address_of(node), "nap_timer", "node")
        when = int(node["when"])
        place = f"timer, {(when - now) / 1e9:.1f} s from now" if now else f"timer, at {when / 1e9:.1f} s of the clock"
        yield Task(read.address_of(timer["task"]), place, f"{read.function(int(timer['run']))}, of a timer")


def of_calls(pool, found):
    for at in lists.chain(int(pool.value["calls"]), "calls", found.notes, kind="nap__waiter"):
        call = read.container(at, "nap__call", "listed")
        yield from seen([read.address_of(call["task"])], "call that waits for a guest's record", found)


def of_serial(serial, place, found, skip=0):
    rest = list(lists.chain(int(serial["taken"]), place, found.notes, mask=words.LIST_MARK))
    rest += lists.inbox(int(serial["pushed"]), place, found.notes)
    yield from seen((task for task in rest if task != skip), place, found)


def of_order(order, place, found):
    yield from seen(lists.chain(int(order["held"]), place, found.notes), place + ", held: too many are slow", found)
    yield from of_serial(order["serial"], place, found, skip=read.address_of(order["told"]))


def of_loop(loop, place, found):
    rest = list(lists.chain(int(loop["taken"]), place, found.notes))
    yield from seen(rest + lists.inbox(int(loop["pushed"]), place, found.notes), place, found)


def parts(pool):
    """The queues of a pool, except those to which only other queues lead."""
    yield "injected", lambda found: seen(
        lists.unbounded(pool.value["inject"], "injected", found.notes), "injected", found)
    yield "rings, overflows, jobs", lambda found: of_workers(pool, found)
    yield "classes", lambda found: of_classes(pool, found)
    yield "fibers and timers", lambda found: of_async(pool, found)
    yield "calls", lambda found: of_calls(pool, found)
    yield "left by a stop", lambda found: seen(
        lists.chain(int(pool.value["left"]["head"]), "left by a stop", found.notes)
        if int(pool.value["left"]["count"]) else (), "left by a stop", found)


def of_pool(pool, found):
    """All tasks except those in serial and completion queues, which search.py finds."""
    for name, part in parts(pool):
        try:
            yield from part(found)
        except read.Missing as error:
            found.notes.append(f"{name}: {error}")
        except gdb.MemoryError as error:
            found.notes.append(f"{name}: cannot be read: {error}")
    if pool.complaint:
        found.notes.append(pool.complaint)
