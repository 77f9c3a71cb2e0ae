# SPDX-License-Identifier: MIT
"""python3 -B tools/bench/run: measures, prints the tables, writes results.json and plots."""

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
import targets
import works


def chosen(options):
    return [work for work in works.ALL
            if (not options.works or work.key in options.works or work.key == "c")
            and command_line.repetitions(options, work)]


def wanted_peers(options, todo):
    everybody = dict.fromkeys(peer for work in todo for peer in work.peers)
    if options.peers:
        return [p for p in everybody if p in options.peers or p == "nap"]
    return list(everybody)


def main():
    options = command_line.parse(sys.argv[1:])
    if options.list:
        for work in works.ALL:
            print(f"{work.key:15} {' '.join(work.peers)}")
        return 0
    todo = chosen(options)
    found, missing = peers.find(options.programs, wanted_peers(options, todo))
    for peer, why in missing.items():
        print(f"peer {peer} not measured: {why}")
    started = time.strftime("%Y-%m-%d %H:%M:%S %z")
    measurement = measure.Measurement(options, found, progress.show)
    results = measurement.all(todo, {w.key: command_line.repetitions(options, w) for w in todo})
    if any(work.key == "trickle" for work in todo) and not options.tiny:
        samples, lack = calls.measure(options.programs, found)
        results.samples += samples
        if lack:
            print(lack)
    progress.end()
    for work, peer, why in results.failures:
        print(f"failed: {work}, {peer}: {why}")
    evaluation = evaluate.Evaluation(results)
    keys = {work.key for work in todo} | {sample["work"] for sample in results.samples}
    lines = [evaluation.line(figure) for figure in targets.ALL if figure.work in keys]
    print(report.main_table(lines, evaluation.c))
    print()
    print(report.peers_table(lines))
    print()
    print(report.legend(evaluation))
    for line in report.noise_lines(evaluation):
        print(line)
    output.write(options, {"started": started, "machine": machine.describe(), "found": found,
                           "missing": missing}, results, evaluation, lines)
    print(f"written: {options.out}/results.json, results.rst and plots, *.svg")
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main())
