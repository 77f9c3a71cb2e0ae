# SPDX-License-Identifier: MIT
"""The lines that the commands print."""

import gdb

from . import fibers, lists, read, tasks, threads, unwind, words

STATES = {
    words.RECORD_FREE: "has no thread", words.RECORD_CLAIMED: "starts", words.RECORD_STANDBY: "stands by",
    words.RECORD_LEAVING: "leaves", words.RECORD_GONE: "has left", words.RECORD_JOINING: "is joined",
    words.RECORD_JOINED: "was joined",
}
FOREVER = (1 << 64) - 1


def notes(some):
    for text in dict.fromkeys(some):
        print(f"  ! {text}")


def time(since, deadline):
    """", since 1.2 s, 3.4 s more at most": what is known."""
    now, text = fibers.now() if since or deadline else None, ""
    if since and now and since <= now:
        text += f", since {(now - since) / 1e9:.3f} s"
    elif since:
        text += f", since {since / 1e9:.3f} s of CLOCK_MONOTONIC"
    if deadline and deadline != FOREVER:
        if now is None:
            text += f", until {deadline / 1e9:.3f} s of CLOCK_MONOTONIC"
        else:
            text += f", {(deadline - now) / 1e9:.3f} s more at most" if deadline > now else ", its time is over"
    return text


# ---- pools

def is_at_rest(record):
    return bool(int(record["rest"]) & 1)


def is_parked(record):
    return is_at_rest(record) and bool(int(record["event"]) & words.EVENT_PARKED)


def pool(each):
    try:
        protocol, limit = each.protocol(), int(each.value["limit"])
        print(f"pool {each.name()}: {each.phase()}; {protocol}")
    except gdb.MemoryError as error:
        print(f"pool {each.address:#x}: cannot be read: {error}")
        return
    if not limit or each.is_parents():
        return
    if each.is_joined():
        left = int(each.value["left"]["count"])
        print(f"  left by the stop, for the next join: {left}\n" if left else "", end="")
        return
    try:
        records = [record for record in each.records() if not int(record["guest"])]
        if each.complaint:
            raise read.Missing(each.complaint)
        started = [record for record in records if threads.has_thread(record)]
        parked = sum(map(is_parked, started))
        rest = sum(map(is_at_rest, started)) - parked
        run = sum(threads.is_started(r) and not is_at_rest(r) for r in started)
        guests = int(each.value["guests"]) & 0xffffffff
        print(f"  workers: {len(started)} of {limit} started, {run} running, {parked} parked, {rest} between the two, "
              f"{int(each.value['blocked'])} blocked; guests: {guests}")
    except read.Missing as error:
        print(f"  ! {error}")
    except gdb.MemoryError as error:
        print(f"  ! workers cannot be read: {error}")
    found = tasks.Found()
    many = sum(1 for _ in tasks.of_pool(each, found))
    serial = each.serial_waiting() if not found.notes else 0
    print(f"  queued: {many}" + (f", and {serial} in serial queues" if serial else ""))
    notes(found.notes)


# ---- workers

def counts(record):
    text = f"ring {lists.ring_count(record['ring'])}"
    overflow = lists.count(record["overflow"])
    text += ", overflow " + ("not to be told" if overflow is None else str(overflow))
    forked = sum(1 for _ in lists.jobs(record["deque"], [], ""))
    return text + (f", forked {forked}" if forked else "")


def what_runs(world, runs, thread):
    """The name of a function. For a timer's task or a fiber: that of the program's own function."""
    text = read.function(runs)
    if text == "<nap__fiber_run>" and thread and thread.fiber() in world.fibers:
        return f"{read.function(world.fibers[thread.fiber()].fn)}, a fiber"
    try:
        for timer, on in world.timers_runs():
            fn = read.function(int(read.at(timer, "nap_timer")["run"]))
            if on is thread and text in ("<nap__timer_run>", fn):
                return f"{fn}, of a timer"
    except (gdb.MemoryError, read.Missing):
        pass
    return text


def what_worker_does(world, record, thread):
    state = int(record["record"])
    if not threads.is_started(record) and not int(record["guest"]):
        return STATES.get(state, f"record {state}?")
    if int(record["home"]):
        return "in worker_stop"
    if is_at_rest(record):
        return "parked" if is_parked(record) else "awake, looks for work"
    runs = int(record["runs"])
    if runs:
        return f"runs {what_runs(world, runs, thread)}"
    return "in a wait" if thread and thread.own is not None and int(thread.own["outer"]) else "looks for work"


def worker(world, record):
    thread = world.by_record.get(read.address_of(record))
    which = ("guest " if int(record["guest"]) else "worker ") + str(int(record["index"]))
    text = f"  {which}" + (f" ({thread.which()}, LWP {thread.lwp or int(thread.own['number'])})" if thread else "")
    text += f": {what_worker_does(world, record, thread)}"
    if int(record["sections"]):
        text += ", blocked in a section"
    elif int(record["replaced"]):
        text += ", counted as stuck"
    print(f"{text}; {counts(record)}")
    if not thread or thread.own is None or is_at_rest(record):
        return
    if thread.fiber():
        print(f"      on the stack of {world.fiber_label(thread.fiber())}")
    for runs in thread.nested(read.address_of(record)):
        print(f"      in {read.function(runs)}")
    for wait in thread.waits:
        print(f"      waits for {world.thread_wait(wait)[0]}{time(wait.since, wait.deadline)}")


def workers(world, each):
    print(f"pool {each.name()}: {each.phase()}")
    if each.is_parents():
        return
    for record in each.records():
        try:
            if not int(record["guest"]) or int(record["record"]) != words.RECORD_FREE:
                worker(world, record)
        except gdb.MemoryError as error:
            print(f"  ! worker at {read.address_of(record):#x}: cannot be read: {error}")
    if each.complaint:
        notes([each.complaint])


# ---- fibers

def fiber(world, each):
    edges = world.of_fiber(each) if each.is_waiting() else []
    does = "".join(f"waits for {edge.text}{time(edge.since, edge.deadline)}" for edge in edges) or each.does()
    if each.life == words.FIBER_BEGUN and each.state & words.WAIT_TO_END:
        does += ", was asked to end"
    if each.does() == "runs":
        does += f" on {each.thread.label(world.many())}" if each.thread else ""
    print(f"{each.index:6} {each.name:16} {read.named(each.fn)}: {does}")


def frames(each, most):
    try:
        if each.has_left():
            print(unwind.backtrace(each, most), end="")
        elif each.thread and each.thread.number:
            print(unwind.backtrace_of_thread(each.thread.number, most), end="")
    except (gdb.error, read.Missing) as error:
        print(f"       ! no backtrace: {error}")


# ---- waits

def waits(world):
    edges = world.edges()
    for edge in filter(world.concerns, edges):
        label = world.label(edge.waiter)
        if edge.waiter[0] == "fiber":
            label += f" {read.function(world.fibers[edge.waiter[1]].fn)}"
        print(f"  {label} waits for {edge.text}{time(edge.since, edge.deadline)}")
    for each in world.pools:
        for line in permits(world, each):
            print(f"  {line}")
    return edges


def permits(world, each):
    """Classes at their limits, and which threads have the permits."""
    for i, of_class in tasks.classes(each):
        limit, inside = int(of_class["limit"]), int(of_class["inside"])
        queued = lists.count(of_class["queue"])
        if not limit or inside < limit or queued == 0:
            continue
        have = [thread.label(world.many()) for thread in world.threads if has_permit(thread, of_class)]
        many = "tasks" if queued is None else f"{queued} tasks"
        yield (f"{many} of class {i} wait for a permit: {inside} of {limit} taken" +
               (f", by {', '.join(have)}" if have else ""))


def has_permit(thread, of_class):
    try:
        at, seen = int(thread.own["permits"]) if thread.own is not None else 0, set()
        while at and at not in seen:
            seen.add(at)
            permit = read.container(at, "nap__class_permit", "permit")
            if int(permit["class"]) == read.address_of(of_class):
                return True
            at = int(permit["permit"]["outer"])
    except (gdb.MemoryError, read.Missing):
        pass
    return False


def cycle(world, each):
    steps = [f"{world.label(edge.waiter)} waits for {edge.text}" for edge, _ in each]
    print("cycle: " + "; ".join(steps))


def several(some):
    """The heading of each pool, if there is more than one."""
    for each in some:
        if len(some) > 1:
            print(f"pool {each.name()}")
        yield each
