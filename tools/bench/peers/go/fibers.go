// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Goroutines in place of tools/bench/nap/fibers.c.

func two(body func()) {
	var wait sync.WaitGroup
	wait.Add(2)
	for i := 0; i < 2; i++ {
		go func() {
			body()
			wait.Done()
		}()
	}
	wait.Wait()
}

func turns(s *size) {
	timeAll(s, func() {
		two(func() {
			for i := uint64(0); i < s.n/2; i++ {
				runtime.Gosched()
			}
		})
	})
}

// A goroutine without a result is awaited by a wait group, as usual.
func spawnAwait(s *size) {
	timeAll(s, func() {
		var wait sync.WaitGroup
		for i := uint64(0); i < s.n; i++ {
			wait.Add(1)
			go func() { wait.Done() }()
			wait.Wait()
		}
	})
}

func channel(s *size) {
	there, back := make(chan uint64, 1), make(chan uint64, 1)
	timeAll(s, func() {
		go func() {
			for i := uint64(0); i < s.n; i++ {
				back <- <-there
			}
		}()
		for i := uint64(0); i < s.n; i++ {
			there <- i
			if <-back != i {
				die("a channel does not work")
			}
		}
	})
}

func mutex(s *size) {
	var lock sync.Mutex
	guarded := uint64(0)
	timeAll(s, func() {
		guarded = 0
		two(func() {
			for i := uint64(0); i < s.n/2; i++ {
				lock.Lock()
				guarded++
				runtime.Gosched()
				lock.Unlock()
			}
		})
		if guarded != s.n/2*2 {
			die("a mutex does not work")
		}
	})
}

func resident() uint64 {
	var all, pages uint64
	file, err := os.Open("/proc/self/statm")
	if err != nil {
		die("no /proc/self/statm")
	}
	fmt.Fscan(file, &all, &pages)
	file.Close()
	return pages * uint64(os.Getpagesize())
}

func sleepers(s *size) {
	var sleeping uint64
	before := resident()
	for i := uint64(0); i < s.n; i++ {
		go func() {
			atomic.AddUint64(&sleeping, 1)
			time.Sleep(time.Hour)
		}()
	}
	for atomic.LoadUint64(&sleeping) < s.n {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	fmt.Printf("%s\tgo\t%d\t-\t1\n", s.row, (resident()-before)/s.n)
}
