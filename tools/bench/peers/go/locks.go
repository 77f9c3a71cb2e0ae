// SPDX-License-Identifier: MIT

package main

import "sync"

// A mutex and two conditions, in place of common/locks.h. The row's workers are goroutines.

func goEach(n int, body func(i int)) {
	var wait sync.WaitGroup
	wait.Add(n)
	for i := 0; i < n; i++ {
		go func(i int) {
			body(i)
			wait.Done()
		}(i)
	}
	wait.Wait()
}

func lock(s *size) {
	var lock sync.Mutex
	guarded := uint64(0)
	timeAll(s, func() {
		goEach(s.workers, func(int) {
			for i := uint64(0); i < s.n/uint64(s.workers); i++ {
				lock.Lock()
				guarded++
				lock.Unlock()
			}
		})
	})
}

func cond(s *size) {
	var lock sync.Mutex
	conds := [2]*sync.Cond{sync.NewCond(&lock), sync.NewCond(&lock)}
	turn := 0
	timeAll(s, func() {
		goEach(2, func(me int) {
			for i := uint64(0); i < s.n; i++ {
				lock.Lock()
				for turn != me {
					conds[me].Wait()
				}
				turn = 1 - me
				conds[turn].Signal()
				lock.Unlock()
			}
		})
	})
}
