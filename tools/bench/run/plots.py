# SPDX-License-Identifier: MIT
"""The pictures."""

import svg
from report import UNITS

# Name, title, and labels of the rows in the picture.
BARS = (
    ("tasks", "Empty tasks, ns a task", ("T1", "T2", "T3", "T4", "T5", "I4")),
    ("forks", "Fork and join without cut-off, ns a fork", ("F1", "F2")),
    ("trees", "Trees on two workers", ("F3", "F4", "M")),
    ("sleep", "A pool that sleeps", ("I1", "I2", "I3", "R2")),
    ("queues", "Queues alone, one element in and out", ("Q",)),
)

LINES = (
    ("workers", "Tasks from a worker, one by one", "ns a task", "workers on this machine's CPUs",
     "workers-", ("nap", "tbb", "rayon", "tokio", "glib", "pthread")),
    ("producers", "Tasks from outside to two workers", "ns a task", "producers", "producers-",
     ("nap", "tbb", "rayon", "tokio", "glib", "pthread")),
    ("ring", "A ring for each thread", "ns", "threads", "ring-", ("nap", "ck")),
    ("fifo", "One FIFO queue for all threads", "ns", "threads", "fifo-", ("nap", "urcu")),
    ("stack", "One stack for all threads", "ns", "threads", "stack-", ("nap", "urcu", "ck")),
)


def group(line):
    """Returns a block of bars, the best first."""
    scale = UNITS[line["unit"]]
    everybody = [line["own"]] + line["peers"]
    everybody.sort(key=lambda p: p["value"], reverse=line["stat"] == "speedup")
    entries = [(p["peer"], *(max(p[key], 0) / scale for key in ("value", "q1", "q3")),
                p["peer"].startswith("nap")) for p in everybody]
    target = line["target"] / scale if line["target"] else None
    unit = f", {line['unit']}" if line["unit"] not in ("", "x") else ""
    return f"{line['label']} {line['title']}{unit}", entries, target


def series(lines, prefix, who):
    points = []
    for line in lines:
        rest = line["work"][len(prefix):]
        if (not line["own"] or not line["work"].startswith(prefix) or not rest.isdigit()
                or line["label"] == "D"):
            continue
        for peer in [line["own"]] + line["peers"]:
            if peer["peer"] == who:
                points.append((int(rest), peer["value"], peer["q1"], peer["q3"]))
    return sorted(points)


def all(lines):
    for name, title, labels in BARS:
        groups = [group(line) for line in lines if line["label"] in labels and line["own"]
                  and line["own"]["peer"] == "nap"
                  and not any(line["work"].startswith(p) and line["work"] != p + "1"
                              for p in ("ring-", "fifo-", "stack-"))]
        if groups:
            yield name, svg.bars(title, "", groups)
    for name, title, unit, over, prefix, peers in LINES:
        found = [(who, series(lines, prefix, who), who == "nap") for who in peers]
        found = [entry for entry in found if len(entry[1]) > 1]
        if found:
            yield name, svg.lines(title, unit, over, found)
