# SPDX-License-Identifier: MIT
"""Judges whether figures can be trusted: a loop of fixed length is timed between all works."""

from figures import median

SPEED = 0.05    # limit: how much slower or faster than usual the CPU was
STOLEN = 0.05   # limit: the share of the time that other processes had of a CPU, or of all CPUs
WIDE = 0.15     # limit: how far apart the quartiles are
LENGTH = 0.2    # limit: how much longer or shorter a loop's iterations are than the row says
TWO = 1.6       # limit: how much more dense code two CPUs do than one, if each is a core of its own


def probe_faults(probe, usual_cpu):
    """Returns what was wrong at a probe: its wall and CPU time against the usual ones."""
    faults = []
    if abs(probe["cpu"] / usual_cpu - 1) > SPEED:
        faults.append("speed")
    if probe["wall"] / probe["cpu"] - 1 > STOLEN:
        faults.append("load")
    return faults


def faults_between(before, after, usual_cpu):
    """Returns what was wrong with the works between two probes: the probes' faults, and load."""
    faults = set(probe_faults(before, usual_cpu) + probe_faults(after, usual_cpu))
    if after["others"] > STOLEN:
        faults.add("load")
    return faults


def usual(probes):
    """Returns the loop's CPU time on an idle machine: the median of the quicker half."""
    return median(sorted(p["cpu"] for p in probes)[:(len(probes) + 1) // 2])


def is_one_core(second):
    """Whether two CPUs did hardly more than one. @second is the ratio, or None if not measured."""
    return second is not None and second < TWO


def is_other_length(measured, said):
    """Whether a loop's iterations are not as long as the row says; false if not measured (None)."""
    return measured is not None and abs(measured / said - 1) > LENGTH


def verdict(relative_spread, faults_of_repetitions, one_core=False, other_length=False):
    """Returns "" for a figure to trust, or why not; the faults are those around each repetition."""
    reasons = ["core"] * one_core + ["length"] * other_length
    for fault in ("load", "speed"):
        bad = sum(fault in faults for faults in faults_of_repetitions)
        if 2 * bad > len(faults_of_repetitions):
            reasons.append(fault)
    if relative_spread > WIDE:
        reasons.append("spread")
    return "+".join(reasons)
