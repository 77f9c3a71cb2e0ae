# SPDX-License-Identifier: MIT
"""nap for Python: an executor on a pool of C threads.

    import nap

    with nap.Executor(max_workers=4) as executor:
        future = executor.submit(zlib.crc32, data)
        print(future.result())

nap.Executor is a concurrent.futures.Executor: submit(), map() and shutdown() are those of the
standard library, and so are the futures. What it runs is of two kinds:

- A Python callable (submit(), map()). The worker takes the GIL, calls it, and gives the GIL back. So
  only one callable at a time runs Python code, as in ThreadPoolExecutor: two run at once where they
  wait, or are inside a C function that gives the GIL up (zlib, hashlib, a ctypes.CDLL function).
- A C function (submit_work()), by its address. The worker calls it without the GIL, and without
  Python: any number run at once. The GIL is taken only to complete the future.

A callable must not block for what another callable of the same executor does: like a thread of
ThreadPoolExecutor, a worker that waits runs nothing else.

Ends. Leaving the with block, or shutdown(), runs everything that was submitted (cancel_futures=True
cancels what has not begun). The interpreter's exit does the same for executors that are still open,
after the threads of threading have ended. In the child of a fork an executor of the parent raises
BrokenExecutor, and its futures do not end; the child makes an executor of its own.

The library is libnap.so.1, or what the environment's NAP_LIBRARY names.
"""

import atexit
import concurrent.futures
import ctypes
import errno
import logging
import os
import threading
import weakref
from concurrent.futures import BrokenExecutor, Future

__all__ = ["Executor", "Work", "version"]

_NAME = os.environ.get("NAP_LIBRARY", "libnap.so.1")
# Calls that may wait give up the GIL; calls that never wait keep it, which is faster.
_waits = ctypes.CDLL(_NAME)
_quick = ctypes.PyDLL(_NAME)
_TASK_FN = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_DONE_FN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)
_HOOK_FN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_DRAIN = 1
# The standard library's executors log by this name, too.
_log = logging.getLogger("concurrent.futures")


class _Task(ctypes.Structure):
    _fields_ = [("next", ctypes.c_void_p), ("run", ctypes.c_void_p)]


class Work(ctypes.Structure):
    """struct nap_work: what a C function is called with.

    A subclass has the function's arguments and results as further fields:

        class Hash(nap.Work):
            _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("hash", ctypes.c_uint64)]

    In C that is a struct that begins with a struct nap_work, and the function is an
    int hash(struct nap_work *work), which may call nap_work_is_canceled(work).
    """

    _fields_ = [
        ("_task", _Task),
        ("_fn", ctypes.c_void_p),
        ("_done", ctypes.c_void_p),
        ("_cq", ctypes.c_void_p),
        ("_deadline", ctypes.c_uint64),
        ("_state", ctypes.c_uint32),
        ("_result", ctypes.c_int32),
        ("_gone", ctypes.c_void_p),
        ("_told", _Task),
    ]


# The first fields of struct nap_config. Later fields are left 0; nap_size_of() tells the whole
# size.
class _Config(ctypes.Structure):
    _fields_ = [
        ("max_workers", ctypes.c_uint32),
        ("idle", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("stack_size", ctypes.c_size_t),
        ("worker_start", _HOOK_FN),
        ("worker_stop", _HOOK_FN),
        ("spawn_failed", ctypes.c_void_p),
        ("arg", ctypes.c_void_p),
    ]


def _declare(library, name, result, *arguments):
    call = getattr(library, name)
    call.restype = result
    call.argtypes = arguments
    return call


_version = _declare(_quick, "nap_version", ctypes.c_uint32)
_size_of = _declare(_quick, "nap_size_of", ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p)
_new = _declare(_quick, "nap_pool_new", ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)
_free = _declare(_quick, "nap_pool_free", ctypes.c_int, ctypes.c_void_p)
_prewarm = _declare(_waits, "nap_pool_prewarm", ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)
_shutdown = _declare(_waits, "nap_pool_shutdown", ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_join_for = _declare(_waits, "nap_pool_join_for", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
_schedule = _declare(_quick, "nap_schedule", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_work_schedule = _declare(_quick, "nap_work_schedule", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_cancel = _declare(_quick, "nap_cancel", ctypes.c_bool, ctypes.c_void_p)
_deadline = _declare(_quick, "nap_deadline", ctypes.c_uint64, ctypes.c_uint64)
_worker_self = _declare(_quick, "nap_worker_self", ctypes.c_void_p)
_worker_pool = _declare(_quick, "nap_worker_pool", ctypes.c_void_p, ctypes.c_void_p)
_gil_ensure = ctypes.pythonapi.PyGILState_Ensure
_gil_release = ctypes.pythonapi.PyGILState_Release
_GIL_LOCKED = 0

if _size_of(b"nap_task", None) != ctypes.sizeof(_Task) or _size_of(b"nap_work", None) != ctypes.sizeof(Work):
    raise ImportError(f"{_NAME} has other structures than this module")


def version():
    """The version of the library, as "1.0.0"."""
    number = _version()
    return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"


class _Call(_Task):
    """A Python callable as a task. The pool has only its address, so _under_way keeps the task until it runs."""

    _fields_ = []

    def start(self):
        future = self.future
        try:
            if not future.set_running_or_notify_cancel():
                return
            if self.pool.broken:
                raise BrokenExecutor("the initializer of a worker has failed")
            result = self.fn(*self.args, **self.kwargs)
        except BaseException as exception:
            future.set_exception(exception)
            # The exception's traceback refers to this frame. This line keeps the future and the
            # frame from being a reference cycle.
            future = None
        else:
            future.set_result(result)
        finally:
            self.fn = self.args = self.kwargs = self.future = None


class _WorkFuture(Future):
    """The future of a C function. It is pending until the function has returned."""

    def cancel(self):
        if self.done():
            # By now the work may belong to another future.
            return self.cancelled()
        # Only nap knows whether the function has begun. A function that has begun can ask nap
        # whether it should end.
        return _cancel(ctypes.addressof(self.work)) and super().cancel()

    def end(self, result):
        if result == -errno.ECANCELED:
            super().cancel()
        if not self.set_running_or_notify_cancel():
            return
        if result == -errno.ETIMEDOUT:
            self.set_exception(TimeoutError("the function had not begun in its time"))
        else:
            self.set_result(result)


# Calls and futures of works that a pool has accepted, by the address of their structure.
_under_way = {}
# Pools that have to be joined, by number.
_pools = {}
_exiting = False


@_TASK_FN
def _run(address):
    _under_way.pop(address).start()


@_DONE_FN
def _done(address, result):
    _under_way.pop(address).end(result)


@_HOOK_FN
def _worker_start(worker, number):
    # This makes Python's record of this thread, with its thread-local data; the record stays until
    # _worker_stop().
    _gil_ensure()
    pool = _pools.get(number)
    if pool and pool.initializer and not pool.broken:
        try:
            pool.initializer(*pool.initargs)
        except BaseException:
            pool.broken = True
            _log.critical("Exception in initializer:", exc_info=True)


@_HOOK_FN
def _worker_stop(worker, number):
    _gil_release(_GIL_LOCKED)


class _Pool:
    """A C pool, which outlives its executor until everything has run."""

    def __init__(self, max_workers, name, stack_size, initializer, initargs):
        config = ctypes.create_string_buffer(max(_size_of(b"nap_config", None), ctypes.sizeof(_Config)))
        fields = _Config.from_buffer(config)
        self.name = name.encode()
        self.initializer = initializer
        self.initargs = initargs
        self.broken = False
        self.is_shut = False
        self.is_warm = False
        # Held while a call uses @raw. An RLock, because a signal handler may make a call on the thread
        # that holds the lock.
        self.lock = threading.RLock()
        self.joining = threading.Lock()
        self.number = id(self)
        fields.max_workers = max_workers
        fields.name = self.name
        fields.stack_size = stack_size
        fields.worker_start = _worker_start
        fields.worker_stop = _worker_stop
        fields.arg = self.number
        raw = ctypes.c_void_p()
        _check(_new(ctypes.byref(raw), ctypes.addressof(config)))
        self.raw = raw.value
        _pools[self.number] = self

    def schedule(self, call, schedule, what, fill=lambda: None):
        """Hands @what, in the structure @call, to the pool by the C call @schedule, after @fill()."""
        address = ctypes.addressof(call)
        with self.lock:
            if self.broken:
                raise BrokenExecutor("the initializer of a worker has failed, or the pool is the parent's")
            if self.is_shut or _exiting:
                raise RuntimeError("cannot schedule new futures after shutdown")
            if not self.is_warm:
                # A pool without a worker would leave its futures pending.
                err = _prewarm(self.raw, 1)
                if err:
                    raise RuntimeError("can't start new thread: " + os.strerror(-err))
                self.is_warm = True
            # The check and the store are one step, because two threads may offer the same structure
            # to two pools.
            if _under_way.setdefault(address, what) is not what:
                raise ValueError("work is under way")
            fill()
            err = schedule(self.raw, address)
            if err:
                del _under_way[address]
                _check(err)

    def shut(self):
        with self.lock:
            self.is_shut = True
            if self.raw:
                _shutdown(self.raw, _DRAIN)

    def join(self):
        if self.is_here():
            raise RuntimeError("a worker cannot wait for its own executor")
        with self.joining:
            # Waits 200 ms at a time, so that the main thread can handle signals.
            while not self.end(200_000_000):
                pass

    def is_here(self):
        return bool(self.raw) and _worker_pool(_worker_self()) == self.raw

    def end(self, timeout_ns):
        """Joins the pool, and gives its memory back. Returns whether it has ended. The caller holds self.joining."""
        if not self.raw:
            return True
        if _join_for(self.raw, None, timeout_ns) not in (0, -errno.EALREADY):
            return False
        with self.lock:
            raw, self.raw = self.raw, None
        _free(raw)
        del _pools[self.number]
        return True

    @staticmethod
    def reap():
        """Gives back pools for which no thread waits, if they have run everything."""
        for pool in list(_pools.values()):
            if pool.is_shut and not pool.is_here() and pool.joining.acquire(blocking=False):
                try:
                    pool.end(0)
                finally:
                    pool.joining.release()

    def lose(self):
        """Called in the child of a fork. A thread that the child does not have may hold the pool's locks."""
        self.raw = None
        self.broken = self.is_shut = True
        self.lock = threading.RLock()
        self.joining = threading.Lock()


def _check(err):
    if err == -errno.ESHUTDOWN:
        raise RuntimeError("cannot schedule new futures after shutdown")
    if err:
        raise OSError(-err, os.strerror(-err))


class Executor(concurrent.futures.Executor):
    """An executor on a nap pool.

    max_workers: the number of threads, at most; None: as many as CPUs that the process may use.
        Threads start when there is work.
    thread_name_prefix: the threads are called prefix/0, prefix/1, ... to the system.
    initializer, initargs: called on each thread before its first task. If it raises, futures raise
        BrokenExecutor, and so does submit().
    stack_size: bytes; 0: the system's default, but at least 1 MiB.
    """

    def __init__(self, max_workers=None, thread_name_prefix="nap", initializer=None, initargs=(), stack_size=0):
        if max_workers is not None and not 0 < max_workers < 2**32:
            raise ValueError("max_workers must be greater than 0, and of 32 bits")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        _Pool.reap()
        self._pool = _Pool(max_workers or 0, thread_name_prefix, stack_size, initializer, initargs)
        # An executor that is collected without a shutdown() is shut down here. No thread waits for
        # its end: its memory is freed by the next executor, or at exit.
        weakref.finalize(self, self._pool.shut).atexit = False

    def submit(self, fn, /, *args, **kwargs):
        """Has fn(*args, **kwargs) called by a worker, which takes the GIL. Returns a Future."""
        call = _Call(None, ctypes.cast(_run, ctypes.c_void_p).value)
        call.fn, call.args, call.kwargs = fn, args, kwargs
        call.pool = self._pool
        future = call.future = Future()
        self._pool.schedule(call, _schedule, call)
        return future

    def submit_work(self, fn, work, timeout=None):
        """Has the C function @fn called with a pointer to @work by a worker, without the GIL.

        @fn: a function of a ctypes library, or its address: int fn(struct nap_work *).
        @work: an object of a subclass of Work, which is in no other future that is not done.
        @timeout: seconds in which @fn has to begin; None: no bound.

        Returns a Future of the int that @fn returns (any but -ECANCELED and -ETIMEDOUT). Late
        functions raise TimeoutError. Future.cancel() of a function that runs returns False, and
        nap_work_is_canceled() is true for that function from then on. An exception cannot leave @fn.
        """
        if not isinstance(work, Work):
            raise TypeError("work must be a nap.Work")
        function = fn if isinstance(fn, int) else ctypes.cast(fn, ctypes.c_void_p).value
        if not function:
            raise ValueError("fn is NULL")
        deadline = 0 if timeout is None else _deadline(int(min(max(timeout * 1e9, 0), 2**64 - 1)))

        def fill():
            work._fn = function
            work._done = ctypes.cast(_done, ctypes.c_void_p).value
            work._cq = work._gone = None
            work._deadline = deadline

        future = _WorkFuture()
        future.work, future.fn, future.pool = work, fn, self._pool
        self._pool.schedule(work, _work_schedule, future, fill)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        """As concurrent.futures.Executor.shutdown(). On one of the executor's own workers a @wait
        raises RuntimeError. After wait=False the threads sleep when everything has run, until another
        shutdown(), the next executor or the exit ends them."""
        pool = self._pool
        pool.is_shut = True
        if cancel_futures:
            for one in list(_under_way.values()):
                future = one if isinstance(one, Future) else one.future
                if one.pool is pool and future:
                    future.cancel()
        pool.shut()
        if wait:
            pool.join()


def _at_exit():
    global _exiting
    _exiting = True
    for pool in list(_pools.values()):
        pool.shut()
    for pool in list(_pools.values()):
        pool.join()


def _after_fork():
    for pool in _pools.values():
        pool.lose()
    _pools.clear()
    _under_way.clear()


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_after_fork)
