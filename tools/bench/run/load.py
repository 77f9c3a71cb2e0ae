# SPDX-License-Identifier: MIT
"""How much of the machine others have had: all CPU time in /proc/stat, less that of this run."""

import os
import time

TICK = os.sysconf("SC_CLK_TCK")


def all_busy(stat):
    """Seconds that all CPUs together were not idle, as of the first line of /proc/stat."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, stat.split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICK


def own(times):
    """Of os.times(): the runner's, and of the programs that have ended."""
    return times.user + times.system + times.children_user + times.children_system


class Load:
    def __init__(self):
        self.last = self.read()

    @staticmethod
    def read():
        with open("/proc/stat", encoding="ascii") as stat:
            return all_busy(stat.readline()), own(os.times()), time.monotonic()

    def since(self):
        """The share of all CPUs' time since the last call that was others'."""
        before, self.last = self.last, self.read()
        busy, mine, elapsed = (now - then for now, then in zip(self.last, before))
        return max(busy - mine, 0.0) / (max(elapsed, 1e-3) * (os.cpu_count() or 1))
