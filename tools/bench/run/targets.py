# SPDX-License-Identifier: MIT
"""What is shown: a figure of a work, its target, and what other projects have published, or what
was measured of them.

Zap, Lace and Spice are in no distribution. Their figures are constants, in units of c, an
uncontended locked compare-exchange: measured beside nap on one machine (x86-64, two CPUs), where c
was 2.26 ns.
"""

from dataclasses import dataclass, field

from works import BESIDE_US


@dataclass(frozen=True)
class Target:
    kind: str           # "c", "ns", "x" (a ratio), "of" another figure, "best" of the peers
    value: float
    of: tuple = ()      # (work, peer, stat)


@dataclass(frozen=True)
class Figure:
    label: str
    title: str
    work: str
    unit: str = "ns"
    stat: str = "wall"      # wall, cpu, loss, p50, p99, p999; over a base: speedup, extra, slope
    base: tuple = ()        # (work, peer); peer None: the same
    target: Target = None
    published: dict = field(default_factory=dict)   # in c
    peer: str = "nap"       # the peer whose figure is compared with the target

    @property
    def more_is_better(self):
        return self.stat == "speedup"


def c(value):
    return Target("c", value)


def ns(value):
    return Target("ns", value)


def ratio(value):
    return Target("x", value)


BEST = Target("best", 1.0)
HALF = Target("best", 0.5)

# The serial twin of a work, by plain calls, gcc -O3: (work, peer).
TWINS = {
    "fib-1": ("fib-calls", "serial"),
    "fib-2": ("fib-calls", "serial"),
    "sort": ("sort-serial", "serial"),
    "queens": ("queens", "serial"),
    "uts": ("uts", "serial"),
    "nqueens-1": ("nqueens-1", "serial"),
    "nqueens-cold": ("nqueens-1", "serial"),
    "nqueens-warm": ("nqueens-1", "serial"),
    "matmul": ("matmul", "serial"),
}


# A peer's own serial twin, built by the same compiler. It is the base of the peer's speed-up if it
# was measured.
OWN_TWINS = {"rayon": "serial-rust", "rayon-new": "serial-rust-new"}


def of(factor, work, peer, stat):
    return Target("of", factor, (work, peer, stat))


def beside(workers):
    """Returns figures that are compared with the bound in nap/timer.h, which is a number of tasks."""
    of_workers = f"{workers} worker" + "s" * (workers > 1)
    return tuple(
        Figure(label, f"{what} beside tasks of {us} us, {of_workers}, {stat}",
               f"{work}-{us}-{workers}", unit="us", stat=stat,
               target=of(us * 1e3, "due-bound", "nap", "wall") if stat == "p99" else None)
        for label, what, work in (("Y8", "echo", "echo-beside"),
                                  ("Y9", "how late a sleep ends", "sleep-beside"))
        for us in BESIDE_US for stat in ("p50", "p99"))


TABLE = (
    Figure("T1", "schedule from outside, both ends on one CPU", "outside-one",
           target=c(5.2), published={"Zap": 3.9}),
    Figure("T1", "schedule from outside, ends on two CPUs", "outside-two", target=c(4.2),
           published={"Zap": 2.9}),
    Figure("T1", "schedule from outside, 1 worker, not pinned", "outside-free"),
    Figure("T1", "schedule from outside, 2 workers, not pinned", "outside-free-2"),
    Figure("T2", "a batch from outside, 2 workers", "batch", target=c(4.1), published={"Zap": 4.1}),
    Figure("T2", "a batch from a worker, 2 workers", "worker-batch", target=c(4.4),
           published={"Zap": 4.4}),
    Figure("T3", "from a worker, one by one, 1 worker", "worker-1", target=c(6.4),
           published={"Zap": 6.4}),
    Figure("T3", "from a worker, one by one, 2 workers", "worker-2", target=c(5.3),
           published={"Zap": 5.3}),
    Figure("T4", "a task that reschedules itself, 1 worker", "again-1", target=c(3.3),
           published={"Zap": 2.6}),
    Figure("T5", "it, 2 workers, each on its CPU", "again-apart", target=c(3.5),
           published={"Zap": 19.4}),
    Figure("T5", "it, 2 workers, each on its CPU: CPU time", "again-apart", stat="cpu",
           target=c(5.3), published={"Zap": 38.3}),
    Figure("T5", "it, 2 workers, not pinned", "again-2", target=c(3.5)),
    Figure("T5", "it, 2 workers, not pinned: CPU time", "again-2", stat="cpu", target=c(5.3)),
    Figure("T5", "until a task begins, pushed before 1 ms", "delay", unit="us", stat="p50",
           target=ns(30000)),
    Figure("T5", "until a task begins, pushed before 1 ms, p99", "delay", unit="us", stat="p99"),
    Figure("F1", "fork and join, gcc, 1 worker", "fib-1", target=c(0.65),
           published={"Lace": 0.87, "Spice": 1.95}),
    Figure("F1", "fork and join, clang, 1 worker", "fib-1", peer="nap-clang", target=c(1.1),
           published={"Lace": 1.44}),
    Figure("F2", "fork and join, gcc, 2 workers", "fib-2", target=c(0.36),
           published={"Lace": 0.47, "Spice": 1.19}),
    Figure("F2", "fork and join, clang, 2 workers", "fib-2", peer="nap-clang", target=c(0.60),
           published={"Lace": 0.76}),
    Figure("F2", "fork and join, gcc, 8 workers: CPU time", "fib-8", stat="cpu"),
    Figure("F3", "quicksort of 10 million, 2 workers", "sort", unit="ms", target=BEST),
    Figure("F3", "quicksort of 10 million: CPU time", "sort", unit="ms", stat="cpu", target=BEST),
    Figure("F4", "queens 13 without cut-off: over serial", "queens", unit="x", stat="speedup",
           base=("queens", "serial"), target=ratio(2.34)),
    Figure("F4", "queens 13 without cut-off: time", "queens", unit="ms"),
    Figure("F4", "uts T1: over serial", "uts", unit="x", stat="speedup", base=("uts", "serial"),
           target=ratio(2.20)),
    Figure("F4", "uts T1: time", "uts", unit="ms"),
    Figure("R1", "nqueens 13, cold: over 1 worker", "nqueens-cold", unit="x", stat="speedup",
           base=("nqueens-1", None), target=ratio(1.9)),
    Figure("R1", "nqueens 13, warm: over 1 worker", "nqueens-warm", unit="x", stat="speedup",
           base=("nqueens-1", None), target=ratio(1.95)),
    Figure("R1", "nqueens 13, cold: wall time - CPU / 2", "nqueens-cold", unit="ms", stat="loss",
           target=ns(500000)),
    Figure("R1", "fib(35), cold: over 1 worker", "fib35-cold", unit="x", stat="speedup",
           base=("fib35-1", None), target=ratio(1.9)),
    Figure("R1", "fib(35), warm: over 1 worker", "fib35-warm", unit="x", stat="speedup",
           base=("fib35-1", None), target=ratio(1.95)),
    Figure("R2", "regions of 16 x 0.4 us back to back", "regions", unit="us", target=ns(4000)),
    Figure("I1", "there and back, asleep, 1 worker, p50", "trip-1", unit="us", stat="p50",
           target=of(1.15, "trip-1", "futex", "p50")),
    Figure("I1", "there and back, asleep, 1 worker, p99", "trip-1", unit="us", stat="p99",
           target=of(1.15, "trip-1", "futex", "p99")),
    Figure("I1", "there and back, asleep, 1 worker, p99.9", "trip-1", unit="us", stat="p999",
           target=of(1.15, "trip-1", "futex", "p999")),
    Figure("I1", "there and back, asleep, 2 workers, p50", "trip-2", unit="us", stat="p50",
           target=of(1.15, "trip-1", "futex", "p50")),
    Figure("I1", "there and back, asleep, 2 workers, p99", "trip-2", unit="us", stat="p99",
           target=of(1.15, "trip-1", "futex", "p99")),
    Figure("I1", "there and back, asleep, 2 workers, p99.9", "trip-2", unit="us", stat="p999",
           target=of(1.15, "trip-1", "futex", "p999")),
    Figure("I2", "100 us every ms: CPU time over a futex's", "trickle", unit="us", stat="extra",
           base=("trickle", "futex"), target=ns(5000)),
    Figure("I2", "system calls a task", "trickle-calls", unit="", target=ns(2)),
    Figure("I3", "1,000 x 1 us from outside, p50", "burst", unit="us", stat="p50-whole",
           target=ns(550000)),
    Figure("E1", "a work, and its end on an epoll loop", "loop-1", unit="us", target=HALF),
    Figure("E1", "a work, and its end on an epoll loop: CPU time", "loop-1", unit="us", stat="cpu",
           target=HALF),
    Figure("E2", "the same, 64 under way", "loop-64", target=HALF),
    Figure("E2", "the same, 64 under way: CPU time", "loop-64", stat="cpu", target=HALF),
    Figure("E3", "the same, 1,024 under way", "loop-1024"),
    Figure("E3", "the same, 1,024 under way: CPU time", "loop-1024", stat="cpu"),
    Figure("B", "from exec to the first task, p50", "first", unit="us", stat="p50"),
    # The slope is that from 8 to 16 workers, so it leaves out what a pool takes only once.
    Figure("B", "anonymous bytes of one more idle worker", "idle-bytes-16", unit="", stat="slope",
           base=("idle-bytes", None)),
    Figure("B", "anonymous bytes of a pool of 8 that is idle, an eighth", "idle-bytes", unit=""),
    Figure("B", "bytes of the least static program", "static-bytes", unit=""),
    Figure("Y1", "fibers: two give way to each other, 1 worker", "turns-1"),
    Figure("Y2", "spawn and await an empty one, 1 worker", "spawn-await-1",
           target=of(0.5, "spawn-await-1", "go", "wall")),
    Figure("Y3", "there and back over two channels, 1 worker", "channel-1"),
    Figure("Y3", "there and back over two channels, 2 workers", "channel-2"),
    Figure("Y4", "a mutex that two want, kept over a turn, 1 worker", "mutex-1"),
    Figure("Y4", "a mutex that two want, kept over a turn, 2 workers", "mutex-2"),
    Figure("Y7", "echo over TCP, 1 connection, 1 worker: a request", "echo-1", unit="us"),
    Figure("Y7", "the same on 100 connections at once, 1 worker", "echo-100", unit="us"),
    Figure("Y7", "the same: CPU time", "echo-100", unit="us", stat="cpu"),
    Figure("Y7", "the same, 2 workers", "echo-100-2", unit="us"),
    *beside(1),
    Figure("Y6", "quicksort of 10 million on fibers, 2 workers", "sort-async", unit="ms"),
    Figure("K1", "a mutex, uncontended: lock and unlock", "lock-1"),
    Figure("K1", "a mutex that two want, 2 workers", "lock-2"),
    Figure("K2", "there and back over two conditions, 1 worker", "cond-1"),
    Figure("K2", "there and back over two conditions, 2 workers", "cond-2", unit="us"),
    Figure("I4", "from a worker, one by one, 64 workers", "worker-64",
           target=of(1.15, "worker-2", "nap", "wall"), published={"Zap": 6.6}),
    Figure("Q", "ring alone, one element", "ring-1", target=BEST),
    Figure("Q", "FIFO queue alone", "fifo-1", target=BEST),
    Figure("Q", "stack alone", "stack-1", target=BEST),
)

SERIAL = (
    Figure("S", "dense additions, 2 threads: over one", "additions-2", peer="serial", unit="x",
           stat="speedup", base=("additions-1", "serial")),
    Figure("S", "fib, plain calls, as the compiler likes", "fib-1", peer="serial"),
    Figure("S", "fib, each call kept", "fib-calls", peer="serial"),
    Figure("S", "quicksort of 10 million, serial", "sort-serial", unit="ms", peer="serial"),
    Figure("S", "nqueens 13, serial", "nqueens-1", unit="ms", peer="serial"),
    Figure("S", "queens 13, serial", "queens", unit="ms", peer="serial"),
    Figure("S", "uts T1, serial", "uts", unit="ms", peer="serial"),
)


def beyond():
    figures = [Figure("M", "matrix multiply, 512 x 512, 2 workers", "matmul", unit="ms")]
    figures += [Figure("P", f"from outside, {n} producers, 2 workers", f"producers-{n}")
                for n in (1, 2, 4, 8)]
    figures += [Figure("W", f"from a worker, {n} workers", f"workers-{n}")
                for n in (2, 4, 8, 16, 32, 64, 128, 256)]
    figures += [Figure("Q", f"{what}, {n} threads", f"{what}-{n}")
                for what in ("ring", "fifo", "stack") for n in (2, 3, 4)]
    figures += [Figure("A", f"atomic: {what}", f"atomic-{what}")
                for what in ("c", "exchange", "add", "fence", "load")]
    figures += [Figure("L", f"create, start all workers, one task, join: {n} workers", f"pool-{n}",
                       unit="us") for n in (1, 2, 8)]
    figures += [Figure("Y5", "bytes of one of a million that sleep", "sleepers", unit="", target=ns(4200))]
    figures += [Figure("B", f"bytes a {what}", f"bytes-{what}", unit="")
                for what in ("pool", "worker", "task")]
    figures += beside(2)
    figures += [
        Figure("D", "push and pop of a ring (a published table: 6)", "ring-1"),
        Figure("D", "push and steal, nobody else there (10 to 50)", "steal"),
        Figure("D", "yield (1 to 5 us)", "yield"),
        Figure("D", "wake, run, quiesce (100 to 500 us)", "cycle", unit="us"),
    ]
    return tuple(figures)


def waits():
    """Returns the figures of timers and files, in pools that do nothing else."""
    figures = [
        Figure("K3", "arm a timer, of 10,000", "timer-arm"),
        Figure("K3", "cancel it", "timer-cancel"),
        Figure("K3", "run it when it is due", "timer-fire"),
    ]
    figures += [Figure(label, f"{what}, {stat}", work, unit="us", stat=stat)
                for label, what, work in (("K4", "how late a timer fires, idle", "timer-late"),
                                          ("K4", "how late a sleep ends, idle", "sleep-idle"),
                                          ("K5", "an echo every 1 to 2 ms, idle", "echo-idle"))
                for stat in ("p50", "p99")]
    return tuple(figures)


def loops():
    """Returns the figures of loops, sums and sorts, most of them compared with the best of the
    other peers; std::sort and plain loops are serial twins."""
    turns = {"for-short": "16 x 0.4 us", "for-long": "16 x 40 us", "for-many": "10^6 x 10 ns"}
    figures = []
    for key, what in turns.items():
        figures += [
            Figure("FOR", f"{what}: an iteration by itself, CPU time", f"{key}-alone", stat="cpu"),
            Figure("FOR", f"{what}, back to back", key, unit="us", target=BEST),
            Figure("FOR", f"{what}, after 1 ms, p50", f"{key}-pause", unit="us", stat="p50",
                   target=BEST),
            Figure("FOR", f"{what}, every ms: CPU time", f"{key}-idle", unit="us", stat="cpu"),
        ]
    for key, what in (("for-index", "by index"), ("for-chance", "by chance"),
                      ("for-heavy", "one heavy")):
        figures += [
            Figure("FOR", f"uneven, {what}: the mean iteration by itself, CPU time",
                   f"{key}-alone", unit="us", stat="cpu"),
            Figure("FOR", f"1,000 uneven turns, {what}", key, unit="ms", target=BEST),
        ]
    figures += [
        Figure("SUM", "of 10^8 doubles", "sum", unit="ms", target=Target("best", 1.03)),
        Figure("ANY", "of 10^8 doubles, the sixth, p50", "any", unit="us", stat="p50-whole",
               target=ns(20000)),
    ]
    for key in ("ints", "doubles", "pairs"):
        figures += [Figure("SORT", f"10^7 {key}", f"sort-{key}", unit="ms", target=BEST),
                    Figure("SORT", f"10^7 {key}: over std::sort", f"sort-{key}", unit="x",
                           stat="speedup", base=(f"sort-{key}", "serial-std"),
                           target=ratio(1.85))]
        figures += [Figure("SORT", f"10^7 {key}, {how}", f"sort-{key}-{how}", unit="ms",
                           target=BEST) for how in ("sorted", "equal", "reversed")]
    for key in ("10^7 ints", "10^7 doubles", "10^7 pairs", "10^6 strings"):
        by = f"sort-{key.split()[1]}-by"
        figures += [Figure("SORT", f"{key}, compared in line", by, unit="ms", target=BEST),
                    Figure("SORT", f"{key}, the same, stable", by[:-2] + "stable", unit="ms",
                           target=BEST),
                    Figure("SORT", f"{key}, compared by a call", by[:-2] + "call", unit="ms",
                           target=of(2.5, by, "rayon", "wall"))]
    return tuple(figures)


ALL = TABLE + waits() + SERIAL + loops() + beyond()
