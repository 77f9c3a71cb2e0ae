# SPDX-License-Identifier: MIT
"""The arithmetic: from samples to figures, without files, clocks or processes."""


def quantile(values, q):
    """Returns the quantile q, interpolated between neighbours."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")
    place = (len(ordered) - 1) * q
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values):
    return quantile(values, 0.5)


def spread(values):
    return {"min": min(values), "q1": quantile(values, 0.25), "q3": quantile(values, 0.75),
            "count": len(values)}


def relative(value, spread):
    """Returns the distance of the quartiles as a share of the figure."""
    return (spread["q3"] - spread["q1"]) / abs(value) if value else 0.0


def per_piece(sample, of):
    """Returns the time of one piece of work: "wall", "cpu", or "loss", wall over ideal time."""
    if of == "wall":
        return sample["wall"] / sample["n"]
    if of == "whole":
        return sample["wall"]
    if sample["cpu"] is None:
        raise ValueError("a sample without CPU time")
    if of == "cpu":
        return sample["cpu"] / sample["n"]
    if of == "loss":
        return (sample["wall"] - sample["cpu"] / sample["workers"]) / sample["n"]
    raise ValueError("no such figure: " + of)


# Quantiles of works that are measured one by one; -whole: those of a round, not of a piece.
QUANTILES = {"p50": ("wall", 0.5), "p99": ("wall", 0.99), "p999": ("wall", 0.999),
             "p50-whole": ("whole", 0.5)}


def figure(samples, stat):
    """Returns value and spread. A quantile's spread is that of the repetitions' quantiles."""
    if stat in QUANTILES:
        of, q = QUANTILES[stat]
        values = [per_piece(s, of) for s in samples]
        runs = {}
        for sample, value in zip(samples, values):
            runs.setdefault(sample["rep"], []).append(value)
        return quantile(values, q), spread([quantile(v, q) for v in runs.values()])
    values = [per_piece(s, stat) for s in samples]
    return median(values), spread(values)


def met(value, target, more_is_better=False):
    """Returns whether the target is reached, and the distance: 1.2 is a fifth on the wrong side."""
    if not target or not value:
        return None, None
    distance = target / value if more_is_better else value / target
    return distance <= 1.0, distance
