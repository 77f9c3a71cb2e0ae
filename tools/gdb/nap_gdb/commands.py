# SPDX-License-Identifier: MIT
"""The commands. Their docstrings are what `help nap` says."""

import re

import gdb

from . import fibers, pools, read, say, search, tasks, unwind, waits


class Nap(gdb.Command):
    """What the pools of a program that uses nap do: its workers, tasks, fibers, and who waits for whom.

Of a process, and of a core file: only memory and symbols are read. POOL is an expression for a pool, as
&pool, pool or an address; without it the commands are about all pools in use. The library wants its debug
information (-g). Lines that begin with "!" say what could not be read, or found."""

    def __init__(self):
        super().__init__("nap", gdb.COMMAND_STACK, prefix=True)


class Command(gdb.Command):
    NAME = None

    def __init__(self):
        super().__init__("nap " + self.NAME, gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        read.begin()
        try:
            self.do(argument.strip())
            say.notes(filter(None, [fibers.about_times()]))
        except read.Missing as error:
            raise gdb.GdbError(str(error))
        except gdb.MemoryError as error:
            raise gdb.GdbError(f"cannot be read: {error}")


class Pools(Command):
    """The pools: nap pools

Each with its address, name, phase (open, draining, stopped, joined), idle protocol, workers, and how many
tasks are queued. First those in use, then others in variables of static storage: not used yet, or joined."""
    NAME = "pools"

    def do(self, text):
        if text:
            raise read.Missing("usage: nap pools")
        some = pools.table()
        try:
            all_of = pools.all_pools()
        except read.Missing as error:
            for address in some:
                print(f"pool {read.named(address)}")
            raise read.Missing(f"more is not known: {error}")
        if not all_of:
            print("no pool is in use")
        for pool in all_of:
            say.pool(pool)


class Workers(Command):
    """The workers of a pool: nap workers [POOL]

Each with its thread, what it runs, in what that was called, on which fiber's stack, for what it waits, and
how much its ring and its overflow hold. "Parked": it sleeps, and is woken for work. Guests, which are threads
from outside that run tasks, come with them."""
    NAME = "workers"

    def do(self, text):
        some = pools.chosen(text)
        world = waits.World(some)
        for pool in some:
            say.workers(world, pool)


class Tasks(Command):
    """Every queued task: nap tasks [POOL], nap tasks -in QUEUE

What it calls, and where it is: injected, in a worker's ring or overflow, in a class, ready because its file
is, waiting for a stack, armed with a timer, in a call, left by a stop, in a serial or ordered queue, in a
completion queue. Jobs that are forked and not joined come with them.

A pool does not know its serial queues. Found are those whose own task is queued, that a variable of static
storage is, or whose address a worker's stack has; a line with "!" says how many tasks are in others. A
completion queue is found if it is a variable of static storage, or a queued work's. -in QUEUE shows the queue
that an expression is: a nap_serial, nap_order or nap_cq.

Not found are a task that a thread has in hand between two queues, and tasks of the program's own lists."""
    NAME = "tasks"

    def do(self, text):
        found = tasks.Found()
        if text.startswith("-in"):
            if not re.match(r"-in\s+\S", text):
                raise read.Missing("usage: nap tasks -in QUEUE")
            read.needs_memory()
            self.show(search.in_given(text[3:].strip(), found))
            say.notes(found.notes)
            return
        some = pools.chosen(text)
        threads = waits.World(some).threads
        for pool in say.several(some):
            found = tasks.Found()
            listed = list(tasks.of_pool(pool, found))
            listed += search.in_serials(pool, threads, found)
            self.show(listed)
            self.show(list(search.in_loops(found)), "in completion queues", False)
            say.notes(found.notes)

    @staticmethod
    def show(listed, where="queued", is_always=True):
        for task in listed:
            print(f"  {task.address:#x} {task.what}: {task.place}")
        if listed or is_always:
            print(f"  {len(listed)} {where}")


class Fibers(Command):
    """The fibers of a pool: nap fibers [POOL] [-bt [N]]

Each with its number, its name, its function, and what it does; of one that waits, for what, and until when.
Since when, if the pool is traced or measured, or an earlier dump (nap/dump.h) has seen the same wait. -bt: where
each waits or runs, a backtrace, of its N innermost frames."""
    NAME = "fibers"

    def do(self, text):
        found = re.match(r"(.*?)\s*(-bt(?:\s+(\S+))?)?$", text)
        if found[3] and not (found[3].isdigit() and int(found[3])):
            raise read.Missing("usage: nap fibers [POOL] [-bt [N]]")
        some = pools.chosen(found[1])
        world = waits.World(some)
        if not world.fibers and not world.notes:
            print("no fibers")
        for pool in say.several(some):
            for fiber in (f for f in world.fibers.values() if f.pool is pool):
                say.fiber(world, fiber)
                if found[2]:
                    say.frames(fiber, int(found[3]) if found[3] else None)
        say.notes(world.notes)


class Fiber(Command):
    """Where a fiber waits, or runs: nap fiber POOL NUMBER

A backtrace. What a switch has pushed on its stack is known for x86-64, AArch64 and RISC-V."""
    NAME = "fiber"

    def do(self, text):
        name, _, number = text.rpartition(" ")
        if not name or not number.isdigit():
            raise read.Missing("usage: nap fiber POOL NUMBER")
        pool = pools.chosen(name)[0]
        those = fibers.Fibers(pool)
        if not those.used():
            raise read.Missing(f"{name} has no fibers")
        if int(number) >= those.used():
            raise read.Missing(f"there are {those.used()} fibers, from 0 on")
        try:
            fiber = those.fiber(int(number))
        except gdb.MemoryError:
            those.unreadable.append(int(number))
            raise read.Missing(those.lost())
        if fiber is None and len(list(those.all())) < those.live():
            raise read.Missing(those.lost())
        thread = next((t for t in waits.World([pool]).threads if fiber and t.fiber() == fiber.address and t.number), None)
        if thread:
            print(unwind.backtrace_of_thread(thread.number), end="")
            return
        if fiber is None or not fiber.has_left():
            raise read.Missing(f"fiber {number} waits nowhere: {fiber.does() if fiber else 'free'}")
        print(unwind.backtrace(fiber), end="")


class Waits(Command):
    """Who waits for whom: nap waits [POOL]

Each fiber and thread that waits, for which object, and who has that: the owner of a mutex, the awaited fiber,
the fibers of a scope, the thread that runs a timer's task or a stolen job. Threads from outside come with
them, with every POOL. Then the cycles, each waiter with the one that it waits for.

Who sets an event, releases a semaphore, sends into a channel or is done in a group is not noted anywhere; nor
which thread owns a mutex, if it is no fiber. So a cycle that leads over one of these is not found."""
    NAME = "waits"

    def do(self, text):
        world = waits.World(pools.chosen(text))
        edges = say.waits(world)
        found = [cycle for cycle in waits.cycles(edges) if any(world.concerns(edge) for edge, _ in cycle)]
        for cycle in found:
            say.cycle(world, cycle)
        count = sum(map(world.concerns, edges))
        print(f"{count} wait{'' if count == 1 else 's'}, {len(found)} cycle{'' if len(found) == 1 else 's'}")
        say.notes(world.notes)


def register():
    unwind.register()
    fibers.watch_stops()
    for command in (Nap, Pools, Workers, Tasks, Fibers, Fiber, Waits):
        command()
