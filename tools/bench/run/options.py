# SPDX-License-Identifier: MIT
"""The command line. A mistake in it ends in a message of one line and exit status 2."""

import argparse
import os

from works import ALL


def names(text):
    return tuple(name for name in text.split(",") if name)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="tools/bench/run", description="Measures nap beside its peers and its targets.")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="about six minutes (the default)")
    size.add_argument("--full", action="store_true", help="with what lies beyond the table")
    size.add_argument("--tiny", action="store_true",
                      help="every work once and as small as can be: no figures, a test")
    parser.add_argument("--programs", default="build/bench", metavar="DIR",
                        help="where they have been built (build/bench)")
    parser.add_argument("--out", metavar="DIR", help="for results.json and plots (as --programs)")
    parser.add_argument("--works", type=names, metavar="KEY,...", help="only those (--list)")
    parser.add_argument("--peers", type=names, metavar="PEER,...",
                        help="only those, and nap; PEER-new by other compilers or libraries (have.sh)")
    parser.add_argument("--repetitions", type=int, metavar="N", help="1 to 100, of everything")
    parser.add_argument("--again", metavar="FILE",
                        help="measure nothing: tables and plots of such a results.json")
    parser.add_argument("--list", action="store_true", help="what there is to measure")
    options = parser.parse_args(arguments)
    options.quick = not options.full and not options.tiny
    options.out = options.out or options.programs
    known = {work.key for work in ALL}
    for key in options.works or ():
        if key not in known:
            parser.error(f"there is no work {key}; --list names them")
    everybody = {program for work in ALL for _, program, _ in work.contestants(True)}
    for peer in options.peers or ():
        if peer not in everybody:
            parser.error(f"there is no peer {peer}; there are: {' '.join(sorted(everybody))}")
    if options.repetitions is not None and not 1 <= options.repetitions <= 100:
        parser.error("--repetitions is 1 to 100")
    if options.again and not os.path.isfile(options.again):
        parser.error(f"there is no {options.again}")
    measures = not options.list and not options.again
    if measures and not os.access(os.path.join(options.programs, "nap"), os.X_OK):
        parser.error(f"there is no {options.programs}/nap: make bench-nap")
    return options


def repetitions(options, work):
    if options.tiny:
        count = 1
    else:
        count = work.quick if options.quick else work.full
    if not count and options.works:
        count = 3       # these works were asked for by name
    return options.repetitions if options.repetitions and count else count
