# SPDX-License-Identifier: MIT
"""The sizes, in bytes, of the files of static programs, which the build of the peers has made."""

import os


def measure(programs, found):
    """Returns a sample for each peer that has such a program."""
    sizes = {}
    for peer in found:
        path = os.path.join(programs, "static-" + peer)
        if os.path.isfile(path):
            sizes[peer] = os.path.getsize(path)
    return [{"work": "static-bytes", "peer": peer, "rep": 0, "wall": size, "cpu": None, "n": 1,
             "workers": 1, "probe": 0} for peer, size in sizes.items()]
