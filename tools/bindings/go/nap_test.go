// SPDX-License-Identifier: MIT

package nap

import (
	"errors"
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"nap.invalid/nap/internal/functions"
)

func newPool(t *testing.T, workers int) *Pool {
	pool, err := New(workers)
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

func TestManyGoroutinesCall(t *testing.T) {
	pool := newPool(t, 3)
	var all sync.WaitGroup
	var sum int64

	for i := 0; i < 200; i++ {
		i := i
		all.Add(1)
		go func() {
			defer all.Done()
			for j := 0; j < 20; j++ {
				end := <-pool.Do(func() any { return i * j })
				if end.Err != nil {
					t.Error(end.Err)
					return
				}
				atomic.AddInt64(&sum, int64(end.Value.(int)))
			}
		}()
	}
	all.Wait()
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if want := int64(199 * 200 / 2 * 19 * 20 / 2); sum != want {
		t.Errorf("%d, not %d", sum, want)
	}
}

func TestPanicsAreErrors(t *testing.T) {
	pool := newPool(t, 2)
	defer pool.Close()

	for i := 0; i < 50; i++ {
		var p *Panic
		if end := <-pool.Do(func() any { panic(i) }); !errors.As(end.Err, &p) || p.Value != i {
			t.Fatal(end)
		}
	}
	if end := <-pool.Do(func() any { return "goes on" }); end.Value != "goes on" {
		t.Error(end)
	}
}

func TestFunctionsDoOthers(t *testing.T) {
	pool := newPool(t, 2)
	var tree func(depth int) func() any
	var leaves int64
	var all sync.WaitGroup

	tree = func(depth int) func() any {
		return func() any {
			defer all.Done()
			if depth == 0 {
				return atomic.AddInt64(&leaves, 1)
			}
			all.Add(2)
			pool.Do(tree(depth - 1))
			pool.Do(tree(depth - 1))
			return nil
		}
	}
	all.Add(1)
	pool.Do(tree(8))
	all.Wait()
	if leaves != 256 {
		t.Error(leaves)
	}
	if end := <-pool.Do(func() any { return pool.Close() }); end.Value != syscall.EDEADLK {
		t.Error(end)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if err := pool.Close(); err != ErrClosed {
		t.Error(err)
	}
}

func TestGarbageIsCollectedUnderWorkers(t *testing.T) {
	pool := newPool(t, 3)
	defer pool.Close()
	var ends []<-chan End

	for i := 0; i < 200; i++ {
		ends = append(ends, pool.Do(func() any {
			var kept [][]byte
			for j := 0; j < 50; j++ {
				kept = append(kept, make([]byte, 4096))
			}
			return len(kept)
		}))
		if i%50 == 0 {
			runtime.GC()
		}
	}
	for _, end := range ends {
		if end := <-end; end.Value != 50 {
			t.Error(end)
		}
	}
}

// Go interrupts a loop that calls nothing by a signal. A worker must not block this signal while it
// runs Go code.
func TestALoopIsInterrupted(t *testing.T) {
	pool := newPool(t, 1)
	defer pool.Close()
	var stop, begun int32

	end := pool.Do(func() any {
		atomic.StoreInt32(&begun, 1)
		n := 0
		for atomic.LoadInt32(&stop) == 0 {
			n++
		}
		return n
	})
	for atomic.LoadInt32(&begun) == 0 {
		time.Sleep(time.Millisecond)
	}
	done := make(chan bool)
	go func() {
		// The collection stops all goroutines first, so it waits for the loop.
		runtime.GC()
		done <- true
	}()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Error("a collection waits for a worker")
	}
	atomic.StoreInt32(&stop, 1)
	<-end
}

func TestFunctionsOfC(t *testing.T) {
	pool := newPool(t, 3)
	n := functions.New()
	defer n.Free()
	var all sync.WaitGroup

	for i := 0; i < 50; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := 0; j < 20; j++ {
				work, err := pool.Call(functions.AddOne(), n.Pointer())
				if err != nil {
					t.Error(err)
					return
				}
				if end := <-work.End(); end.Err != nil {
					t.Error(end.Err)
				}
				if work.Cancel() {
					t.Error("a work that has ended was canceled")
				}
			}
		}()
	}
	all.Wait()
	if n.Load() != 1000 {
		t.Error(n.Load())
	}
	pool.Close()
	if _, err := pool.Call(functions.AddOne(), n.Pointer()); err != ErrClosed {
		t.Error(err)
	}
	if end := <-pool.Do(func() any { return nil }); end.Err != ErrClosed {
		t.Error(end)
	}
}

func TestWorksAreCanceled(t *testing.T) {
	pool := newPool(t, 1)
	wait, n := functions.New(), functions.New()
	defer wait.Free()
	defer n.Free()

	for round := 0; round < 20; round++ {
		wait.Store(1)
		first, err := pool.Call(functions.WaitFor(), wait.Pointer())
		if err != nil {
			t.Fatal(err)
		}
		n.Store(0)
		var works []*Work
		canceled, ran := uint32(0), uint32(0)
		for i := 0; i < 50; i++ {
			work, err := pool.Call(functions.AddOne(), n.Pointer())
			if err != nil {
				t.Fatal(err)
			}
			works = append(works, work)
		}
		for _, work := range works {
			if rand.Intn(2) == 0 && work.Cancel() {
				canceled++
			}
		}
		wait.Store(1 << 16)
		<-first.End()
		for _, work := range works {
			if end := <-work.End(); end.Err == ErrCanceled {
				canceled--
			} else if end.Err != nil {
				t.Error(end.Err)
			} else {
				ran++
			}
		}
		if canceled != 0 || n.Load() != ran {
			t.Fatal(canceled, n.Load(), ran)
		}
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}

func TestPoolsCloseUnderGoroutines(t *testing.T) {
	for round := 0; round < 20; round++ {
		pool := newPool(t, 2)
		var all sync.WaitGroup
		var accepted, ran int64

		for i := 0; i < 8; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				for {
					end := <-pool.Do(func() any { return atomic.AddInt64(&ran, 1) })
					if end.Err != nil {
						if end.Err != ErrClosed {
							t.Error(end.Err)
						}
						return
					}
					atomic.AddInt64(&accepted, 1)
				}
			}()
		}
		time.Sleep(time.Millisecond)
		for i := 0; i < 3; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				if err := pool.Close(); err != nil && err != ErrClosed {
					t.Error(err)
				}
			}()
		}
		all.Wait()
		if accepted != ran {
			t.Errorf("%d accepted, %d ran", accepted, ran)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	if _, err := New(-1); err != syscall.EINVAL {
		t.Error(err)
	}
	if _, err := New(1 << 20); err != syscall.EINVAL {
		t.Error(err)
	}
	pool := newPool(t, 1)
	defer pool.Close()
	if _, err := pool.Call(nil, nil); err != syscall.EINVAL {
		t.Error(err)
	}
}
