# SPDX-License-Identifier: MIT
"""Counts the system calls of a task in the work "trickle" with strace, which slows everything down,
so no times are measured.

The sleep of the main thread between two tasks does not count: the calls of the same program without
tasks are subtracted.
"""

import os
import shutil
import subprocess
import tempfile

from measure import environment
from works import PROTOCOLS, TASKS

PEERS = ("nap", *(name for _, _, name in PROTOCOLS), "futex", *TASKS[1:])
FEW, MANY = 20, 100
ROUNDS = 3      # two to warm up, and one that counts


def count(parts):
    with tempfile.NamedTemporaryFile("r") as out:
        trace = ["strace", "-f", "-qq", "-c", "-U", "calls,name", "-o", out.name]
        subprocess.run(trace + parts, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=60, check=True, env=environment("nap"))
        rows = [line.split() for line in out.read().splitlines()]
    return sum(int(row[0]) for row in rows
               if len(row) == 2 and row[0].isdigit() and row[1] != "total")


def slope(parts, how):
    """Returns the number of system calls that MANY - FEW turns take."""
    return count(parts + [str(MANY), "1", how]) - count(parts + [str(FEW), "1", how])


def measure(programs, found, peers=PEERS):
    """Returns a sample for each peer, the difference of many and few tasks; or why it has none."""
    if not shutil.which("strace"):
        return [], "system calls not counted: apt-get install strace"
    samples = []
    for name in peers:
        program, _, how = name.partition("-")
        if program not in found:
            continue
        parts = [os.path.join(programs, program), "trickle", "2"]
        try:
            more = slope(parts, how or "tasks") - slope(parts, "sleep")
        except (subprocess.SubprocessError, OSError, ValueError):
            continue
        samples.append({"work": "trickle-calls", "peer": name, "rep": 0, "wall": max(more, 0),
                        "cpu": None, "n": (MANY - FEW) * ROUNDS, "workers": 2, "probe": 0})
    return samples, ""
