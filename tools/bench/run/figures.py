# SPDX-License-Identifier: MIT
"""The arithmetic: from samples to figures. No file, no clock, no process."""


def quantile(values, q):
    """The value below which a share of q lies, between neighbours in proportion."""
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
    """The distance of the quartiles as a share of the figure."""
    return (spread["q3"] - spread["q1"]) / abs(value) if value else 0.0


def per_piece(sample, of):
    """What one piece of the work took: of "wall", "cpu", or "loss", the wall time over ideal."""
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


# Of what is measured one by one; -whole: of a round, not of one piece of it.
QUANTILES = {"p50": ("wall", 0.5), "p99": ("wall", 0.99), "p999": ("wall", 0.999),
             "p50-whole": ("whole", 0.5)}


def figure(samples, stat):
    """Value and spread. Of a quantile the spread is that of the repetitions' own."""
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
    """Whether it is, and the distance: 1.2 is a fifth on the wrong side of the target."""
    if not target or not value:
        return None, None
    distance = target / value if more_is_better else value / target
    return distance <= 1.0, distance
