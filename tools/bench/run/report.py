# SPDX-License-Identifier: MIT
"""The tables on the terminal."""

from works import BESIDE_US

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "x": 1, "": 1}


def number(value, unit):
    if value is None:
        return "-"
    value /= UNITS[unit]
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}"


def with_unit(value, unit):
    return f"{number(value, unit)} {unit}".strip()


def ratio(line):
    """Returns the figure in units of c, or else of futex round trips; and its ratio to the serial
    twin."""
    return " ".join(f"{value:.2f}{name[0]}" for name, value in line["ratios"].items())


def verdict(line):
    if line["met"] is None:
        return ""
    if line["met"]:
        return "met"
    return f"{line['distance']:.2f} x"


def best(line):
    """Returns the best of the other peers, except variants of the same pool and the serial twin."""
    others = [p for p in line["peers"] if not p["peer"].startswith(("nap", "serial"))]
    if not others:
        return ""
    pick = max if line["stat"] == "speedup" else min
    peer = pick(others, key=lambda p: p["value"])
    return f"{peer['peer']} {number(peer['value'], line['unit'])}"


def published(line):
    return ", ".join(f"{who} {value}c" for who, value in line["published_in_c"].items())


HEADER = ("", "work", "measured", "quartiles", "CPU", "ratio", "target", "met, or distance",
          "published", "best here", "doubt")


def cells(line, c):
    if line["own"] is None:
        return (line["label"], line["title"], "not measured") + ("",) * (len(HEADER) - 3)
    own, unit, target = line["own"], line["unit"], line["target"]
    aim = with_unit(target, unit) if target else ""
    if target and c and unit == "ns":
        aim += f" = {target / c:.2f}c"
    return (line["label"], line["title"], with_unit(own["value"], unit),
            f"{number(own['q1'], unit)}-{number(own['q3'], unit)}",
            number(own["cpu"], unit) if own["cpu"] else "", ratio(line), aim,
            verdict(line), published(line), best(line), own["doubt"])


def columns(rows):
    """Prints columns as wide as their cells; the first two are aligned to the left, the others to
    the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        parts = [cell.ljust(width) if i < 2 or i == len(row) - 1 else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        yield "  ".join(parts).rstrip()


def main_table(lines, c):
    return "\n".join(columns([HEADER] + [cells(line, c) for line in lines]))


def everybody(lines):
    """Yields (line, its figures, the best first); each figure of a work comes once."""
    seen = set()
    for line in lines:
        if line["own"] is None or not line["peers"] or (line["work"], line["stat"]) in seen:
            continue
        seen.add((line["work"], line["stat"]))
        yield line, sorted([line["own"]] + line["peers"], key=lambda p: p["value"],
                           reverse=line["stat"] == "speedup")


def names_and_values(line, peers):
    return ", ".join(f"{p['peer']} {number(p['value'], line['unit'])}" + "?" * bool(p["doubt"])
                     for p in peers)


def peers_table(lines):
    return "\n".join(f"{line['label']:3} {line['title']} ({line['unit'] or 'count'}): "
                     + names_and_values(line, peers) for line, peers in everybody(lines))


def legend(evaluation):
    text = f"c: an uncontended locked compare-exchange, here {evaluation.c:.2f} ns"
    if evaluation.futex:
        text += f"\nf: there and back by a raw futex, here {evaluation.futex / 1e3:.2f} us"
    if evaluation.due:
        within = ", ".join(f"{evaluation.due * us / 1e3:.1f} ms of {us} us" for us in BESIDE_US)
        text += (f"\nY8, Y9: the target is nap/timer.h's bound, {evaluation.due:.0f} of a worker's tasks:"
                 f" {within}; behind a task longer than 20 us the worker looks at once")
    return text + ("\ns: the same by plain calls, gcc -O3 (fib: each call kept)"
                   "\n?, doubt: load, speed: not to be trusted; spread: quartiles far apart"
                   "\nlength: a peer's iterations by themselves are not as long as the row says"
                   "\ncore: dense code gains little by a second CPU here (row S), nor can this"
                   "\npublished: of pools that are in no distribution, in c of another machine")


def noise_lines(evaluation):
    faults = evaluation.faults
    for kind, text in (("load", "others had more than a twentieth of the CPUs"),
                       ("speed", "the CPU ran more than a twentieth faster or slower")):
        bad = sum(kind in fault for fault in faults)
        if bad:
            yield f"noise: {bad} of {len(faults)} times {text}: {kind}"
    if not any(faults):
        yield f"noise: none seen, {len(faults)} times"
