# SPDX-License-Identifier: MIT
"""Writes results.json, which can be read again, the tables as text for a document, and plots."""

import json
import os

import measure
import plots
import rst


def read(path):
    """Returns (machine, results) of a results.json."""
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    failures = [(f["work"], f["peer"], f["why"]) for f in whole["failures"]]
    about = {key: whole[key] for key in ("started", "machine", "run", "found", "missing", "works")}
    return about, measure.Results(whole["samples"], whole["probes"], failures)


def save(out, name, text):
    with open(os.path.join(out, name), "w", encoding="utf-8") as file:
        file.write(text)


def write(out, about, results, evaluation, lines):
    os.makedirs(out, exist_ok=True)
    whole = {
        **about,
        "c_ns": evaluation.c,
        "futex_ns": evaluation.futex,
        "figures": lines,
        "failures": [{"work": w, "peer": p, "why": why} for w, p, why in results.failures],
        "probes": results.probes,
        "samples": results.samples,
    }
    save(out, "results.json", json.dumps(whole, indent=1) + "\n")
    save(out, "results.rst", rst.text(whole))
    for name, picture in plots.all(lines):
        save(out, name + ".svg", picture)
