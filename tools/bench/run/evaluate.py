# SPDX-License-Identifier: MIT
"""Computes the rows of the tables from samples."""

import figures
import noise
import targets
import works


class Evaluation:
    def __init__(self, results):
        self.probes = results.probes
        self.cells = {}
        for sample in results.samples:
            self.cells.setdefault((sample["work"], sample["peer"]), []).append(sample)
        usual = noise.usual(results.probes)
        probes = results.probes
        self.faults = [noise.faults_between(before, after, usual)
                       for before, after in zip(probes, probes[1:])]
        self.c = self.value("c", "nap", "wall")
        self.futex = self.value("trip-1", "futex", "p50")
        self.due = self.value("due-bound", "nap", "wall")
        one, two = (self.value(f"additions-{n}", "serial", "wall") for n in (1, 2))
        self.second = one / two if one and two else None

    def peers_of(self, work):
        return [peer for key, peer in self.cells if key == work]

    def value(self, work, peer, stat):
        """Returns a figure's value without its spread, or None if it was not measured."""
        samples = self.cells.get((work, peer))
        return figures.figure(samples, stat)[0] if samples else None

    def faults_of(self, work, peer):
        """Returns for each repetition what the probes before and after it found."""
        found = {}
        for sample in self.cells.get((work, peer), ()):
            found.setdefault(sample["rep"], set()).update(self.faults[sample["probe"]])
        return list(found.values())

    def row(self, figure, peer):
        """Returns a figure of a peer: value, spread, whether to trust it; None if not measured."""
        samples = self.cells.get((figure.work, peer))
        if not samples:
            return None
        base = None
        if figure.base:
            stat = "cpu" if figure.stat == "extra" else "wall"
            base = self.base_of(figure, peer, stat)
            if base is None:
                return None
        value, spread = self._derived(figure, samples, base)
        spread["relative"] = figures.relative(value, spread)
        doubt = noise.verdict(spread["relative"], self.faults_of(figure.work, peer),
                              figure.work in works.DENSE and noise.is_one_core(self.second),
                              self.is_other_length(figure.work, peer))
        return {"peer": peer, "value": value, **spread, "doubt": doubt,
                "cpu": self.cpu(figure, samples)}

    def base_of(self, figure, peer, stat):
        """Returns the value that the peer's is compared with. Peers in Rust have twins in Rust."""
        work, base = figure.base
        own = targets.OWN_TWINS.get(peer) if base == "serial" else None
        return self.value(work, own, stat) or self.value(work, base or peer, stat)

    def is_other_length(self, work, peer):
        """Whether a loop's iterations are of another length in this peer than the row says."""
        row = works.ROWS.get(work)
        said = works.TURNS.get(row)
        return bool(said) and noise.is_other_length(self.value(f"{row}-alone", peer, "cpu"), said)

    @staticmethod
    def cpu(figure, samples):
        """Returns the CPU time of the work, beside its wall time; None if it was not measured."""
        if figure.stat != "wall" or any(s["cpu"] is None for s in samples):
            return None
        return figures.figure(samples, "cpu")[0]

    @staticmethod
    def _derived(figure, samples, base):
        if figure.stat == "speedup":
            values = [base / figures.per_piece(s, "wall") for s in samples]
        elif figure.stat == "slope":
            values = [2 * figures.per_piece(s, "wall") - base for s in samples]
        elif figure.stat == "extra":
            values = [figures.per_piece(s, "cpu") - base for s in samples]
        else:
            return figures.figure(samples, figure.stat)
        return figures.median(values), figures.spread(values)

    def target(self, figure):
        """Returns the target in the figure's own unit (ns, or a ratio)."""
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
        return target.value * min(others) if others else None

    def ratios(self, figure, value):
        """Returns the meaningful ratios: to c, to a futex round trip, to the serial twin."""
        twin = targets.TWINS.get(figure.work)
        serial = self.value(*twin, "wall") if twin and figure.stat in ("wall", "cpu") else None
        units = {"c": self.c if figure.unit == "ns" else None,
                 "futex": self.futex if figure.label == "I1" else None, "serial": serial}
        return {name: value / unit for name, unit in units.items() if unit}

    def line(self, figure):
        """Returns a row of the table: the figure of figure.peer, its target, the other peers'
        figures."""
        own = self.row(figure, figure.peer)
        if own is None:
            return {"label": figure.label, "title": figure.title, "work": figure.work, "own": None}
        target = self.target(figure)
        met, distance = figures.met(own["value"], target, figure.more_is_better)
        others = [self.row(figure, peer) for peer in self.peers_of(figure.work)]
        return {"label": figure.label, "title": figure.title, "work": figure.work,
                "unit": figure.unit, "stat": figure.stat, "own": own, "target": target,
                "met": met, "distance": distance,
                "ratios": self.ratios(figure, own["value"]), "published_in_c": figure.published,
                "peers": [o for o in others if o and o["peer"] != figure.peer]}
