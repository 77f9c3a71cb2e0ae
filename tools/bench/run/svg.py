# SPDX-License-Identifier: MIT
"""A small writer of SVG: bars with their spread, and lines over a number. """

import math
from xml.sax.saxutils import escape

FONT = "font-family='sans-serif' font-size='13'"
# Text stays readable where a line crosses it.
HALO = "paint-order='stroke' stroke='white' stroke-width='3'"
INK, FAINT, OWN = "#222222", "#d8d8d8", "#c8452d"
OTHERS = ("#3b6ea5", "#5a9367", "#8d6cab", "#b58a2a", "#4d9aa8", "#777777", "#a85c83", "#6b7f2e")


class Picture:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = []
        self.text(12, 22, title, size=15, weight="bold")

    def text(self, x, y, what, anchor="start", size=13, weight="normal", colour=INK):
        self.parts.append(f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='{colour}' "
                          f"font-size='{size}' font-weight='{weight}' {HALO}>{escape(what)}</text>")

    def rect(self, x, y, width, height, colour):
        self.parts.append(f"<rect x='{x:.1f}' y='{y:.1f}' width='{max(width, 0.5):.1f}' "
                          f"height='{height:.1f}' fill='{colour}'/>")

    def line(self, points, colour=INK, width=1.0):
        where = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f"<polyline points='{where}' fill='none' stroke='{colour}' "
                          f"stroke-width='{width}'/>")

    def dot(self, x, y, colour):
        self.parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>")

    def __str__(self):
        return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{self.width}' "
                f"height='{self.height}' viewBox='0 0 {self.width} {self.height}' {FONT}>\n"
                f"<rect width='100%' height='100%' fill='white'/>\n" +
                "\n".join(self.parts) + "\n</svg>\n")


def short(value):
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"


def ticks(top, most=6):
    """Returns round numbers from 0 to a little above @top."""
    raw = top / most if top > 0 else 1
    step = 10 ** math.floor(math.log10(raw))
    step *= next(factor for factor in (1, 2, 5, 10) if step * factor >= raw)
    return [i * step for i in range(int(math.ceil(top / step)) + 1)]


def longest(entries, target, most=20):
    """Returns the end of an axis: bars @most times as long as the shortest are cut."""
    shortest = min([value for _, value, *_ in entries if value > 0], default=1)
    if target:
        shortest = max(shortest, target / 2)
    ends = [max(value, high) for _, value, _, high, _ in entries]
    whole = max(ends + ([target] if target else [])) or 1
    return min(whole, most * shortest)


def bars(title, unit, groups):
    """groups: (name, [(who, value, low, high, own?)], target or None), each a block with an axis of
    its own that begins at 0, because bars are compared within a block only."""
    left, right, row, gap = 150, 110, 18, 38
    width = 760
    height = 44 + sum(len(entries) * row + gap for _, entries, _ in groups)
    picture = Picture(width, height, f"{title} ({unit})" if unit else title)
    y = 44
    for name, entries, target in groups:
        picture.text(12, y + 14, name, weight="bold")
        y += 22
        top = longest(entries, target)
        scale = (width - left - right) / top
        begin, end = y, y + row * len(entries)
        if target:
            picture.line([(left + target * scale, y - 2), (left + target * scale, end + 2)],
                         colour="#118833", width=2)
            picture.text(width - 8, y - 8, f"green: target {short(target)}", anchor="end",
                         size=11, colour="#118833")
        for who, value, low, high, own in entries:
            picture.text(left - 8, y + 13, who, anchor="end")
            colour, tip = OWN if own else OTHERS[0], left + min(max(value, high), top) * scale
            picture.rect(left, y + 3, min(value, top) * scale, row - 6, colour)
            if value > top:
                picture.line([(tip - 14, y + 2), (tip - 10, y + row - 2)], "white", 4)
            else:
                picture.line([(left + low * scale, y + row / 2),
                              (left + min(high, top) * scale, y + row / 2)], width=1.6)
            picture.text(tip + 6, y + 13, short(value))
            y += row
        picture.line([(left, begin), (left, y)])
        y += gap - 22
    return str(picture)


def even(top, bottom):
    """Returns (marks, function that places a value between 0 and 1) of an axis from 0, or of a
    logarithmic one where an axis from 0 would hide small values."""
    if bottom <= 0 or top / bottom < 20:
        marks = ticks(top)
        return marks, lambda value: value / marks[-1]
    low, high = math.floor(math.log10(bottom)), math.ceil(math.log10(top))
    marks = [factor * 10.0 ** power for power in range(low, high) for factor in (1, 2, 5)]
    marks.append(10.0 ** high)
    return marks, lambda value: (math.log10(max(value, marks[0])) - low) / (high - low)


def lines(title, unit, over, series):
    """series: (who, [(x, value, low, high)], own?); x on a scale of powers of two."""
    left, right, top, bottom, width, height = 64, 120, 48, 52, 760, 420
    picture = Picture(width, height, f"{title} ({unit})")
    points = [point for _, of_one, _ in series for point in of_one]
    xs = sorted({point[0] for point in points})
    marks, place = even(max(point[3] for point in points), min(point[2] for point in points))
    span = math.log2(xs[-1] / xs[0]) or 1

    def at(x, value):
        return (left + math.log2(x / xs[0]) / span * (width - left - right),
                height - bottom - place(value) * (height - top - bottom))

    for mark in marks:
        picture.line([at(xs[0], mark), at(xs[-1], mark)], colour=FAINT)
        picture.text(left - 8, at(xs[0], mark)[1] + 4, short(mark), anchor="end")
    for x in xs:
        picture.text(at(x, 0)[0], height - bottom + 18, str(x), anchor="middle")
    picture.text((left + width - right) / 2, height - 12, over, anchor="middle")
    labels = []
    for i, (who, points, own) in enumerate(series):
        colour = OWN if own else OTHERS[i % len(OTHERS)]
        for x, _, low, high in points:
            picture.line([at(x, low), at(x, high)], colour, 1.2)
        picture.line([at(x, value) for x, value, *_ in points], colour, 2)
        for x, value, *_ in points:
            picture.dot(*at(x, value), colour)
        labels.append([at(points[-1][0], points[-1][1])[1], who, colour])
    below = height - bottom + 14
    for y, who, colour in sorted(labels, reverse=True):
        below = min(y + 4, below - 15)
        picture.text(width - right + 10, below, who, colour=colour)
    return str(picture)
