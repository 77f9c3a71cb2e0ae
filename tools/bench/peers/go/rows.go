// SPDX-License-Identifier: MIT

package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Main is a goroutine, and so runs on one of the workers: no task comes from outside.
var rows = []row{
	{"outside", outside},
	{"worker", worker},
	{"again", again},
	{"delay", delay},
	{"trip", trip},
	{"burst", burst},
	{"trickle", trickle},
	{"turns", turns},
	{"spawn-await", spawnAwait},
	{"channel", channel},
	{"mutex", mutex},
	{"lock", lock},
	{"cond", cond},
	{"timer-arm", timerArm},
	{"timer-cancel", timerCancel},
	{"timer-fire", timerFire},
	{"timer-late", timerLate},
	{"idle-bytes", idleBytes},
	{"first", first},
	{"sleepers", sleepers},
	{"echo", echo},
	{"echo-beside", echoBeside},
	{"sleep-beside", sleepBeside},
	{"echo-idle", echoIdle},
	{"sleep-idle", sleepIdle},
	{"regions", regions},
	{"fib", fibRow},
	{"sort", sortRow},
	{"nqueens", nqueensRow},
	{"queens", queensRow},
	{"uts", utsRow},
	{"matmul", matmul},
}

func goAll(n uint64, body func()) {
	var wait sync.WaitGroup
	wait.Add(int(n))
	for i := uint64(0); i < n; i++ {
		go func() {
			body()
			wait.Done()
		}()
	}
	wait.Wait()
}

// Returns what runs n bodies, each in a goroutine of its own. "channel": as many goroutines as there
// are workers take the bodies from a channel, as Go's programs have a pool.
func tasksOf(s *size, body func()) func() {
	if s.how != "channel" {
		return func() { goAll(s.n, body) }
	}
	var wait sync.WaitGroup
	tasks := make(chan func(), s.n)
	for i := 0; i < s.workers; i++ {
		go func() {
			for task := range tasks {
				task()
			}
		}()
	}
	task := func() {
		body()
		wait.Done()
	}
	return func() {
		wait.Add(int(s.n))
		for i := uint64(0); i < s.n; i++ {
			tasks <- task
		}
		wait.Wait()
	}
}

func nothing()  {}
func work1us()  { work(1000) }
func work04us() { work(400) }

// Main runs on a worker, so what it schedules comes from a worker.
func worker(s *size)  { outside(s) }
func outside(s *size) { timeAll(s, tasksOf(s, nothing)) }
func burst(s *size)   { timeEach(s, tasksOf(s, work1us)) }

// There is a thread for main beside the workers. Go schedules the task as the next one of main's
// own thread, where the task runs when main waits, except if a worker that looks for work takes it.
func trip(s *size) {
	runtime.GOMAXPROCS(s.workers + 1)
	timeEach(s, func() { goAll(s.n, nothing) })
}

func regions(s *size) {
	timeAll(s, func() {
		for i := uint64(0); i < s.n; i++ {
			goAll(16, work04us)
		}
	})
}

// A goroutine that gives way is scheduled again, so one is enough.
func again(s *size) {
	done := make(chan struct{})
	timeAll(s, func() {
		left := int64(s.n)
		go func() {
			for atomic.AddInt64(&left, -1) != 0 {
				runtime.Gosched()
			}
			done <- struct{}{}
		}()
		<-done
	})
}

func delay(s *size) {
	takeEach(s, func() int64 {
		var pushed, begun int64
		var wait sync.WaitGroup
		wait.Add(2)
		go func() {
			pushed = now()
			go func() {
				begun = now()
				wait.Done()
			}()
			work(1000000)
			wait.Done()
		}()
		wait.Wait()
		return begun - pushed
	})
}

func trickle(s *size) {
	timeAll(s, func() {
		var wait sync.WaitGroup
		wait.Add(int(s.n))
		for i := uint64(0); i < s.n; i++ {
			sleepNs(1000000)
			if s.how == "sleep" {
				wait.Done()
				continue
			}
			go func() {
				work(100000)
				wait.Done()
			}()
		}
		wait.Wait()
	})
}
