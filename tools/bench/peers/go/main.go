// SPDX-License-Identifier: MIT

// The command line and the clocks of a benchmark's program in Go, as common/row.h for C.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

const restNs = 300000

type size struct {
	row     string
	workers int
	n       uint64
	rounds  int
	how     string
}

type row struct {
	name string
	run  func(*size)
}

type span struct{ wall, cpu int64 }

func clock(id uintptr) int64 {
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

var start = time.Now()

func now() int64 { return int64(time.Since(start)) }

const cpuClock = 2

func begin() span { return span{cpu: clock(cpuClock), wall: now()} }

func (s span) took() span {
	wall := now() - s.wall
	return span{wall, clock(cpuClock) - s.cpu}
}

func die(why string) {
	fmt.Fprintln(os.Stderr, "go:", why)
	os.Exit(1)
}

func show(s *size, took span, n uint64) {
	fmt.Printf("%s\tgo\t%d\t%d\t%d\n", s.row, took.wall, took.cpu, n)
}

// each: how many pieces of work a round counts as. With "cold" there is no warm-up.
func timeN(s *size, each uint64, once func()) {
	if s.how != "cold" {
		once()
		once()
	}
	b := begin()
	for i := 0; i < s.rounds; i++ {
		once()
	}
	show(s, b.took(), each*uint64(s.rounds))
}

func timeAll(s *size, once func()) { timeN(s, s.n, once) }

func busy(ns int64) {
	for end := now() + ns; now() < end; {
	}
}

func timeEach(s *size, once func()) {
	samples := make([]span, s.rounds)
	once()
	for i := range samples {
		busy(restNs)
		b := begin()
		once()
		samples[i] = b.took()
	}
	for _, took := range samples {
		show(s, took, s.n)
	}
}

// Makes each round a sample, which is what once returns.
func takeEach(s *size, once func() int64) { takeEachAfter(s, restNs, once) }

func takeEachAfter(s *size, rest int64, once func() int64) {
	samples := make([]int64, s.rounds)
	once()
	for i := range samples {
		busy(rest)
		samples[i] = once()
	}
	for _, wall := range samples {
		fmt.Printf("%s\tgo\t%d\t-\t1\n", s.row, wall)
	}
}

var loopsPerUs int64

//go:noinline
func loops(n int64) (sum int64) {
	for i := int64(0); i < n; i++ {
		sum ^= i
	}
	return
}

func work(ns int64) { loops(loopsPerUs * ns / 1000) }

func calibrate() {
	best := int64(1) << 62
	for i := 0; i < 50; i++ {
		b := now()
		loops(200000)
		if took := now() - b; took < best {
			best = took
		}
	}
	loopsPerUs = 200000 * 1000 / (best + 1)
}

func main() {
	args := os.Args
	if len(args) == 2 && args[1] == "--list" {
		for _, r := range rows {
			fmt.Println(r.name)
		}
		return
	}
	var numbers [3]uint64
	if len(args) == 5 || len(args) == 6 {
		for i := range numbers {
			numbers[i], _ = strconv.ParseUint(args[2+i], 10, 63)
		}
	}
	for _, r := range rows {
		if len(args) < 5 || r.name != args[1] || numbers[0] == 0 || numbers[1] == 0 || numbers[2] == 0 {
			continue
		}
		s := &size{r.name, int(numbers[0]), numbers[1], int(numbers[2]), ""}
		if len(args) == 6 {
			s.how = args[5]
		}
		runtime.GOMAXPROCS(s.workers)
		if s.row != "first" {
			calibrate()
		}
		r.run(s)
		return
	}
	fmt.Fprintln(os.Stderr, "usage: go ROW WORKERS N ROUNDS [HOW]")
	os.Exit(2)
}
