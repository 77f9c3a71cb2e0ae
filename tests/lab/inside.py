# SPDX-License-Identifier: MIT
"""
Random C programs, and whether one model allows no more than another.

	inside.py draw kernel|c11 N SEED DIRECTORY	writes N programs, with locks and branches
	inside.py compare CSV A B			tests that B allows each state that A allows
"""
import random
import sys

MACHINE_ORDERS = ["", "_relaxed", "_acquire", "_release"]
ORDERS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]


class Thread:
    """A thread's lines. Its registers are r0 and on; those in self.known can be used."""

    def __init__(self, draw, dialect, locations):
        self.draw, self.dialect, self.locations = draw, dialect, locations
        self.lines, self.known, self.nr, self.locked = [], [], 0, False

    def register(self):
        self.nr += 1
        return f"r{self.nr - 1}"

    def value(self):
        if self.known and self.draw.random() < .35:
            one = self.draw.choice(self.known)
            return self.draw.choice([one, f"{one} + 1", f"({one} & 1)", f"1 + ({one} & 128)"])
        return str(self.draw.randrange(1, 4))

    def read(self, text):
        one = self.register()
        self.lines.append(f"{one} = {text};")
        self.known.append(one)

    def within(self, head, tail, depth):
        known = list(self.known)
        self.lines += head
        for _ in range(self.draw.choice([1, 1, 2])):
            self.step(depth + 1)
        self.lines += tail
        self.known = known

    def branch(self, depth):
        test = self.draw.choice(self.known) + self.draw.choice(["", " == 1", " != 2"])
        self.within([f"if ({test}) {{"], ["}"], depth)

    def lock(self, depth):
        self.locked = True
        if self.draw.random() < .85:
            self.within([f"spin_lock({self.draw.choice('st')});"], [], depth)
            taken = [line for line in self.lines if line.startswith("spin_lock")][-1]
            self.lines.append(taken.replace("lock", "unlock", 1))
        else:
            one = self.register()
            self.within([f"{one} = spin_trylock(s);", f"if ({one}) {{"], ["spin_unlock(s);", "}"], depth)
        self.locked = False

    def kernel_step(self, chance, where):
        suffix = self.draw.choice(MACHINE_ORDERS)
        if chance < .3:
            self.lines.append(f"WRITE_ONCE(*{where}, {self.value()});")
        elif chance < .6:
            self.read(f"READ_ONCE(*{where})")
        elif chance < .68:
            self.lines.append(f"smp_store_release({where}, {self.value()});")
        elif chance < .76:
            self.read(f"smp_load_acquire({where})")
        elif chance < .84:
            self.lines.append(self.draw.choice(["smp_mb();", "smp_rmb();", "smp_wmb();"]))
        else:
            self.read(self.draw.choice([f"xchg{suffix}({where}, {self.value()})",
                                        f"cmpxchg{suffix}({where}, 0, {self.value()})",
                                        f"atomic_fetch_add{suffix}(1, {where})"]))

    def c11_step(self, chance, where):
        def order(nrs):
            return "memory_order_" + ORDERS[self.draw.choice(nrs)]
        if chance < .32:
            self.lines.append(f"atomic_store_explicit({where}, {self.value()}, {order([0, 2, 4])});")
        elif chance < .64:
            self.read(f"atomic_load_explicit({where}, {order([0, 1, 4])})")
        elif chance < .8:
            self.lines.append(f"atomic_thread_fence({order([1, 2, 3, 4])});")
        else:
            self.read(self.draw.choice(["atomic_exchange_explicit", "atomic_fetch_add_explicit"]) +
                      f"({where}, {self.value()}, {order(range(5))})")

    def step(self, depth=0):
        chance, where = self.draw.random(), self.draw.choice(self.locations)
        if depth < 2 and self.known and self.draw.random() < .12:
            self.branch(depth)
        elif self.dialect == "kernel" and depth < 2 and not self.locked and self.draw.random() < .3:
            self.lock(depth)
        elif self.dialect == "kernel":
            self.kernel_step(chance, where)
        else:
            self.c11_step(chance, where)

    def text(self, number):
        cell = "int" if self.dialect == "kernel" else "atomic_int"
        head = ", ".join([f"{cell} *{one}" for one in "xy"] + ["spinlock_t *s, spinlock_t *t"] * (self.dialect == "kernel"))
        body = [f"int r{i};" for i in range(self.nr)] + self.lines
        return f"P{number}({head})\n{{\n" + "".join(f"\t{line}\n" for line in body) + "}\n\n"


def program(draw, dialect, name):
    threads = [Thread(draw, dialect, "xy") for _ in range(draw.choice([2, 2, 2, 3]))]
    for thread in threads:
        for _ in range(draw.choice([2, 3]) if len(threads) == 2 else 2):
            thread.step()
    observed = [f"{i}:r{k}" for i, thread in enumerate(threads) for k in range(thread.nr)] + ["x", "y"]
    return (f"C {name}\n\n{{}}\n\n" + "".join(thread.text(i) for i, thread in enumerate(threads)) +
            f"locations [{'; '.join(observed)}]\nexists (x=1)\n")


def states_of(csv):
    """The states by file and model, without tests that a bound on loops or time has cut, or that a model flags."""
    found = {}
    for line in open(csv):
        file, model, verdict, states = line.rstrip("\n").split(",", 3)
        if "!" not in verdict:
            found[file, model] = set(states.split(" | "))
    return found


def compare(csv, a, b):
    found, nr, more = states_of(csv), 0, 0
    for (file, model), states in found.items():
        if model == a and (file, b) in found:
            nr += 1
            for state in sorted(states - found[file, b])[:1]:
                more += 1
                print(f"{file}: {a} allows {state} and {b} does not")
    print(f"{nr} programs, {more} with a state of {a} alone")
    return more == 0 and nr > 0


def main():
    if sys.argv[1] == "compare":
        sys.exit(not compare(*sys.argv[2:5]))
    dialect, nr, seed, directory = sys.argv[2:6]
    draw = random.Random(int(seed))
    for i in range(int(nr)):
        with open(f"{directory}/{dialect}-{i}.litmus", "w") as file:
            file.write(program(draw, dialect, f"{dialect}-{i}"))


main()
