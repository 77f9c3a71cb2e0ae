#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The appliance (tools/example/appliance) from outside: appliance.py [--process] COMMAND...

COMMAND boots it, with its serial line on standard input and output. Sends frames, recomputes each
digest, and has it switch the machine off. KTAP. --process: COMMAND runs the appliance as a
process, and is killed when the appliance switches the machine off.
"""
import hashlib
import os
import random
import signal
import struct
import subprocess
import sys
import threading
import time

READY = b"nap appliance\n"
MAGIC = 0x3150414E
LEAF, MOST, WINDOW = 1024, 65536, 8
CREDIT_BYTES, AHEAD = 4096, 32768
HASH, STATISTICS, POWER_OFF = 1, 2, 3
DONE, TOO_LONG, MALFORMED, CREDIT = 0, 1, 2, 3
REPLY = struct.Struct("<IIII32s")
FRAMES = 1000
SECONDS = 600  # limit of the whole test

SIZES = [0, 1, 54, 55, 62, 63, 64, 1023, 1024, 1025, 2048, 2049, 3072, 65535, 65536]
# bounds of random sizes; most are small, because an emulated line carries some 20 KB a second
BELOW = [256] * 6 + [4096] * 2 + [16384]


def tree(data):
    """RFC 6962, section 2.1"""
    if len(data) <= LEAF:
        return hashlib.sha256(b"\0" + data).digest()
    left = LEAF
    while 2 * left < len(data):
        left *= 2
    return hashlib.sha256(b"\1" + tree(data[:left]) + tree(data[left:])).digest()


class Appliance:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        start_new_session=True)
        self.ahead, self.replies = 0, []
        self.timer = threading.Timer(SECONDS, self.end)
        self.timer.daemon = True
        self.timer.start()

    def end(self):
        """Kills COMMAND and all that it has started: each process may hold the line open."""
        self.timer.cancel()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def read_until(self, end):
        text = b""
        while not text.endswith(end):
            byte = self.process.stdout.read(1)
            if not byte:
                return None
            text += byte
        return text

    def send(self, data):
        """Sends data, with no more unanswered bytes than the line holds; keeps the replies that
        come."""
        while data:
            while self.ahead >= AHEAD:
                self.receive()
            some = data[:AHEAD - self.ahead]
            self.process.stdin.write(some)
            self.process.stdin.flush()
            self.ahead += len(some)
            data = data[len(some):]

    def request(self, kind, number, data=b"", size=None):
        head = struct.pack("<IIII", MAGIC, kind, number, len(data) if size is None else size)
        self.send(head + data)

    def reply(self):
        while not self.replies:
            self.receive()
        return self.replies.pop(0)

    def receive(self):
        data = self.process.stdout.read(REPLY.size)
        if len(data) < REPLY.size:
            raise EOFError("the line is closed")
        magic, status, number, _, rest = REPLY.unpack(data)
        if magic != MAGIC:
            raise ValueError("no reply: %r" % data)
        if status == CREDIT:
            self.ahead -= CREDIT_BYTES
        else:
            self.replies.append((status, number, rest))


class Report:
    def __init__(self, planned):
        self.number, self.failed = 0, 0
        print("TAP version 13\n1..%d" % planned, flush=True)

    def check(self, good, what):
        self.number += 1
        self.failed += not good
        print("%sok %d %s" % ("" if good else "not ", self.number, what), flush=True)


def many_frames(appliance, seed):
    """Returns how many of FRAMES had the right digest, and how often a reply overtook an earlier
    one."""
    source = random.Random(seed)
    wanted, right, overtaken, sent = {}, 0, 0, 0
    while sent < FRAMES or wanted:
        while sent < FRAMES and len(wanted) < WINDOW:
            size = SIZES[sent] if sent < len(SIZES) else source.randrange(source.choice(BELOW))
            data = source.randbytes(size)
            wanted[sent] = tree(data)
            appliance.request(HASH, sent, data)
            sent += 1
        status, number, digest = appliance.reply()
        overtaken += number != min(wanted)
        right += wanted.pop(number) == digest and status == DONE
    return right, overtaken


def one_frame(appliance, number, data):
    appliance.request(HASH, number, data)
    return appliance.reply() == (DONE, number, tree(data))


def one_at_a_time(appliance):
    """Sends each frame after the reply to the frame before."""
    return all(one_frame(appliance, number, bytes(size)) for number, size in enumerate(SIZES))


def talk(appliance, process):
    report = Report(9)
    begin = time.monotonic()
    ready = appliance.read_until(READY)
    report.check(ready is not None, "it is ready (%.2f s after the machine was started)"
                 % (time.monotonic() - begin))
    begin = time.monotonic()
    right, overtaken = many_frames(appliance, 42)
    report.check(right == FRAMES, "%d of %d frames are right (%.2f s; %d replies before an older one)"
                 % (right, FRAMES, time.monotonic() - begin, overtaken))
    report.check(one_at_a_time(appliance), "each request has its reply without another one behind it")
    appliance.send(b"this is no frame, and neither is NAP1 alone")
    appliance.request(HASH, 1, b"behind it")
    report.check(appliance.reply()[:2] == (MALFORMED, 0), "what is no frame is said to be malformed")
    report.check(appliance.reply() == (DONE, 1, tree(b"behind it")), "the frame behind it is right")
    appliance.request(HASH, 2, bytes(MOST + 1))
    report.check(appliance.reply()[:2] == (TOO_LONG, 2), "a frame that is too long is refused")
    report.check(one_frame(appliance, 3, bytes(range(256)) * 256), "the frame behind it is right")
    appliance.request(STATISTICS, 4)
    status, number, rest = appliance.reply()
    replies, run, stolen, jobs = struct.unpack("<QQQQ", rest)
    print("# replies %d, tasks run %d, stolen %d, jobs stolen %d" % (replies, run, stolen, jobs))
    report.check((status, number, replies, run) == (DONE, 4, FRAMES + len(SIZES) + 4, FRAMES + len(SIZES) + 2),
                 "its statistics count every frame")
    appliance.request(POWER_OFF, 5)
    off = appliance.reply()[:2] == (DONE, 5)
    appliance.process.stdout.read()
    status = appliance.process.wait()
    report.check(off and (process or status == 0), "it switches the machine off")
    return report.failed > 0


def main():
    process = sys.argv[1] == "--process"
    appliance = Appliance(sys.argv[1 + process:])
    try:
        return talk(appliance, process)
    except (EOFError, ValueError, KeyError, BrokenPipeError) as error:
        print("Bail out! %s" % error)
        return 1
    finally:
        appliance.end()


sys.exit(main())
