# SPDX-License-Identifier: MIT
"""The kinds of queues, from one task to the next (src/queue/). NOTES: which list is not complete."""

import gdb

from . import pools, read, words


def chain(first, where, notes, field="next", kind="nap_task", mask=0):
    """The addresses in a list that is linked by FIELD, without the bits MASK."""
    seen = set()
    while first and first not in seen:
        if len(seen) >= pools.MOST:
            notes.append(f"{where}: more than {pools.MOST} tasks, which are not shown")
            return
        seen.add(first)
        try:
            following = int(read.at(first, kind)[field]) & ~mask
        except gdb.MemoryError as error:
            notes.append(f"{where}: what follows cannot be read: {error}")
            return
        yield first
        first = following
    if first:
        notes.append(f"{where}: the list leads back to {first:#x}")


def is_vyukov(queue):
    """The kind of a queue is chosen when the library is built. Of the two kinds only this one uses the stub."""
    stub = read.address_of(queue["stub"])
    return bool(int(queue["stub"]["next"])) or int(queue["push"]) == stub or \
        int(queue["pop"]) & ~(words.VYUKOV_CONSUMING | words.VYUKOV_WANTED) == stub


def vyukov(queue, where, notes):
    push, pop, stub = int(queue["push"]), int(queue["pop"]), read.address_of(queue["stub"])
    if pop & words.VYUKOV_CONSUMING:
        notes.append(f"{where}: a thread is taking tasks out, and has the beginning in its frames: not shown")
        return
    last = 0
    for task in chain(pop or stub, where, notes):
        last = task
        if task != stub:
            yield task
    if push and last and last != push:
        notes.append(f"{where}: a thread is in the middle of a push, which hides what follows")


def treiber(queue, where, notes):
    push = int(queue["push"])
    if push & words.TREIBER_CONSUMING:
        notes.append(f"{where}: a thread is taking tasks out, and has some in its frames: these are not shown")
    elif push & words.TREIBER_CACHED:
        yield from chain(int(queue["pop"]), where, notes)
    yield from chain(push & ~words.TREIBER_TAGS, where, notes)


def unbounded(queue, where, notes):
    """The tasks of a struct nap__queue, of either kind."""
    try:
        yield from (vyukov if is_vyukov(queue) else treiber)(queue, where, notes)
    except gdb.MemoryError as error:
        notes.append(f"{where}: cannot be read: {error}")


def ring(ring_of, where, notes):
    """The tasks of a struct nap__ring, the oldest first."""
    try:
        head, tail = int(ring_of["head"]), int(ring_of["tail"])
        size = ring_of["slot"].type.range()[1] + 1
        first = read.address_of(ring_of["slot"])
        for i in range(min((tail - head) % (1 << 32), size)):
            yield read.word_at(first + 8 * ((head + i) % size))
    except gdb.MemoryError as error:
        notes.append(f"{where}: cannot be read: {error}")


def ring_count(ring_of):
    size = ring_of["slot"].type.range()[1] + 1
    return min((int(ring_of["tail"]) - int(ring_of["head"])) % (1 << 32), size)


def count(queue):
    """How many tasks an unbounded queue has; None if some cannot be seen."""
    notes = []
    many = sum(1 for _ in unbounded(queue, "", notes))
    return None if notes else many


def inbox(word, where, notes):
    """The tasks of an inbox, the oldest first."""
    return list(chain(word & ~words.INBOX_FLAGS, where, notes, mask=words.LIST_MARK))[::-1]


def jobs(deque, notes, where):
    """(frame, index, whether it was stolen) of each job that is forked and not joined."""
    try:
        forks, open_word = deque["forks"], int(deque["open"])
        first, size = int(forks["frames"]), read.struct("nap_frame").sizeof
        many = (int(forks["bottom"]) - first) // size if first else 0
        if not 0 <= many <= (int(forks["full"]) - first) // size + 1:
            notes.append(f"{where}: no frames are there")
            return
        for i in range(many):
            yield read.at(first + size * i, "nap_frame"), i < open_word >> 48
    except gdb.MemoryError as error:
        notes.append(f"{where}: cannot be read: {error}")
