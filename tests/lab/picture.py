# SPDX-License-Identifier: MIT
"""Checks the geometry of pictures (tools/picture/): prints each fault on a line of its own.

picture.py FILE...
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

# ADVANCE: the width of a character divided by its size, in the widest of the monospaced fonts that
# a picture names (DejaVu Sans Mono). SIZES: all classes of text, each with its size.
ADVANCE = 0.602
SIZES = {"nap-name": 18, "nap-head": 14, "nap-what": 14, "nap-sub": 13, "nap-code": 12,
         "nap-place": 12, "nap-note": 12}
SVG = "{http://www.w3.org/2000/svg}"


class Rect:
    """A rectangle. @of names for messages what it encloses."""

    def __init__(self, x, y, w, h, of):
        self.x, self.y, self.w, self.h, self.of = x, y, w, h, of

    def touches(self, other):
        return (self.x < other.x + other.w and other.x < self.x + self.w and
                self.y < other.y + other.h and other.y < self.y + self.h)

    def holds(self, other):
        return (self.x <= other.x and self.y <= other.y and
                other.x + other.w <= self.x + self.w and other.y + other.h <= self.y + self.h)


def rect_of(element, of, move):
    x, y, w, h = (float(element.get(name, 0)) for name in ("x", "y", "width", "height"))
    return Rect(x + move[0], y + move[1], w, h, of)


def text_of(element):
    return "".join(element.itertext())


def extent(element, move):
    """The rectangle that a text takes, from its number of characters."""
    size = SIZES.get((element.get("class") or "").split(" ")[0], 12)
    width = len(text_of(element)) * size * ADVANCE
    x = float(element.get("x")) - {"end": width, "middle": width / 2}.get(
        element.get("text-anchor"), 0)
    return Rect(x + move[0], float(element.get("y")) - 0.8 * size + move[1], width, size,
                "the text '%s'" % text_of(element))


def points_of(line, move):
    """Close points along a path of cubic curves."""
    numbers = [float(n) for n in re.findall(r"-?[0-9.]+", line.get("d"))]
    points = [(numbers[i] + move[0], numbers[i + 1] + move[1])
              for i in range(0, len(numbers), 2)]
    for i in range(0, len(points) - 1, 3):
        a, b, c, d = points[i:i + 4]
        for step in range(101):
            t = step / 100
            yield tuple((1 - t) ** 3 * a[k] + 3 * (1 - t) ** 2 * t * b[k] +
                        3 * (1 - t) * t * t * c[k] + t ** 3 * d[k] for k in (0, 1))


def named(root, name):
    return [e for e in root.iter() if name in (e.get("class") or "").split(" ")]


def faults_of(path):
    root = ElementTree.parse(path).getroot()
    view = Rect(*(float(n) for n in root.get("viewBox").split()), "the view")
    diagram = named(root, "nap-diagram")[0]
    move = [float(n) for n in re.findall(r"-?[0-9.]+", diagram.get("transform"))]
    boxes, labels, texts = [], [], []

    for event in named(diagram, "nap-event"):
        box = rect_of(event.find(SVG + "rect"), "box " + event.get("data-event"), move)
        parts = [extent(text, move) for text in event.findall(SVG + "text")]
        boxes.append(box)
        for i, part in enumerate(parts):
            if not box.holds(part):
                yield "%s is not within its box" % part.of
            for other in parts[:i]:
                if part.touches(other):
                    yield "%s is on %s" % (part.of, other.of)
    for label in named(diagram, "nap-label"):
        back = rect_of(label.find(SVG + "rect"), "label " + text_of(label), move)
        labels.append(back)
        for text in label.findall(SVG + "text"):
            if not back.holds(extent(text, move)):
                yield "%s is wider than its place" % extent(text, move).of
    texts = [extent(text, move) for text in named(diagram, "nap-head")]
    texts += [extent(text, (0, 0)) for text in root.iter(SVG + "text")
              if (text.get("class") or "").split(" ")[0] in ("nap-name", "nap-sub", "nap-note")]
    for i, one in enumerate(boxes + labels + texts):
        if not view.holds(one):
            yield "%s is not within the view" % one.of
        for other in (boxes + labels + texts)[:i]:
            if one.touches(other):
                yield "%s is on %s" % (one.of, other.of)
    for edge in named(diagram, "nap-edge"):
        name = "%s %s %s" % (edge.get("data-edge"), edge.get("data-from"), edge.get("data-to"))
        for x, y in points_of(edge.find(SVG + "path"), move):
            dot = Rect(x - 0.5, y - 0.5, 1, 1, name)
            if not view.holds(dot):
                yield "%s is not within the view" % name
                break
            # An edge may touch the side of a box, because it begins and ends there.
            on = [box.of for box in boxes
                  if box.x + 1 < x < box.x + box.w - 1 and box.y + 1 < y < box.y + box.h - 1]
            if on:
                yield "%s goes through %s" % (name, on[0])
                break
    yield from legend_faults(root)
    yield from red_faults(diagram)


def legend_faults(root):
    """Faults of the legend, which must have exactly the kinds of edges that occur."""
    edges = named(named(root, "nap-diagram")[0], "nap-edge")
    wanted = set(e.get("data-edge") for e in edges if "nap-red" not in e.get("class").split(" "))
    legend = named(root, "nap-legend")
    shown = set(text_of(kind) for kind in named(legend[0], "nap-kind")) if legend else set()
    if shown != wanted:
        yield "the legend has %s, the edges are %s" % (sorted(shown), sorted(wanted))


def red_faults(diagram):
    """Faults of the red edges: two or more must make cycles. A single one shows an edge that should not exist."""
    red = [(e.get("data-from"), e.get("data-to")) for e in named(diagram, "nap-edge")
           if "nap-red" in e.get("class").split(" ")]
    if len(red) < 2:
        return
    if sorted(a for a, _ in red) != sorted(b for _, b in red):
        yield "the red edges are no cycle: %s" % red


def main():
    bad = 0
    for path in sys.argv[1:]:
        for fault in faults_of(path):
            print("%s: %s" % (path, fault))
            bad += 1
    return 1 if bad or len(sys.argv) < 2 else 0


sys.exit(main())
