# SPDX-License-Identifier: MIT
"""The works. A work is a row that several peers have, with its size and number of rounds."""

from dataclasses import dataclass, field

POOLS = ("nap", "tbb", "rayon", "tokio", "go", "uv", "glib", "pthread")
TASKS = ("nap", "tbb", "rayon", "tokio", "go", "glib", "pthread")
FIBERS = ("nap", "tokio", "go")
LOOPED = ("nap", "uv", "glib", "pthread")
LOCKS = FIBERS + ("pthread", "glib")
THREADS = (("nap", "threads", "nap-threads"),)
TEAMS = ("gomp", "omp")
TREES = ("nap", "tbb", "rayon", "go", "gomp", "omp")

# Peers that are measured once more in another environment: what a variant's name has after its last
# "-" adds these variables (measure.py). All other variables that tune a peer are taken away.
ENVIRONMENT = {"bound": {"OMP_PROC_BIND": "true"}, "passive": {"OMP_WAIT_POLICY": "passive"}}
BOUND = tuple((team, "", f"{team}-bound") for team in TEAMS)
STATIC = (("tbb", "static", "tbb-static"),)

# Go's tasks as functions from a channel, in place of a goroutine each.
CHANNEL = (("go", "channel", "go-channel"),)

# nap as a shared library, as its peers in C and C++ are.
SHARED = ("nap-so",)

# Peers that may exist a second time, as PEER-new, built with other compilers and libraries
# (have.sh).
NEW = ("omp", "tbb", "rayon", "tokio", "serial-rust")


@dataclass(frozen=True)
class Work:
    key: str
    row: str            # the row's name in the programs
    workers: int
    n: int
    rounds: int         # how many in one process
    peers: tuple
    how: str = ""       # the programs' argument HOW
    cpus: tuple = ()    # the CPUs that the process may use; empty: all
    quick: int = 4      # how many repetitions; 0: not in the quick run
    full: int = 5
    times: dict = field(default_factory=dict)   # factors for more rounds, for peers that are quick
    variants: tuple = ()    # (peer, how, name): the same peer once more
    slow: tuple = ()        # peers that are so slow that only the full run has them

    def contestants(self, full):
        """Yields (name, program, how) of each peer, new ones and variants included."""
        for peer in self.peers:
            if full or peer not in self.slow:
                yield peer, peer, self.how
                if peer in NEW:
                    yield f"{peer}-new", f"{peer}-new", self.how
        for peer, how, name in self.variants:
            if full or name not in self.slow:
                yield name, peer, how


def passive(how=""):
    """Returns the variants of OpenMP whose threads sleep as soon as they have nothing to do."""
    return tuple((team, how, f"{team}-passive") for team in TEAMS)


PROTOCOLS = (("nap", "sync", "nap-sync"), ("nap", "go", "nap-go"), ("nap", "jec", "nap-jec"))
FIB = {"nap": 20, "nap-clang": 20, "serial": 20, "serial-clang": 20, "rayon": 3}

# The microseconds that a task computes in the works of nap/beside.c.
BESIDE_US = (100, 1000)
KEPT = (("go", "kept", "go-kept"),)

# Tokio's runtime without threads of its own, and its tasks with the mutex of std.
CURRENT = (("tokio", "current", "tokio-current"), ("tokio-new", "current", "tokio-new-current"))
STD = (("tokio", "std", "tokio-std"), ("tokio-new", "std", "tokio-new-std"))

# Rayon's uneven loops, divided down to each iteration, as OpenMP's are guided or dynamic.
EACH = (("rayon", "each", "rayon-each"), ("rayon-new", "each", "rayon-new-each"))


def current(connections):
    return tuple((peer, f"{connections}-current", name) for peer, _, name in CURRENT)


def beside(workers, quick):
    return tuple(Work(f"{row}-{us}-{workers}", row, workers, us, 50, FIBERS, variants=KEPT,
                      quick=quick)
                 for row in ("echo-beside", "sleep-beside") for us in BESIDE_US)


# Works whose figures are the units of other works.
ALWAYS = ("c", "due-bound")

# A team of one calls a task at once in libomp, so omp has no row of tasks on one worker. libgomp
# queues up to 64 tasks for each thread of the team, and calls the others at once. It calls all
# tasks of a taskloop that has more, so gomp has no row of batches.
TABLE = (
    Work("c", "c", 1, 2000000, 1, ("nap",)),
    Work("outside-one", "outside", 1, 20000, 5, POOLS + SHARED, cpus=(0,), variants=CHANNEL),
    Work("outside-free", "outside", 1, 20000, 5, POOLS + SHARED, quick=2, variants=CHANNEL),
    Work("outside-free-2", "outside", 2, 20000, 5, POOLS + SHARED, quick=2, variants=CHANNEL),
    Work("outside-two", "outside", 1, 20000, 5,
         ("nap", "tbb", "rayon", "tokio", "uv", "glib", "pthread") + SHARED, how="apart"),
    Work("batch", "batch", 2, 20000, 5, ("nap", "tbb", "rayon", "omp")),
    Work("worker-batch", "worker-batch", 2, 20000, 5, ("nap",)),
    Work("worker-1", "worker", 1, 20000, 5, TASKS + ("gomp",) + SHARED, variants=CHANNEL),
    Work("worker-2", "worker", 2, 20000, 5, TASKS + TEAMS + SHARED, variants=CHANNEL),
    Work("worker-64", "worker", 64, 20000, 5, TASKS, variants=CHANNEL),
    Work("again-1", "again", 1, 100000, 3, TASKS + ("gomp",) + SHARED),
    Work("again-2", "again", 2, 100000, 3, TASKS + TEAMS),
    Work("again-apart", "again", 2, 100000, 3, ("nap",), how="apart"),
    Work("delay", "delay", 2, 1, 100, TASKS),
    Work("fib-1", "fib", 1, 27, 1,
         ("serial", "serial-clang", "nap", "nap-clang", "tbb", "rayon", "go") + TEAMS, times=FIB),
    Work("fib-2", "fib", 2, 27, 1, ("nap", "nap-clang", "tbb", "rayon", "go") + TEAMS, times=FIB),
    Work("fib-8", "fib", 8, 27, 1, ("nap", "tbb", "rayon", "go") + TEAMS, times=FIB,
         variants=passive(), quick=2, slow=("go", "gomp-passive", "omp-passive") + TEAMS),
    Work("additions-1", "additions", 1, 20000000, 1, ("serial",)),
    Work("additions-2", "additions", 2, 400000000, 1, ("serial",)),
    Work("fib-calls", "fib-calls", 1, 27, 20, ("serial", "serial-clang")),
    Work("sort", "sort", 2, 10000000, 1,
         ("nap", "tbb", "rayon", "tokio", "go") + TEAMS, quick=2),
    Work("sort-serial", "sort", 1, 10000000, 1, ("serial", "serial-rust"), quick=1, full=3),
    Work("queens", "queens", 2, 13, 1, TREES + ("serial", "serial-rust"), how="cold", quick=2,
         slow=("go",) + TEAMS),
    Work("uts", "uts", 2, 1, 1, TREES + ("serial",), how="cold", quick=3, slow=("go",) + TEAMS),
    Work("nqueens-1", "nqueens", 1, 13, 1, TREES + ("serial", "serial-rust")),
    Work("nqueens-cold", "nqueens", 2, 13, 1, TREES, how="cold", quick=5),
    Work("nqueens-warm", "nqueens", 2, 13, 3, TREES),
    Work("fib35-1", "fib", 1, 35, 1, ("nap", "rayon")),
    Work("fib35-cold", "fib", 2, 35, 1, ("nap", "rayon"), how="cold", quick=5),
    Work("fib35-warm", "fib", 2, 35, 1, ("nap", "rayon")),
    Work("regions", "regions", 2, 1000, 3, ("nap", "tbb", "rayon", "go") + TEAMS,
         variants=PROTOCOLS + BOUND + STATIC),
    Work("trip-1", "trip", 1, 1, 500, ("futex",) + POOLS),
    Work("trip-2", "trip", 2, 1, 500, POOLS),
    Work("trickle", "trickle", 2, 150, 1, ("futex",) + TASKS, variants=PROTOCOLS, quick=2),
    Work("burst", "burst", 2, 1000, 50, POOLS, variants=PROTOCOLS + CHANNEL),
    Work("loop-1", "trips", 2, 2000, 3, LOOPED, how="1"),
    Work("loop-64", "trips", 2, 20000, 3, LOOPED, how="64"),
    Work("loop-1024", "trips", 2, 20000, 3, LOOPED, how="1024", quick=2),
    Work("first", "first", 2, 1, 20, POOLS + SHARED, quick=1),
    Work("idle-bytes", "idle-bytes", 8, 1, 1, POOLS, quick=1, full=3),
    Work("idle-bytes-16", "idle-bytes", 16, 1, 1, POOLS, quick=1, full=3),
    Work("turns-1", "turns", 1, 2000000, 3, FIBERS + ("dill",), variants=CURRENT),
    Work("spawn-await-1", "spawn-await", 1, 500000, 3, FIBERS + ("dill",), variants=CURRENT),
    Work("channel-1", "channel", 1, 500000, 3, FIBERS + ("dill",), variants=CURRENT),
    Work("channel-2", "channel", 2, 200000, 3, FIBERS),
    Work("mutex-1", "mutex", 1, 500000, 3, FIBERS, variants=CURRENT),
    Work("mutex-2", "mutex", 2, 200000, 3, FIBERS),
    Work("sort-async", "sort-async", 2, 10000000, 1, ("nap",), quick=2),
    Work("echo-1", "echo", 1, 5000, 1, FIBERS + ("uv",), how="1", quick=2, variants=current(1)),
    Work("echo-100", "echo", 1, 30000, 1, FIBERS + ("uv",), how="100", quick=2, variants=current(100)),
    Work("echo-100-2", "echo", 2, 30000, 1, FIBERS, how="100", quick=2),
    Work("due-bound", "due-bound", 1, 1, 1, ("nap",)),
) + beside(1, quick=1) + (
    Work("sleepers", "sleepers", 2, 1000000, 1, FIBERS, quick=0, full=1),
    Work("ring-1", "ring", 1, 2000000, 1, ("nap", "ck")),
    Work("fifo-1", "fifo", 1, 2000000, 1, ("nap", "urcu")),
    Work("stack-1", "stack", 1, 2000000, 1, ("nap", "urcu", "ck")),
)

# The mean ns of an iteration of each loop, as its row says. The rows measure iterations by
# themselves, loops back to back, loops after a millisecond's pause, and what the pause costs.
TURNS = {"for-short": 400, "for-long": 40000, "for-many": 10, "for-index": 9990,
         "for-chance": 10000, "for-heavy": 5999}
LOOPERS = ("nap", "serial-std", "gomp", "omp", "tbb", "rayon")
LOOPS = tuple(
    Work(f"{key}-alone", key, 1, 1000 if key == "for-short" else 10, 1, LOOPERS, how="alone",
         quick=0, full=3) for key in TURNS
) + tuple(
    Work(key + ("-" + how if how else ""), key, 2, n if how != "pause" else 1,
         rounds if how != "pause" else 50, LOOPERS, how=how, quick=0,
         variants=passive(how) if how else BOUND + STATIC)
    for key, n, rounds in (("for-short", 1000, 3), ("for-long", 50, 2), ("for-many", 10, 2))
    for how in ("", "pause", "idle")) + tuple(
    Work(key, key, 2, 10, 1, LOOPERS, quick=0, variants=EACH)
    for key in ("for-index", "for-chance", "for-heavy")
) + (
    Work("sum", "sum", 2, 100000000, 5, LOOPERS, quick=0),
    Work("any", "any", 2, 100000000, 50, ("nap", "rayon"), quick=0, full=3),
) + tuple(
    Work(key + ("-" + how if how else ""), key, 2, 10000000, 2, ("nap", "serial-std", "tbb", "rayon")
         + ("serial-rust",) * (key == "sort-ints"), how=how, quick=0)
    for key in ("sort-ints", "sort-doubles", "sort-pairs")
    for how in ("", "sorted", "equal", "reversed")) + tuple(
    Work(f"sort-{key}-{kind}", f"sort-{key}-{kind}", 2, 1000000 if key == "strings" else 10000000, 2,
         ("nap", "serial-std", "rayon") + (("tbb",) if kind == "by" else ()), quick=0)
    for key in ("ints", "doubles", "pairs", "strings")
    for kind in ("by", "stable", "call"))

# Works that two cores do twice as fast as one core, and that two threads of one core do not.
DENSE = ("fib-2", "sort", "queens", "uts", "nqueens-cold", "nqueens-warm", "fib35-cold",
         "fib35-warm", "regions", "matmul")

# Works that wait: mutexes and conditions, timers, and how late something comes to a pool that is
# idle.
WAITS = (
    Work("lock-1", "lock", 1, 2000000, 1, LOCKS + SHARED, quick=1, variants=THREADS + STD + CURRENT),
    Work("lock-2", "lock", 2, 2000000, 1, LOCKS + SHARED, quick=1, variants=THREADS + STD),
    Work("cond-1", "cond", 1, 200000, 1, FIBERS, quick=1, variants=CURRENT),
    Work("cond-2", "cond", 2, 20000, 1, LOCKS, quick=1, variants=THREADS),
    Work("timer-arm", "timer-arm", 1, 10000, 5, FIBERS + ("uv", "glib"), quick=0, variants=CURRENT),
    Work("timer-cancel", "timer-cancel", 1, 10000, 5, FIBERS + ("uv", "glib"), quick=0, variants=CURRENT),
    Work("timer-fire", "timer-fire", 1, 5000, 5, FIBERS + ("uv", "glib"), quick=0, variants=CURRENT),
    Work("timer-late", "timer-late", 1, 1, 50, ("nap", "go", "uv", "glib"), quick=0),
    Work("sleep-idle", "sleep-idle", 1, 1, 50, FIBERS + ("futex",), quick=0),
    Work("echo-idle", "echo-idle", 1, 1, 50, FIBERS + ("uv",), quick=0),
)

ATOMICS = ("c", "exchange", "add", "fence", "load")


def beyond():
    """Returns the works beyond the table, which only the full run measures."""
    works = [Work("matmul", "matmul", 2, 512, 3, TREES + ("serial",), quick=0,
                  variants=BOUND + STATIC)]
    for n in (1, 2, 4, 8):
        works.append(Work(f"producers-{n}", "producers", n, 20000, 5,
                          ("nap", "tbb", "rayon", "tokio", "glib", "pthread"), quick=0))
    for n in (2, 4, 8, 16, 32, 64, 128, 256):
        works.append(Work(f"workers-{n}", "worker", n, 20000, 5,
                          ("nap", "tbb", "rayon", "tokio", "go", "glib", "pthread")
                          + (TEAMS if n == 2 else ()), quick=0, variants=CHANNEL))
    for n in (2, 3, 4):
        works.append(Work(f"ring-{n}", "ring", n, 40000000, 1, ("nap", "ck"), quick=0))
        works.append(Work(f"fifo-{n}", "fifo", n, 8000000, 1, ("nap", "urcu"), quick=0))
        works.append(Work(f"stack-{n}", "stack", n, 8000000, 1, ("nap", "urcu", "ck"), quick=0))
    for row in ATOMICS:
        peers = {"c": ("builtin", "urcu", "ck"), "add": ("builtin", "urcu", "ck"),
                 "load": ("builtin",)}.get(row, ("builtin", "urcu"))
        works.append(Work(f"atomic-{row}", row, 1, 2000000, 1, ("nap",) + peers, quick=0))
    for n in (1, 2, 8):
        works.append(Work(f"pool-{n}", "pool", n, 100, 1, ("nap", "glib", "pthread"), quick=0))
    for what in ("pool", "worker", "task"):
        works.append(Work(f"bytes-{what}", f"bytes-{what}", 8, 1, 1, ("nap",), quick=0, full=1))
    works.append(Work("steal", "steal", 1, 2000000, 1, ("nap",), quick=0))
    works.append(Work("yield", "yield", 1, 200000, 1, ("nap",), quick=0))
    works.append(Work("cycle", "cycle", 2, 2000, 1, ("nap",), quick=0))
    return tuple(works) + beside(2, quick=0)


ALL = TABLE + WAITS + LOOPS + beyond()
ROWS = {work.key: work.row for work in ALL}
