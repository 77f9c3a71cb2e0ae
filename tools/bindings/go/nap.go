// SPDX-License-Identifier: MIT

// Package nap calls into a nap pool of C threads from Go, by cgo.
//
// Go has a scheduler of its own: goroutines, not this package, are for Go code that runs side by
// side. This package is for programs whose C code has a pool already, and whose Go code is to use
// the same threads, with the classes, limits and CPUs that the pool has. Pool.Call has functions of
// C called there, without a thread of Go for each. Pool.Do has Go functions called there.
//
// Each of these calls gives a channel, which gets the function's end. A goroutine that waits
// receives from the channel, and takes no thread.
//
//	pool, err := nap.New(4)
//	...
//	end := pool.Do(func() any { return 6 * 7 })
//	fmt.Println((<-end).Value)
//	pool.Close()
//
// Flags: CGO_CFLAGS=-I.../include CGO_LDFLAGS="-L... -lnap", where pkg-config does not find nap.
package nap

/*
#cgo LDFLAGS: -lnap
#include <stdlib.h>
#include <errno.h>
#include <nap/nap.h>

// A Go function as a task. The task is in C's memory, because the pool keeps its address.
struct go_task {
	struct nap_task task;
	uintptr_t handle;
};

// A function of C as a work.
struct go_work {
	struct nap_work work;
	nap_submit_fn fn;
	void *arg;
	uintptr_t handle;
};

void napGoTask(uintptr_t handle);
void napGoDone(uintptr_t handle, int result);

static void go_task_run(struct nap_task *task)
{
	uintptr_t handle = nap_container_of(task, struct go_task, task)->handle;

	free(task);
	napGoTask(handle);
}

static int go_work_run(struct nap_work *work)
{
	struct go_work *w = nap_container_of(work, struct go_work, work);

	w->fn(w->arg);
	return 0;
}

static void go_work_done(struct nap_work *work, int result)
{
	napGoDone(nap_container_of(work, struct go_work, work)->handle, result);
}

static int go_schedule(struct nap_pool *pool, uintptr_t handle)
{
	struct go_task *task = malloc(sizeof(*task));
	int err;

	if (!task)
		return -ENOMEM;
	nap_task_init(&task->task, go_task_run);
	task->handle = handle;
	err = nap_schedule(pool, &task->task);
	if (err)
		free(task);
	return err;
}

static struct go_work *go_work_new(nap_submit_fn fn, void *arg, uintptr_t handle)
{
	struct go_work *w = malloc(sizeof(*w));

	if (w) {
		nap_work_init(&w->work, go_work_run, go_work_done, NULL);
		w->fn = fn;
		w->arg = arg;
		w->handle = handle;
	}
	return w;
}

static int go_pool_new(struct nap_pool **pool, uint32_t workers)
{
	struct nap_config config = { .max_workers = workers, .name = "nap-go" };
	int err = nap_pool_new(pool, &config);

	if (err)
		return err;
	// A goroutine waits for a channel, and runs no tasks: without a worker nothing would end.
	err = nap_pool_prewarm(*pool, 1);
	if (err) {
		nap_pool_join(*pool, NULL);
		nap_pool_free(*pool);
	}
	return err;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"sync"
	"syscall"
	"unsafe"
)

// ErrClosed says that the pool takes no more work.
var ErrClosed = errors.New("nap: the pool is closed")

// ErrCanceled says that a work was canceled before it had begun.
var ErrCanceled = errors.New("nap: the work was canceled")

// Panic is the error of a Go function that has panicked on a worker.
type Panic struct {
	// Value is what was given to panic().
	Value any
}

func (p *Panic) Error() string { return fmt.Sprintf("nap: a function has panicked: %v", p.Value) }

// End is how a function has ended: with a value, or with an error.
type End struct {
	Value any
	Err   error
}

// Pool is a pool of C threads. Any goroutine may call its methods.
type Pool struct {
	// Calls of C hold the lock for reading. Close holds it for writing when it frees the pool.
	lock sync.RWMutex
	raw  *C.struct_nap_pool
}

// New makes a pool. It has at most workers workers; 0 means as many as CPUs that the process may use.
func New(workers int) (*Pool, error) {
	pool := new(Pool)
	if workers < 0 {
		return nil, syscall.EINVAL
	}
	if err := C.go_pool_new(&pool.raw, C.uint32_t(workers)); err != 0 {
		return nil, syscall.Errno(-err)
	}
	return pool, nil
}

// errorOf makes an error of a negative result of a call of nap.
func errorOf(err C.int) error {
	if err == -C.ESHUTDOWN {
		return ErrClosed
	}
	return syscall.Errno(-err)
}

// A Go function and its channel. The handle of a task stands for them.
type do struct {
	f   func() any
	end chan End
}

// Do has f called on a worker of the pool, soon. The channel that Do returns gets the end of f,
// once; nobody has to receive from it.
//
// The worker is a thread of C that runs Go code: it takes part in Go's scheduling for as long as f runs,
// and f counts as a goroutine. While f waits, for a channel say, its worker does nothing else. If f calls
// runtime.Goexit, the program ends with an error of Go's.
func (pool *Pool) Do(f func() any) <-chan End {
	end := make(chan End, 1)
	handle := cgo.NewHandle(do{f, end})
	pool.lock.RLock()
	defer pool.lock.RUnlock()
	err := C.int(-C.ESHUTDOWN)
	if pool.raw != nil {
		err = C.go_schedule(pool.raw, C.uintptr_t(handle))
	}
	if err != 0 {
		handle.Delete()
		end <- End{Err: errorOf(err)}
	}
	return end
}

//export napGoTask
func napGoTask(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	do := h.Value().(do)
	h.Delete()
	do.end <- call(do.f)
}

// call calls f. A panic must not pass through the frames of C.
func call(f func() any) (end End) {
	defer func() {
		if value := recover(); value != nil {
			end = End{Err: &Panic{value}}
		}
	}()
	return End{Value: f()}
}

// Work is a function of C that was scheduled.
type Work struct {
	end chan End
	// C may use raw until the work has ended. The lock is held while raw is used or freed.
	lock sync.Mutex
	raw  *C.struct_go_work
}

// Call has a function of C, void fn(void *arg), called on a worker of the pool, soon. No Go code
// runs on the worker until the function has returned. What arg points to is C's memory, or is
// pinned until the work has ended.
func (pool *Pool) Call(fn, arg unsafe.Pointer) (*Work, error) {
	if fn == nil {
		return nil, syscall.EINVAL
	}
	work := &Work{end: make(chan End, 1)}
	pool.lock.RLock()
	defer pool.lock.RUnlock()
	if pool.raw == nil {
		return nil, ErrClosed
	}
	handle := cgo.NewHandle(work)
	raw := C.go_work_new(C.nap_submit_fn(fn), arg, C.uintptr_t(handle))
	if raw == nil {
		handle.Delete()
		return nil, syscall.ENOMEM
	}
	// This comes before the schedule, because the work may end before nap_work_schedule
	// returns.
	work.raw = raw
	if err := C.nap_work_schedule(pool.raw, &raw.work); err != 0 {
		handle.Delete()
		C.free(unsafe.Pointer(raw))
		return nil, errorOf(err)
	}
	return work, nil
}

// End returns the channel that gets the end of the work, once. The end's value is nil.
func (work *Work) End() <-chan End { return work.end }

// Cancel cancels the work. True: the function will not run, and the end's error is ErrCanceled. A function that runs already is not stopped.
func (work *Work) Cancel() bool {
	work.lock.Lock()
	defer work.lock.Unlock()
	return work.raw != nil && bool(C.nap_cancel(&work.raw.work))
}

//export napGoDone
func napGoDone(handle C.uintptr_t, result C.int) {
	h := cgo.Handle(handle)
	work := h.Value().(*Work)
	h.Delete()
	work.lock.Lock()
	C.free(unsafe.Pointer(work.raw))
	work.raw = nil
	work.lock.Unlock()
	if result == -C.ECANCELED {
		work.end <- End{Err: ErrCanceled}
	} else {
		work.end <- End{}
	}
}

// Close runs everything that the pool has accepted, refuses the rest, and waits until its threads have ended.
// In a function of Do it returns syscall.EDEADLK, because the worker would wait for itself.
func (pool *Pool) Close() error {
	pool.lock.RLock()
	raw := pool.raw
	if raw == nil {
		pool.lock.RUnlock()
		return ErrClosed
	}
	err := C.nap_pool_join(raw, nil)
	pool.lock.RUnlock()
	if err == -C.EDEADLK {
		return syscall.EDEADLK
	}
	// Several calls of Close may get here. The first one frees the pool.
	pool.lock.Lock()
	defer pool.lock.Unlock()
	if pool.raw != nil {
		C.nap_pool_free(pool.raw)
		pool.raw = nil
	}
	return nil
}
