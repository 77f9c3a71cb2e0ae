# SPDX-License-Identifier: MIT
"""The parts of nap.py's commands, one idea a file; a file uses only files that stand above it here.

    words.py      numbers of the sources that the debug information lacks
    read.py       types, words, names of functions and objects
    pools.py      which pools there are, and their records
    fibers.py     the fibers of a pool
    unwind.py     where a fiber waits: a backtrace
    threads.py    threads: which worker a thread is, what the thread runs, and its waits
    lists.py      the kinds of queues, from one task to the next
    tasks.py      every queued task that a pool leads to
    search.py     serial and completion queues, to which no pool leads
    waits.py      who waits for whom, and cycles
    say.py        the lines that the commands print
    commands.py   the commands, and their help

Memory and symbols are read, and nothing is called in the program.
"""
