# SPDX-License-Identifier: MIT
"""python3 -B tools/bench/run: measures, prints the tables, writes results.json and plots."""

import signal
import sys
import time

import calls
import evaluate
import machine
import measure
import options as command_line
import output
import peers
import progress
import report
import sizes
import targets
import works


def chosen(options):
    return [work for work in works.ALL
            if (not options.works or work.key in options.works or work.key in works.ALWAYS)
            and command_line.repetitions(options, work)]


def wanted_peers(options, todo):
    """Returns the names of the peers. PEER-new is measured in the full run, or if it is named."""
    everybody = dict.fromkeys(program for work in todo
                              for _, program, _ in work.contestants(options.full or options.works))
    if options.peers:
        return [p for p in everybody if p in options.peers or p == "nap"]
    return [p for p in everybody if options.full or not p.endswith("-new")]


def measured(options):
    """Returns (machine, results)."""
    todo = chosen(options)
    found, missing = peers.find(options.programs, wanted_peers(options, todo))
    print("peers: " + ", ".join(f"{peer} {version}".strip() for peer, version in found.items()))
    for peer, why in missing.items():
        print(f"peer {peer} not measured: {why}")
    about = {"started": time.strftime("%Y-%m-%d %H:%M:%S %z"), "machine": machine.describe(),
             "run": "full" if options.full else "tiny" if options.tiny else "quick",
             "found": found, "missing": missing, "works": [work.key for work in todo]}
    measurement = measure.Measurement(options, found, progress.show)
    results = measurement.all(todo, {w.key: command_line.repetitions(options, w) for w in todo})
    if results.interrupted:
        progress.end()
        return cut_short(about, results), results
    if "trickle" in about["works"] and not options.tiny:
        samples, lack = calls.measure(options.programs, found)
        results.samples += samples
        about["works"].append("trickle-calls")
        if lack:
            print(lack)
    static = sizes.measure(options.programs, found)
    if static and not options.works:
        results.samples += static
        about["works"].append("static-bytes")
    progress.end()
    return about, results


def cut_short(about, results):
    """Returns what is said of a run after an interrupt: the works that were measured."""
    seen = {sample["work"] for sample in results.samples}
    if "c" not in seen:
        sys.exit("interrupted before anything was measured")
    return {**about, "run": about["run"] + ", interrupted",
            "works": [work for work in about["works"] if work in seen]}


def report_all(results, evaluation, lines):
    for failure in results.failures:
        print("failed: {}, {}: {}".format(*failure))
    print(report.main_table(lines, evaluation.c))
    print()
    print(report.peers_table(lines))
    print()
    print(report.legend(evaluation))
    for line in report.noise_lines(evaluation):
        print(line)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a closed pipe is no error
    options = command_line.parse(sys.argv[1:])
    if options.list:
        for work in works.ALL:
            print(f"{work.key:15} {' '.join(work.peers)}")
        return 0
    about, results = output.read(options.again) if options.again else measured(options)
    evaluation = evaluate.Evaluation(results)
    lines = [evaluation.line(figure) for figure in targets.ALL if figure.work in about["works"]]
    report_all(results, evaluation, lines)
    output.write(options.out, about, results, evaluation, lines)
    print(f"written: {options.out}/results.json, results.rst and plots, *.svg")
    if results.interrupted:
        print("interrupted: some works have fewer repetitions, or are missing")
        return 130
    # A peer that fails is named, and the other peers' figures are valid.
    return 1 if any(peer.startswith("nap") for _, peer, _ in results.failures) else 0


if __name__ == "__main__":
    sys.exit(main())
