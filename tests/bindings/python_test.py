# SPDX-License-Identifier: MIT
"""Tests nap.py: futures, ends of the pool and of the interpreter, forks, functions of C.

WORKS is the shared object of works.c, NAP_LIBRARY the library.
"""

import asyncio
import concurrent.futures
import ctypes
import gc
import os
import random
import subprocess
import sys
import threading
import time
import unittest
import weakref
from concurrent.futures import BrokenExecutor, CancelledError

import nap


class Boom(Exception):
    pass


def busy(executor):
    """Has the only worker wait. Returns the event that ends this."""
    begun, end = threading.Event(), threading.Event()
    executor.submit(lambda: (begun.set(), end.wait(60)))
    begun.wait(60)
    return end


class Callables(unittest.TestCase):
    def test_results_and_arguments(self):
        with nap.Executor(3) as executor:
            self.assertEqual(executor.submit(pow, 2, 10).result(), 1024)
            self.assertEqual(executor.submit(dict, fn=1, self=2, pool=3).result(), {"fn": 1, "self": 2, "pool": 3})
            self.assertEqual(list(executor.map(pow, range(500), [2] * 500)), [i * i for i in range(500)])
            futures = [executor.submit(lambda i=i: i) for i in range(500)]
            self.assertEqual({f.result() for f in concurrent.futures.as_completed(futures)}, set(range(500)))

    def test_exceptions_are_carried(self):
        def fail(kind):
            raise kind("here")

        with nap.Executor(2) as executor:
            for kind in Boom, SystemExit, KeyboardInterrupt, StopIteration:
                with self.assertRaises(kind) as caught:
                    executor.submit(fail, kind).result()
                self.assertEqual(caught.exception.args, ("here",))
            with self.assertRaises(Boom):
                list(executor.map(fail, [Boom]))
            # Some done-callbacks of the futures above have raised. Their exceptions were reported,
            # and the pool still works.
            self.assertEqual(executor.submit(int).result(), 0)

    def test_tasks_submit_tasks(self):
        done = []

        def tree(executor, depth):
            if depth == 0:
                done.append(1)
            else:
                for _ in range(2):
                    executor.submit(tree, executor, depth - 1)

        executor = nap.Executor(2)
        tree(executor, 8)
        while len(done) < 256:
            time.sleep(0.001)
        executor.shutdown()

    def test_arguments_and_results_are_given_back(self):
        class Thing:
            pass

        with nap.Executor(1) as executor:
            thing = Thing()
            gone = weakref.ref(thing)
            future = executor.submit(lambda it: None, thing)
            future.result()
            del thing
            executor.submit(int).result()
            self.assertIsNone(gone())

    def test_cancel(self):
        with nap.Executor(1) as executor:
            end = busy(executor)
            ran = []
            futures = [executor.submit(ran.append, i) for i in range(100)]
            canceled = [f.cancel() for f in futures[::2]]
            self.assertTrue(all(canceled))
            end.set()
            executor.submit(int).result()
            self.assertEqual(sorted(ran), list(range(1, 100, 2)))
            with self.assertRaises(CancelledError):
                futures[0].result()
            self.assertFalse(futures[1].cancel())

    def test_many_threads_submit(self):
        with nap.Executor(3) as executor:
            sums = []

            def submit(seed):
                some = random.Random(seed)
                numbers = [some.randrange(1000) for _ in range(300)]
                futures = [executor.submit(abs, -n) for n in numbers]
                sums.append(sum(f.result() for f in futures) == sum(numbers))

            threads = [threading.Thread(target=submit, args=(i,)) for i in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sums, [True] * 6)

    def test_what_is_local_to_a_thread_stays(self):
        local = threading.local()

        def count():
            local.n = getattr(local, "n", 0) + 1
            return threading.get_ident(), local.n

        with nap.Executor(1) as executor:
            counts = [executor.submit(count).result() for _ in range(20)]
        self.assertEqual({ident for ident, _ in counts}, {counts[0][0]})
        self.assertEqual([n for _, n in counts], list(range(1, 21)))

    def test_asyncio(self):
        async def main(executor):
            loop = asyncio.get_running_loop()
            return await asyncio.gather(*(loop.run_in_executor(executor, pow, i, 2) for i in range(50)))

        with nap.Executor(2) as executor:
            self.assertEqual(asyncio.run(main(executor)), [i * i for i in range(50)])

    def test_initializer(self):
        local = threading.local()
        with nap.Executor(2, initializer=lambda value: setattr(local, "value", value), initargs=(7,)) as executor:
            self.assertEqual([executor.submit(lambda: local.value).result() for _ in range(10)], [7] * 10)

    def test_an_initializer_that_fails(self):
        program = """if True:
            import nap
            from concurrent.futures import BrokenExecutor
            def fail(): raise ValueError("no")
            with nap.Executor(1, initializer=fail) as executor:
                for _ in range(2):
                    try:
                        executor.submit(int).result()
                    except BrokenExecutor:
                        print("broken")
            """
        out = run(program)
        self.assertEqual(out.stdout.count("broken"), 2)
        self.assertIn("ValueError: no", out.stderr)

    def test_names_of_threads(self):
        def name():
            with open("/proc/thread-self/comm") as comm:
                return comm.read().strip()

        with nap.Executor(1, thread_name_prefix="snake") as executor:
            self.assertEqual(executor.submit(name).result(), "snake/0")

    def test_wrong_arguments(self):
        for arguments in {"max_workers": 0}, {"max_workers": -1}, {"max_workers": 1 << 32}, {"max_workers": (1 << 32) + 1}:
            self.assertRaises(ValueError, nap.Executor, **arguments)
        self.assertRaises(OSError, nap.Executor, 1 << 20)
        self.assertRaises(OSError, nap.Executor, stack_size=100)
        self.assertRaises(TypeError, nap.Executor, initializer=1)
        self.assertRegex(nap.version(), r"^\d+\.\d+\.\d+$")


class Ends(unittest.TestCase):
    def test_shutdown_runs_everything_and_refuses(self):
        executor = nap.Executor(2)
        futures = [executor.submit(time.sleep, 0.001) for _ in range(50)]
        executor.shutdown()
        self.assertTrue(all(f.done() for f in futures))
        self.assertRaises(RuntimeError, executor.submit, int)
        executor.shutdown()
        executor.shutdown(wait=False)

    def test_cancel_futures(self):
        executor = nap.Executor(1)
        end = busy(executor)
        futures = [executor.submit(int) for _ in range(50)]
        executor.shutdown(wait=False, cancel_futures=True)
        end.set()
        executor.shutdown()
        self.assertTrue(all(f.cancelled() for f in futures))

    def test_a_worker_does_not_wait_for_itself(self):
        executor = nap.Executor(2)
        self.assertRaises(RuntimeError, executor.submit(executor.shutdown).result)
        executor = nap.Executor(2)
        executor.submit(executor.shutdown, wait=False).result()
        self.assertRaises(RuntimeError, executor.submit, int)

    def test_many_shut_down_at_once(self):
        for _ in range(5):
            executor = nap.Executor(2)
            futures = []

            def submit():
                try:
                    while True:
                        futures.append(executor.submit(int))
                except RuntimeError:
                    pass

            threads = [threading.Thread(target=submit) for _ in range(2)]
            threads += [threading.Thread(target=executor.shutdown, args=(i % 2 == 0,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            executor.shutdown()
            self.assertTrue(all(f.result() == 0 for f in futures))

    def test_an_executor_that_is_forgotten_ends(self):
        futures = [nap.Executor(1).submit(int) for _ in range(20)]
        gc.collect()
        self.assertEqual([f.result(60) for f in futures], [0] * 20)
        limit = time.monotonic() + 60
        while nap._pools and time.monotonic() < limit:
            # A new executor frees the memory of the earlier ones that have run everything.
            nap.Executor().shutdown()
        self.assertEqual(nap._pools, {})
        self.assertEqual(nap._under_way, {})


def run(program):
    """A program of its own, to see how it ends."""
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", program], capture_output=True, text=True, timeout=120
    )


class Interpreter(unittest.TestCase):
    def ends(self, program, stdout, status=0):
        out = run(program)
        self.assertEqual((out.stdout, out.stderr, out.returncode), (stdout, "", status))

    def test_exit_runs_what_was_submitted(self):
        self.ends(
            """if True:
            import nap, os, time
            executor = nap.Executor(2)
            for _ in range(20):
                executor.submit(lambda: (time.sleep(0.005), os.write(1, b".")))
            """,
            "." * 20,
        )

    def test_exit_in_a_task_is_the_futures(self):
        self.ends(
            """if True:
            import nap, sys
            future = nap.Executor(2).submit(sys.exit, 3)
            try:
                future.result()
            except SystemExit as end:
                print(end.code)
            """,
            "3\n",
        )

    def test_exit_while_threads_submit(self):
        self.ends(
            """if True:
            import nap, threading, time
            executor = nap.Executor(2)
            def submit():
                try:
                    while True:
                        executor.submit(time.sleep, 0.0001)
                        time.sleep(0.0001)
                except RuntimeError:
                    pass
            for _ in range(3):
                threading.Thread(target=submit, daemon=True).start()
            time.sleep(0.05)
            """,
            "",
        )

    def test_a_task_submits_at_exit(self):
        self.ends(
            """if True:
            import nap, time, os
            executor = nap.Executor(1)
            def late():
                time.sleep(0.1)
                try:
                    executor.submit(int)
                except RuntimeError:
                    os.write(1, b"refused")
            executor.submit(late)
            """,
            "refused",
        )

    def test_os_exit_and_exceptions(self):
        self.ends("import nap, os, time; nap.Executor(1).submit(time.sleep, 60); os._exit(4)", "", 4)
        out = run("import nap; e = nap.Executor(1); e.submit(int); raise SystemExit(5)")
        self.assertEqual((out.stderr, out.returncode), ("", 5))


class Forks(unittest.TestCase):
    def in_child(self, function):
        pid = os.fork()
        if pid == 0:
            right = False
            try:
                right = function()
            finally:
                os._exit(0 if right else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_a_child_is_refused_and_makes_its_own(self):
        with nap.Executor(2) as executor:
            end = busy(executor)
            executor.submit(int).result()

            def child():
                try:
                    executor.submit(int)
                except BrokenExecutor:
                    pass
                else:
                    return False
                executor.shutdown()
                with nap.Executor(2) as own:
                    return list(own.map(abs, [-1, -2])) == [1, 2]

            self.in_child(child)
            end.set()
            self.assertEqual(executor.submit(abs, -3).result(), 3)

    def test_multiprocessing(self):
        program = """if True:
            import multiprocessing, nap
            def child(n):
                with nap.Executor(2) as executor:
                    return executor.submit(pow, n, 2).result()
            if __name__ == "__main__":
                with nap.Executor(2) as executor:
                    executor.submit(int).result()
                    with multiprocessing.get_context("fork").Pool(2) as pool:
                        print(pool.map(child, range(4)))
            """
        out = run(program)
        self.assertEqual((out.stdout, out.stderr), ("[0, 1, 4, 9]\n", ""))


class Sum(nap.Work):
    _fields_ = [("numbers", ctypes.POINTER(ctypes.c_uint32)), ("n", ctypes.c_size_t), ("sum", ctypes.c_uint64)]


class Meeting(nap.Work):
    _fields_ = [("here", ctypes.POINTER(ctypes.c_uint32)), ("of", ctypes.c_uint32)]


class Works(unittest.TestCase):
    def setUp(self):
        self.works = ctypes.CDLL(os.environ["WORKS"])
        self.here = ctypes.c_uint32()

    def meeting(self, of=1):
        return Meeting(here=ctypes.pointer(self.here), of=of)

    def test_results(self):
        numbers = (ctypes.c_uint32 * 1000)(*range(1000))
        with nap.Executor(3) as executor:
            works = [Sum(numbers=numbers, n=i) for i in range(0, 1000, 10)]
            futures = [executor.submit_work(self.works.sum, work) for work in works]
            self.assertEqual([f.result() for f in futures], list(range(0, 1000, 10)))
            self.assertEqual([w.sum for w in works], [sum(range(i)) for i in range(0, 1000, 10)])
            # The function may also be given by its address, and a work may be used again.
            address = ctypes.cast(self.works.sum, ctypes.c_void_p).value
            works[1].sum = 0
            self.assertEqual(executor.submit_work(address, works[1], timeout=60).result(), 10)
            self.assertEqual(works[1].sum, 45)
            self.assertFalse(futures[1].cancel())

    def test_functions_run_at_once_without_the_gil(self):
        with nap.Executor(4) as executor:
            futures = [executor.submit_work(self.works.meet, self.meeting(4)) for _ in range(4)]
            self.assertEqual([f.result() for f in futures], [0] * 4)

    def test_cancel(self):
        with nap.Executor(1) as executor:
            end = busy(executor)
            late = executor.submit_work(self.works.meet, self.meeting(), timeout=0.001)
            future = executor.submit_work(self.works.meet, self.meeting())
            self.assertTrue(future.cancel() and future.cancel() and future.cancelled())
            time.sleep(0.01)
            end.set()
            self.assertRaises(TimeoutError, late.result)
            self.assertEqual(self.here.value, 0)
            running = executor.submit_work(self.works.until_canceled, self.meeting())
            while not self.here.value:
                time.sleep(0.001)
            self.assertFalse(running.cancel())
            self.assertEqual(running.result(), 7)

    def test_shutdown_cancels_works(self):
        executor = nap.Executor(1)
        end = busy(executor)
        futures = [executor.submit_work(self.works.meet, self.meeting()) for _ in range(20)]
        self.assertEqual(concurrent.futures.wait(futures, timeout=0).done, set())
        executor.shutdown(wait=False, cancel_futures=True)
        end.set()
        executor.shutdown()
        self.assertTrue(all(f.cancelled() for f in futures))
        self.assertEqual(self.here.value, 0)

    def test_random_cancels(self):
        some = random.Random(1)
        with nap.Executor(2) as executor:
            for _ in range(20):
                futures = [executor.submit_work(self.works.meet, self.meeting()) for _ in range(50)]
                canceled = [f for f in futures if some.random() < 0.5 and f.cancel()]
                concurrent.futures.wait(futures)
                self.assertEqual([f for f in futures if f.cancelled()], canceled)
                self.assertTrue(all(f.result() == 0 for f in futures if f not in canceled))

    def test_wrong_arguments(self):
        with nap.Executor(1) as executor:
            self.assertRaises(TypeError, executor.submit_work, self.works.meet, None)
            self.assertRaises(ValueError, executor.submit_work, 0, self.meeting())
            end = busy(executor)
            work = self.meeting()
            future = executor.submit_work(self.works.meet, work)
            self.assertRaises(ValueError, executor.submit_work, self.works.meet, work)
            with nap.Executor(1) as other:
                self.assertRaises(ValueError, other.submit_work, self.works.meet, work)
            end.set()
            self.assertEqual(future.result(), 0)
            # The work may be used again. This time its timeout is infinite.
            self.assertEqual(executor.submit_work(self.works.meet, work, float("inf")).result(), 0)


def layout():
    """Prints the structures as layout.c does."""
    for name, fields in ("nap_task", nap._Task), ("nap_config", nap._Config), ("nap_work", nap.Work):
        size = "" if name == "nap_config" else f" {ctypes.sizeof(fields)}"
        print(f"{name}{size}:", *(getattr(fields, field).offset for field, _ in fields._fields_))


if __name__ == "__main__":
    if sys.argv[1:] == ["layout"]:
        layout()
    else:
        unittest.main()
