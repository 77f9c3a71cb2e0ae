# SPDX-License-Identifier: MIT
"""Tests the arithmetic of tools/bench/run, whose directory is the argument."""

import os
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, sys.argv.pop(1))

import figures      # noqa: E402
import load         # noqa: E402
import measure      # noqa: E402
import noise        # noqa: E402
import svg          # noqa: E402
import evaluate     # noqa: E402
import sizes        # noqa: E402
import targets      # noqa: E402
import works        # noqa: E402


def sample(work, peer, wall, cpu=None, n=1, rep=0, workers=1, probe=0):
    return {"work": work, "peer": peer, "wall": wall, "cpu": cpu, "n": n, "rep": rep,
            "workers": workers, "probe": probe}


class Figures(unittest.TestCase):
    def test_quantiles(self):
        self.assertEqual(figures.median([3, 1, 2]), 2)
        self.assertEqual(figures.median([4, 1, 3, 2]), 2.5)
        self.assertEqual(figures.quantile(range(101), 0.99), 99)
        self.assertEqual(figures.quantile([7], 0.999), 7)
        self.assertRaises(ValueError, figures.median, [])

    def test_spread(self):
        self.assertEqual(figures.spread([5, 1, 2, 3, 4]),
                         {"min": 1, "q1": 2, "q3": 4, "count": 5})
        self.assertEqual(figures.relative(3, figures.spread([3, 3, 3])), 0)
        self.assertAlmostEqual(figures.relative(3, figures.spread([1, 2, 3, 4, 5])), 2 / 3)
        self.assertEqual(figures.relative(0, figures.spread([0, 1])), 0)

    def test_a_piece_of_the_work(self):
        one = sample("w", "nap", 1000, 1600, n=10, workers=2)
        self.assertEqual(figures.per_piece(one, "wall"), 100)
        self.assertEqual(figures.per_piece(one, "cpu"), 160)
        self.assertEqual(figures.per_piece(one, "whole"), 1000)
        self.assertEqual(figures.per_piece(one, "loss"), 20)
        self.assertRaises(ValueError, figures.per_piece, sample("w", "nap", 1), "cpu")

    def test_a_quantile_is_of_all_and_its_spread_of_repetitions(self):
        some = [sample("w", "nap", v, rep=r) for r in (0, 1) for v in (10 + r, 20 + r, 30 + r)]
        value, spread = figures.figure(some, "p50")
        self.assertEqual(value, 20.5)
        self.assertEqual((spread["min"], spread["count"]), (20, 2))

    def test_targets(self):
        self.assertEqual(figures.met(8, 10), (True, 0.8))
        self.assertEqual(figures.met(12, 10), (False, 1.2))
        self.assertEqual(figures.met(2.0, 1.9, more_is_better=True)[0], True)
        self.assertEqual(figures.met(1.5, 1.8, more_is_better=True), (False, 1.8 / 1.5))
        self.assertEqual(figures.met(1, None), (None, None))


class Noise(unittest.TestCase):
    def test_a_quiet_machine(self):
        self.assertEqual(noise.probe_faults({"wall": 101, "cpu": 100}, 100), [])
        self.assertEqual(noise.verdict(0.01, [set(), set(), set()]), "")

    def test_load_and_speed(self):
        self.assertEqual(noise.probe_faults({"wall": 150, "cpu": 100}, 100), ["load"])
        self.assertEqual(noise.probe_faults({"wall": 120, "cpu": 120}, 100), ["speed"])
        self.assertEqual(noise.probe_faults({"wall": 80, "cpu": 80}, 100), ["speed"])

    def test_what_others_had_counts_for_the_works_before(self):
        quiet, busy = ({"wall": 100, "cpu": 100, "others": share} for share in (0.01, 0.3))
        self.assertEqual(noise.faults_between(quiet, busy, 100), {"load"})
        self.assertEqual(noise.faults_between(busy, quiet, 100), set())

    def test_the_time_of_others(self):
        self.assertEqual(load.all_busy("cpu  100 20 30 9999 50 4 5 1 0 0") * load.TICK, 160)

    def test_a_figure_falls_when_most_repetitions_do(self):
        self.assertEqual(noise.verdict(0.1, [{"load"}, set(), set()]), "")
        self.assertEqual(noise.verdict(0.1, [{"load"}, {"load"}, set()]), "load")
        self.assertEqual(noise.verdict(0.5, [set()]), "spread")
        self.assertEqual(noise.verdict(0.1, [set()], True), "core")
        self.assertEqual(noise.verdict(0.5, [{"load"}], True), "core+load+spread")

    def test_two_cpus_are_one_core(self):
        self.assertTrue(noise.is_one_core(1.1))
        self.assertFalse(noise.is_one_core(1.95))
        self.assertFalse(noise.is_one_core(None))

    def test_iterations_of_another_length(self):
        self.assertTrue(noise.is_other_length(1.7, 10))
        self.assertFalse(noise.is_other_length(9.1, 10))
        self.assertFalse(noise.is_other_length(None, 10))
        self.assertEqual(noise.verdict(0.1, [set()], False, True), "length")

    def test_usual_is_that_of_the_quicker(self):
        probes = [{"wall": 0, "cpu": cpu} for cpu in (100, 101, 150, 160)]
        self.assertEqual(noise.usual(probes), 100.5)


class Evaluation(unittest.TestCase):
    def setUp(self):
        results = measure.Results()
        results.probes = [{"wall": 100, "cpu": 100, "others": 0}] * 2
        results.samples = [
            sample("c", "nap", 20, 20, n=10), sample("w", "nap", 80, 80, n=10),
            sample("w", "tbb", 60, 90, n=10), sample("base", "nap", 160, 160, n=10),
        ]
        self.evaluation = evaluate.Evaluation(results)

    def line(self, **more):
        return self.evaluation.line(targets.Figure("X", "x", "w", **more))

    def test_units_of_c(self):
        line = self.line(target=targets.c(4))
        self.assertEqual((line["own"]["value"], line["ratios"]["c"]), (8, 4))
        self.assertTrue(line["met"])
        self.assertFalse(self.line(target=targets.c(3.9))["met"])

    def test_best_of_the_peers(self):
        line = self.line(target=targets.BEST)
        self.assertEqual((line["target"], line["met"]), (6, False))
        self.assertAlmostEqual(line["distance"], 8 / 6)
        line = self.line(target=targets.HALF)
        self.assertEqual((line["target"], line["met"]), (3, False))

    def test_over_a_base(self):
        line = self.line(stat="speedup", unit="x", base=("base", None), target=targets.ratio(1.9))
        self.assertEqual((line["own"]["value"], line["met"]), (2, True))
        self.assertEqual(line["peers"], [])
        self.assertEqual(self.line(stat="extra", base=("w", "tbb"))["own"]["value"], -1)
        self.assertEqual(self.line(stat="slope", base=("w", "tbb"))["own"]["value"], 10)

    def test_over_the_serial_twin_of_the_same_compiler(self):
        cells = self.evaluation.cells
        for peer, ns in (("serial", 160), ("rayon", 20)):
            cells[("w", peer)] = [sample("w", peer, ns, ns)]
        figure = {"stat": "speedup", "unit": "x", "base": ("w", "serial"), "peer": "rayon"}
        self.assertEqual(self.line(**figure)["own"]["value"], 8)
        cells[("w", "serial-rust")] = [sample("w", "serial-rust", 100, 100)]
        self.assertEqual(self.line(**figure)["own"]["value"], 5)

    def test_of_another_figure(self):
        line = self.line(target=targets.of(1.5, "w", "tbb", "wall"))
        self.assertEqual((line["target"], line["met"]), (9, True))

    def test_the_length_of_a_loop_s_iterations(self):
        for peer, ns in (("nap", 10), ("tbb", 2)):
            for key, n in (("for-many-alone", 1), ("for-many", 1)):
                self.evaluation.cells[(key, peer)] = [sample(key, peer, ns, ns, n=n)]
        line = self.evaluation.line(targets.Figure("X", "x", "for-many"))
        self.assertEqual((line["own"]["doubt"], line["peers"][0]["doubt"]), ("", "length"))

    def test_what_was_not_measured(self):
        self.assertIsNone(self.line(peer="go")["own"])


class Peers(unittest.TestCase):
    def test_new_and_slow_ones_and_variants(self):
        work = works.Work("w", "w", 1, 1, 1, ("nap", "tbb", "go"), slow=("go",),
                          variants=(("go", "kept", "go-kept"),))
        names = [name for name, _, _ in work.contestants(False)]
        self.assertEqual(names, ["nap", "tbb", "tbb-new", "go-kept"])
        self.assertIn(("go", "go", ""), list(work.contestants(True)))

    def test_a_variant_that_is_slow(self):
        work = works.Work("w", "w", 1, 1, 1, ("nap",), variants=(("go", "kept", "go-kept"),),
                          slow=("go-kept",))
        self.assertEqual([name for name, _, _ in work.contestants(False)], ["nap"])
        self.assertEqual([name for name, _, _ in work.contestants(True)], ["nap", "go-kept"])

    def test_the_environment(self):
        caller = {"OMP_NUM_THREADS": "7", "GOGC": "off", "HOME": "/"}
        with unittest.mock.patch.dict(os.environ, caller, clear=True):
            self.assertEqual(measure.environment("omp"), {"HOME": "/"})
            self.assertEqual(measure.environment("omp-bound"),
                             {"HOME": "/", "OMP_PROC_BIND": "true"})
            self.assertEqual(measure.environment("gomp-passive"),
                             {"HOME": "/", "OMP_WAIT_POLICY": "passive"})

    def test_the_first_task_is_of_a_process_that_is_begun_anew(self):
        work = works.Work("first", "first", 2, 1, 20, ("nap",))
        self.assertEqual(measure.command("dir", work, "nap", "", False),
                         ["dir/exec-client", "dir/nap", "first", "2", "1", "20"])

    def test_sizes_of_static_programs(self):
        with tempfile.TemporaryDirectory() as programs:
            with open(os.path.join(programs, "static-nap"), "wb") as file:
                file.write(b"12345")
            found = sizes.measure(programs, {"nap": "", "go": ""})
        self.assertEqual([(s["peer"], s["wall"]) for s in found], [("nap", 5)])


class Lines(unittest.TestCase):
    def test_a_program_s_lines(self):
        self.assertEqual(measure.parse("row\tnap\t100\t-\t10\n"),
                         [{"wall": 100, "cpu": None, "n": 10}])
        for bad in ("", "row nap 1 1 1", "row\tnap\t1\t1\t0", "row\tnap\tx\t1\t1"):
            self.assertRaises(ValueError, measure.parse, bad)

    def test_axes(self):
        self.assertEqual(svg.ticks(95), [0, 20, 40, 60, 80, 100])
        marks, place = svg.even(1500, 10)
        self.assertEqual((marks[0], marks[-1], place(10), place(10000)), (10, 10000, 0, 1))
        self.assertEqual(svg.even(95, 10)[1](50), 0.5)
        self.assertEqual(svg.longest([("a", 1, 1, 1, True), ("b", 1000, 1, 1000, False)], None), 20)


if __name__ == "__main__":
    unittest.main()
