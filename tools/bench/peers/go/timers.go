// SPDX-License-Identifier: MIT

package main

import (
	"sync"
	"time"
)

// Timers that run a function, in place of common/timers.h.

const timersFar, timersSoon, timersBusy = 3600000000000, 3000000, 5000000

func timerNs(i, within uint64) time.Duration {
	return time.Duration((i * 0x9e3779b97f4a7c15 >> 20) % within)
}

// Returns timers that are not armed. Reset() arms them.
func timersNew(n uint64, fires func()) []*time.Timer {
	timers := make([]*time.Timer, n)
	for i := range timers {
		timers[i] = time.AfterFunc(timersFar, fires)
		timers[i].Stop()
	}
	return timers
}

func timerArm(s *size)    { timersArmAndCancel(s, true) }
func timerCancel(s *size) { timersArmAndCancel(s, false) }

func timersArmAndCancel(s *size, arms bool) {
	timers := timersNew(s.n, nothing)
	for round := 0; round <= s.rounds; round++ {
		b := begin()
		for i := range timers {
			timers[i].Reset(timersFar + timerNs(uint64(i), timersFar))
		}
		if round > 0 && arms {
			show(s, b.took(), s.n)
		}
		b = begin()
		for i := range timers {
			timers[i].Stop()
		}
		if round > 0 && !arms {
			show(s, b.took(), s.n)
		}
	}
}

func timerFire(s *size) {
	var wait sync.WaitGroup
	timers := timersNew(s.n, wait.Done)
	for round := 0; round <= s.rounds; round++ {
		wait.Add(int(s.n))
		for i := range timers {
			timers[i].Reset(timerNs(uint64(i), timersSoon))
		}
		busy(timersBusy)
		b := begin()
		wait.Wait()
		if round > 0 {
			show(s, b.took(), s.n)
		}
	}
}

func timerLate(s *size) {
	state := uint32(1)
	fired := make(chan int64)
	timer := timersNew(1, func() { fired <- now() })[0]
	takeEachAfter(s, 0, func() int64 {
		length := besidePause(&state)
		until := now() + length
		timer.Reset(time.Duration(length))
		return <-fired - until
	})
}
