# SPDX-License-Identifier: MIT
"""Where a fiber waits: a backtrace from what a switch has pushed."""

import re

import gdb
from gdb.unwinder import Unwinder

from . import read

# What nap__context_switch() has pushed (arch/*/context.S): how many bytes in all, and where each
# register is above the saved stack pointer.
SAVED = {
    "i386:x86-64": (64, {"rip": 56, "rbp": 48, "rbx": 40, "r12": 32, "r13": 24, "r14": 16, "r15": 8}),
    "aarch64": (176, {"pc": 8, "x29": 0, **{f"x{n}": 16 + 8 * (n - 19) for n in range(19, 29)}}),
    "riscv:rv64": (224, {"pc": 0, "fp": 8, **{f"s{n}": 8 + 8 * n for n in range(1, 12)}}),
}
# An AArch64 processor may have signed the return address, in the bits above those of an address.
ADDRESS_BITS = {"aarch64": 48}


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class Switched(Unwinder):
    """While a fiber is shown, tells gdb that the innermost frame was called from where the fiber waits."""

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
        machine = frame.architecture().name()
        size, registers = SAVED[machine]
        # The frame's address is on the fiber's stack, too. gdb would stop at a caller that seems to
        # lie below its callee.
        info = frame.create_unwind_info(FrameId(gdb.Value(self.sp).cast(stack.type), frame.read_register("pc")))
        for name, at in registers.items():
            value = read.word_at(self.sp + at)
            if name == "pc" and machine in ADDRESS_BITS:
                value &= (1 << ADDRESS_BITS[machine]) - 1
            info.add_saved_register(name, gdb.Value(value).cast(frame.read_register(name).type))
        info.add_saved_register("sp", gdb.Value(self.sp + size).cast(stack.type))
        return info


SWITCHED = Switched()


def register():
    gdb.unwinder.register_unwinder(None, SWITCHED, replace=True)


def backtrace(fiber, most=None):
    """The innermost MOST frames of a fiber that has left its stack, a line each."""
    if gdb.selected_thread() is None:
        raise read.Missing("no thread is selected, and gdb unwinds from one")
    machine = gdb.selected_frame().architecture().name()
    if machine not in SAVED:
        raise read.Missing(f"what a switch saves on {machine} is not known here")
    sp = int(fiber.value["sp"])
    read.bytes_at(sp, SAVED[machine][0])
    inner = innermost()
    SWITCHED.sp, SWITCHED.inner = sp, None
    gdb.invalidate_cached_frames()
    try:
        text = gdb.execute(f"backtrace {most + inner if most else ''}", to_string=True)
    finally:
        SWITCHED.sp = None
        gdb.invalidate_cached_frames()
    first = re.search(rf"^#{inner}\s", text, re.M)
    return re.sub(r"^#(\d+) *", lambda m: f"#{int(m[1]) - inner + 1:<3}", text[first.start():], flags=re.M) if first else ""


def innermost():
    """How many frames gdb shows for the innermost one of the thread: inlined functions have frames of their own."""
    frame, count = gdb.newest_frame(), 1
    while frame.type() == gdb.INLINE_FRAME:
        frame, count = frame.older(), count + 1
    return count


def backtrace_of_thread(number, most=None):
    """The frames of a thread of gdb's. The selected thread stays selected."""
    selected, frame = gdb.selected_thread(), gdb.selected_frame()
    try:
        next(t for t in gdb.selected_inferior().threads() if t.num == number).switch()
        return gdb.execute(f"backtrace {most or ''}", to_string=True)
    finally:
        selected.switch()
        frame.select()
