# SPDX-License-Identifier: MIT
"""The peers that can be measured here, and what is missing for the other ones."""

import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
HAVE = os.path.join(HERE, os.pardir, "have.sh")

OF_NAP = ("nap", "nap-so", "nap-clang", "futex", "serial", "serial-clang")


def have(peer):
    """Returns (True, version) or (False, what to install)."""
    done = subprocess.run(["sh", HAVE, peer], stdout=subprocess.PIPE, text=True)
    return done.returncode == 0, done.stdout.strip()


def built_as(programs, peer):
    """Returns the versions that a build has written down, or nothing."""
    try:
        with open(os.path.join(programs, peer + ".version"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def find(programs, wanted):
    """Returns the version of each wanted peer, and why each missing one is missing."""
    found, missing = {}, {}
    for peer in wanted:
        there = os.access(os.path.join(programs, peer), os.X_OK)
        if peer in OF_NAP:
            if there:
                found[peer] = ""
            else:
                missing[peer] = ("apt-get install clang" if peer.endswith("clang")
                                 else "make bench-nap")
            continue
        installed, version = have(peer)
        if not installed:
            missing[peer] = version
        elif not there:
            missing[peer] = f"it was not built, see {programs}/{peer}.log"
        else:
            found[peer] = built_as(programs, peer) or version
    return found, missing
