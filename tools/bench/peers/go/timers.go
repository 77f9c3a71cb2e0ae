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

func timerArm(s *size)    { timersArmAndCancel(s, true) }
func timerCancel(s *size) { timersArmAndCancel(s, false) }

func timersArmAndCancel(s *size, arms bool) {
	timers := make([]*time.Timer, s.n)
	for round := 0; round <= s.rounds; round++ {
		b := begin()
		for i := range timers {
			timers[i] = time.AfterFunc(timersFar+timerNs(uint64(i), timersFar), nothing)
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
	for round := 0; round <= s.rounds; round++ {
		var wait sync.WaitGroup
		wait.Add(int(s.n))
		for i := uint64(0); i < s.n; i++ {
			time.AfterFunc(timerNs(i, timersSoon), wait.Done)
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
	takeEachAfter(s, 0, func() int64 {
		length := besidePause(&state)
		until := now() + length
		time.AfterFunc(time.Duration(length), func() { fired <- now() })
		return <-fired - until
	})
}
