# SPDX-License-Identifier: MIT
"""Runs the programs: repetition by repetition, and in each repetition peer by peer."""

import os
import subprocess
import time
from dataclasses import dataclass, field

import works
from load import Load

TIMEOUT = 120

# Variables of the caller's environment that change how a peer runs begin so. No program gets them.
TUNES = ("OMP_", "GOMP_", "KMP_", "LIBOMP_", "TBB_", "TOKIO_", "RAYON_", "UV_", "G_SLICE",
         "GOMAXPROCS", "GOGC", "GODEBUG", "GOMEMLIMIT")


@dataclass
class Results:
    samples: list = field(default_factory=list)
    probes: list = field(default_factory=list)      # each: wall, cpu, others
    failures: list = field(default_factory=list)    # (work, peer, why)
    interrupted: bool = False


def parse(text):
    """Parses the lines of a program: row, peer, wall, CPU or -, n."""
    samples = []
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) != 5:
            raise ValueError("not a sample: " + line)
        cpu = None if fields[3] == "-" else int(fields[3])
        samples.append({"wall": int(fields[2]), "cpu": cpu, "n": int(fields[4])})
    if not samples or any(s["n"] <= 0 for s in samples):
        raise ValueError("no samples")
    return samples


def command(programs, work, program, how, tiny):
    n, rounds = work.n, work.rounds * work.times.get(program.removesuffix("-new"), 1)
    if tiny:
        n = {"fib": 10, "nqueens": 8, "queens": 6}.get(work.row, min(n, 200))
        rounds = min(rounds, 3)
    parts = [os.path.join(programs, program), work.row, str(work.workers), str(n), str(rounds)]
    if work.row == "first":
        return [os.path.join(programs, "exec-client")] + parts
    return parts + [how] if how else parts


def environment(name):
    """Returns the environment of a peer: the caller's, and what the variant's name stands for."""
    own = {key: value for key, value in os.environ.items() if not key.startswith(TUNES)}
    return {**own, **works.ENVIRONMENT.get(name.rpartition("-")[2], {})}


def run(parts, cpus, name="nap"):
    """Returns the samples of one process."""
    def pin():
        os.sched_setaffinity(0, cpus)
    done = subprocess.run(parts, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=TIMEOUT, preexec_fn=pin if cpus else None,
                          env=environment(name))
    if done.returncode:
        raise ValueError(done.stderr.strip() or f"exit status {done.returncode}")
    return parse(done.stdout)


class Measurement:
    def __init__(self, options, found, progress):
        self.options, self.found, self.progress = options, found, progress
        self.results = Results()
        self.load = Load()

    def probe(self):
        """Measures a loop of a fixed length five times, and other processes' CPU time since the
        last probe."""
        others = self.load.since()
        parts = [os.path.join(self.options.programs, "nap"), "spin", "1", "1", "5"]
        sample = run(parts, ())[0]
        self.results.probes.append({"wall": sample["wall"] / 5, "cpu": sample["cpu"] / 5,
                                    "others": others})

    def one(self, work, repetition, name, program, how):
        parts = command(self.options.programs, work, program, how, self.options.tiny)
        try:
            samples = run(parts, work.cpus, name)
        except (ValueError, OSError, subprocess.TimeoutExpired) as why:
            self.results.failures.append((work.key, name, str(why)))
            return
        for sample in samples:
            sample.update(work=work.key, peer=name, rep=repetition, workers=work.workers,
                          probe=len(self.results.probes) - 1)
        self.results.samples += samples

    def work(self, work, repetition):
        full = self.options.full or self.options.works
        everybody = [one for one in work.contestants(full) if one[1] in self.found]
        turn = repetition % len(everybody) if everybody else 0
        self.probe()
        for name, program, how in everybody[turn:] + everybody[:turn]:
            if (work.key, name) not in {failure[:2] for failure in self.results.failures}:
                self.one(work, repetition, name, program, how)

    def all(self, works, repetitions):
        """Runs all works, again and again, until an interrupt. Returns what was measured."""
        try:
            self.repeat(works, repetitions)
        except KeyboardInterrupt:
            self.results.interrupted = True
        self.probe()
        return self.results

    def repeat(self, works, repetitions):
        """Runs all works, again and again. A work is left out after its last repetition."""
        total = sum(repetitions[w.key] for w in works)
        begin, done = time.monotonic(), 0
        for repetition in range(max(repetitions.values(), default=0)):
            for work in works:
                if repetition >= repetitions[work.key]:
                    continue
                self.progress(work.key, done, total, time.monotonic() - begin)
                self.work(work, repetition)
                done += 1
