# SPDX-License-Identifier: MIT
"""results.json, and the plots."""

import json
import os

import plots
import rst


def write(options, about, results, evaluation, lines):
    os.makedirs(options.out, exist_ok=True)
    whole = {
        **about,
        "run": "full" if options.full else "tiny" if options.tiny else "quick",
        "c_ns": evaluation.c,
        "futex_ns": evaluation.value("trip-1", "futex", "p50"),
        "figures": lines,
        "failures": [{"work": w, "peer": p, "why": why} for w, p, why in results.failures],
        "probes": results.probes,
        "samples": results.samples,
    }
    with open(os.path.join(options.out, "results.json"), "w", encoding="utf-8") as out:
        json.dump(whole, out, indent=1)
        out.write("\n")
    with open(os.path.join(options.out, "results.rst"), "w", encoding="utf-8") as out:
        out.write(rst.text(whole))
    for name, picture in plots.all(lines, evaluation):
        with open(os.path.join(options.out, name + ".svg"), "w", encoding="utf-8") as out:
            out.write(picture)
