# SPDX-License-Identifier: MIT
"""Fibers in gdb: of a process, and of a core file.

    (gdb) source tools/gdb/nap.py
    (gdb) nap fibers POOL           each: its number, name, what it does, its function
    (gdb) nap fiber POOL NUMBER     where it waits: a backtrace

POOL is an expression: &pool. The library wants its debug information (-g).
"""

import gdb
from gdb.unwinder import Unwinder

# What nap__context_switch() has pushed, from the saved stack pointer on (arch/*/context.S): where each
# register is, and how much it takes.
SAVED = {
    "i386:x86-64": (64, {"rip": 56, "rbp": 48, "rbx": 40, "r12": 32, "r13": 24, "r14": 16, "r15": 8}),
    "aarch64": (176, {"pc": 8, "x29": 0, **{f"x{n}": 16 + 8 * (n - 19) for n in range(19, 29)}}),
    "riscv:rv64": (224, {"pc": 0, "fp": 8, **{f"s{n}": 8 + 8 * n for n in range(1, 12)}}),
}
LIVES = ("free", "spawned", "begun", "ended")
WAIT_OPEN, WAIT_OFF = 1, 4


class Switched(Unwinder):
    """While a fiber is looked at the innermost frame was called from where that waits."""

    def __init__(self):
        super().__init__("nap")
        self.sp = None
        self.inner = None

    def __call__(self, frame):
        if self.sp is None:
            return None
        stack = frame.read_register("sp")
        if self.inner is None:
            self.inner = int(stack)
        if int(stack) != self.inner:
            return None
        size, registers = SAVED[frame.architecture().name()]
        word = gdb.lookup_type("unsigned long")
        # On the fiber's stack, too: gdb stops where a caller seems to lie below what it has called.
        info = frame.create_unwind_info(FrameId(gdb.Value(self.sp).cast(stack.type), frame.read_register("pc")))
        for name, at in registers.items():
            value = gdb.Value(self.sp + at).cast(word.pointer()).dereference()
            info.add_saved_register(name, value.cast(frame.read_register(name).type))
        info.add_saved_register("sp", gdb.Value(self.sp + size).cast(stack.type))
        return info


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


SWITCHED = Switched()
gdb.unwinder.register_unwinder(None, SWITCHED, replace=True)


def fibers_of(pool):
    """(struct nap__fibers, how many stacks were ever used) of an expression for a pool."""
    value = gdb.parse_and_eval(pool)
    if value.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
        value = value.address
    head = value["async"]
    if not head:
        raise gdb.GdbError(f"{pool} has no fibers")
    fibers = head.cast(gdb.lookup_type("struct nap__fibers").pointer())
    return fibers, int(fibers["used"])


def fiber_at(fibers, index):
    kind = gdb.lookup_type("struct nap_fiber")
    top = int(fibers["stacks"].cast(gdb.lookup_type("unsigned long"))) + int(fibers["slot"]) * (index + 1)
    return gdb.Value(top - kind.sizeof).cast(kind.pointer())


def does(fiber):
    life = int(fiber["life"])
    if LIVES[life] != "begun":
        return LIVES[life]
    state = int(fiber["wait"]["state"])
    if not state & WAIT_OFF:
        return "runs"
    return "waits" if state & WAIT_OPEN else "is to go on"


class Nap(gdb.Command):
    """Fibers of nap's pools: nap fibers POOL, nap fiber POOL NUMBER."""

    def __init__(self):
        super().__init__("nap", gdb.COMMAND_STACK, prefix=True)


class Fibers(gdb.Command):
    """Each fiber of a pool: nap fibers POOL."""

    def __init__(self):
        super().__init__("nap fibers", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        fibers, used = fibers_of(argument or "&pool")
        for i in range(used):
            fiber = fiber_at(fibers, i)
            if LIVES[int(fiber["life"])] != "free":
                print(f'{i:6} {fiber["name"].string():16} {does(fiber):12} {fiber["fn"].format_string(symbols=True)}')


class Fiber(gdb.Command):
    """Where a fiber waits: nap fiber POOL NUMBER."""

    def __init__(self):
        super().__init__("nap fiber", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        pool, _, number = argument.strip().rpartition(" ")
        if not pool or not number.isdigit():
            raise gdb.GdbError("usage: nap fiber POOL NUMBER")
        fibers, used = fibers_of(pool)
        if int(number) >= used:
            raise gdb.GdbError(f"there are {used} fibers, from 0 on")
        fiber = fiber_at(fibers, int(number))
        if LIVES[int(fiber["life"])] == "free" or does(fiber) == "runs":
            raise gdb.GdbError(f"fiber {number} waits nowhere: {does(fiber)}")
        SWITCHED.sp, SWITCHED.inner = int(fiber["sp"].cast(gdb.lookup_type("unsigned long"))), None
        gdb.invalidate_cached_frames()
        try:
            text = gdb.execute("backtrace", to_string=True)
        finally:
            SWITCHED.sp = None
            gdb.invalidate_cached_frames()
        print(text.partition("\n")[2], end="")


Nap()
Fibers()
Fiber()
