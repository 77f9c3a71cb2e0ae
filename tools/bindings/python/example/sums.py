# SPDX-License-Identifier: MIT
"""Prints the SHA-256 of files, as sha256sum does:

    sums.py FILE...

Reading and hashing release the GIL, so the workers run at the same time.
"""

import hashlib
import sys

import nap


def sha256(name):
    digest = hashlib.sha256()
    with open(name, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def main(names):
    status = 0
    with nap.Executor() as executor:
        futures = [executor.submit(sha256, name) for name in names]
        for name, future in zip(names, futures):
            try:
                print(f"{future.result()}  {name}")
            except OSError as err:
                print(f"{name}: {err.strerror}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
