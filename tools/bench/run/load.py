# SPDX-License-Identifier: MIT
"""The CPU time of other processes: all CPU time in /proc/stat, less the CPU time of this run."""

import os
import time

TICK = os.sysconf("SC_CLK_TCK")


def all_busy(stat):
    """Returns the seconds that all CPUs were not idle, from the first line of /proc/stat."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, stat.split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICK


def own(times):
    """Returns the CPU time of the runner and of the programs that have ended, by os.times()."""
    return times.user + times.system + times.children_user + times.children_system


class Load:
    def __init__(self):
        self.last = self.read()

    @staticmethod
    def read():
        with open("/proc/stat", encoding="ascii") as stat:
            return all_busy(stat.readline()), own(os.times()), time.monotonic()

    def since(self):
        """Returns other processes' share of all CPU time since the last call."""
        before, self.last = self.last, self.read()
        busy, mine, elapsed = (now - then for now, then in zip(self.last, before))
        return max(busy - mine, 0.0) / (max(elapsed, 1e-3) * (os.cpu_count() or 1))
