#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run a program on a pseudo-terminal, whose bytes come from standard input and go to standard output."""
import os
import pty
import signal
import sys
import threading


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


def feed(fd, child):
    while data := os.read(0, 4096):
        write_all(fd, data)
    os.kill(child, signal.SIGHUP)


pid, line = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
threading.Thread(target=feed, args=(line, pid), daemon=True).start()
try:
    while data := os.read(line, 4096):
        write_all(1, data)
except OSError:
    pass  # reading fails when the program has ended
