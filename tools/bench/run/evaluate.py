# SPDX-License-Identifier: MIT
"""From samples to the rows of the tables."""

import figures
import noise


class Evaluation:
    def __init__(self, results):
        self.probes = results.probes
        self.cells = {}
        for sample in results.samples:
            self.cells.setdefault((sample["work"], sample["peer"]), []).append(sample)
        usual = noise.usual(results.probes)
        self.faults = [noise.probe_faults(probe, usual) for probe in results.probes]
        self.c = self.value("c", "nap", "wall")

    def peers_of(self, work):
        return [peer for key, peer in self.cells if key == work]

    def value(self, work, peer, stat):
        """The value alone, or None where it was not measured."""
        samples = self.cells.get((work, peer))
        return figures.figure(samples, stat)[0] if samples else None

    def faults_of(self, work, peer):
        """Of each repetition what the probes before and behind it found."""
        found = {}
        for sample in self.cells.get((work, peer), ()):
            around = self.faults[sample["probe"]:sample["probe"] + 2]
            found.setdefault(sample["rep"], set()).update(*around)
        return list(found.values())

    def row(self, figure, peer):
        """One figure of one peer: value, spread, whether to trust it. None: not measured."""
        samples = self.cells.get((figure.work, peer))
        if not samples:
            return None
        base = None
        if figure.base:
            stat = "cpu" if figure.stat == "extra" else "wall"
            base = self.value(figure.base[0], figure.base[1] or peer, stat)
            if base is None:
                return None
        value, spread = self._derived(figure, samples, base)
        spread["relative"] = (spread["q3"] - spread["q1"]) / abs(value) if value else 0.0
        doubt = noise.verdict([], self.faults_of(figure.work, peer))
        if spread["relative"] > noise.WIDE and spread["count"] > 1:
            doubt = "+".join(filter(None, (doubt, "spread")))
        return {"peer": peer, "value": value, **spread, "doubt": doubt}

    @staticmethod
    def _derived(figure, samples, base):
        if figure.stat == "speedup":
            values = [base / figures.per_piece(s, "wall") for s in samples]
        elif figure.stat == "extra":
            values = [figures.per_piece(s, "cpu") - base for s in samples]
        else:
            return figures.figure(samples, figure.stat)
        return figures.median(values), figures.spread(values)

    def target(self, figure):
        """What is to be reached, in the figure's own unit (ns, or a ratio)."""
        target = figure.target
        if target is None:
            return None
        if target.kind in ("ns", "x"):
            return target.value
        if target.kind == "c":
            return self.c and target.value * self.c
        if target.kind == "of":
            other = self.value(*target.of)
            return other and target.value * other
        others = [self.row(figure, peer)["value"] for peer in self.peers_of(figure.work)
                  if not peer.startswith("nap") and self.row(figure, peer)]
        return min(others, default=None)

    def line(self, figure):
        """A row of the table: nap's (or another's) figure, its target, everybody else's."""
        own = self.row(figure, figure.peer)
        if own is None:
            return None
        target = self.target(figure)
        met, distance = figures.met(own["value"], target, figure.more_is_better)
        others = [self.row(figure, peer) for peer in self.peers_of(figure.work)]
        return {"label": figure.label, "title": figure.title, "work": figure.work,
                "unit": figure.unit, "stat": figure.stat, "own": own, "target": target,
                "met": met, "distance": distance, "published_in_c": figure.published,
                "peers": [o for o in others if o and o["peer"] != figure.peer]}
