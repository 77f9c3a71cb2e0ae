// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// What an idle pool costs, in place of common/idle.h.

func anonymous() int64 {
	text, _ := os.ReadFile("/proc/self/smaps_rollup")
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Anonymous:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib * 1024
		}
	}
	die("no /proc/self/smaps_rollup")
	return 0
}

// Each worker runs a goroutine, which waits until all of them run.
func idleBytes(s *size) {
	before := anonymous()
	arrived := int64(0)
	goEach(s.workers, func(int) {
		atomic.AddInt64(&arrived, 1)
		for atomic.LoadInt64(&arrived) < int64(s.workers) {
			loops(1000)
		}
	})
	time.Sleep(100 * time.Millisecond)
	fmt.Printf("%s\tgo\t%d\t-\t%d\n", s.row, anonymous()-before, s.workers)
}

// The first goroutine: tools/bench/client/exec.c began this process at the time in HOW.
func first(s *size) {
	const monotonic = 1
	began := make(chan int64)
	go func() { began <- clock(monotonic) }()
	execAt, _ := strconv.ParseInt(s.how, 10, 64)
	fmt.Printf("%s\tgo\t%d\t-\t1\n", s.row, <-began-execAt)
}
