# SPDX-License-Identifier: MIT
"""The progress: on a terminal one line that changes, otherwise a line now and then."""

import sys
import time

_last = [0.0]


def show(key, done, total, elapsed):
    left = f"{elapsed / done * (total - done):.0f} s left" if done else "no idea yet how long"
    text = f"{done + 1} of {total}: {key}, {left}"
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif not done or time.monotonic() - _last[0] > 10:
        _last[0] = time.monotonic()
        print(text, file=sys.stderr, flush=True)


def end():
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
