// SPDX-License-Identifier: MIT

package main

import (
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

// Goroutines that compute and yield after each piece, in place of tools/bench/nap/beside.c.
// "kept": no goroutine yields, and only Go's own preemption takes a thread from a goroutine.

const besideTasks = 4

func besidePause(state *uint32) int64 {
	*state = *state*1664525 + 1013904223
	return 1000000 + int64(*state>>8%1000000)
}

// The goroutines run until the returned function is called.
func besideBegin(s *size) func() {
	var ends int32
	for i := 0; i < besideTasks*s.workers; i++ {
		go func() {
			for atomic.LoadInt32(&ends) == 0 {
				work(int64(s.n) * 1000)
				if s.how != "kept" {
					runtime.Gosched()
				}
			}
		}()
	}
	return func() { atomic.StoreInt32(&ends, 1) }
}

func sleepBeside(s *size) {
	end := besideBegin(s)
	sleepIdle(s)
	end()
}

func sleepIdle(s *size) {
	done := make(chan struct{})
	go func() {
		state := uint32(1)
		takeEachAfter(s, 0, func() int64 {
			length := besidePause(&state)
			until := now() + length
			time.Sleep(time.Duration(length))
			return now() - until
		})
		close(done)
	}()
	<-done
}

func echoBeside(s *size) {
	end := besideBegin(s)
	echoIdle(s)
	end()
}

func echoIdle(s *size) {
	command := client("beside-client", serveAll(), strconv.Itoa(s.rounds), s.row, "go")
	command.Stdout = os.Stdout
	runClient(command)
}
