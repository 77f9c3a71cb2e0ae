// SPDX-License-Identifier: MIT

package main

import (
	"sync"
	"sync/atomic"
	"time"
)

func sleepNs(ns int64) { time.Sleep(time.Duration(ns)) }

// ---- fib

func fib(n uint64) uint64 {
	if n < 2 {
		return n
	}
	left := make(chan uint64, 1)
	go func() { left <- fib(n - 1) }()
	right := fib(n - 2)
	return <-left + right
}

func fibBySum(n uint64) uint64 {
	a, b := uint64(0), uint64(1)
	for ; n > 0; n-- {
		a, b = b, a+b
	}
	return a
}

func fibRow(s *size) {
	timeN(s, fibBySum(s.n+1)-1, func() {
		if fib(s.n) != fibBySum(s.n) {
			die("the result is wrong")
		}
	})
}

// ---- the quicksort of Zap's benchmark, step by step as in tools/works/quicksort.c

const sortCutoff = 32

func shuffle(a []int32) {
	xs := uint32(0xdeadbeef)
	for i := range a {
		a[i] = int32(i)
	}
	for i := range a {
		xs ^= xs << 13
		xs ^= xs >> 17
		xs ^= xs << 5
		j := xs % uint32(i+1)
		a[i], a[j] = a[j], a[i]
	}
}

func byInsertion(a []int32) {
	for i := 1; i < len(a); i++ {
		for n := i; n > 0 && a[n] < a[n-1]; n-- {
			a[n], a[n-1] = a[n-1], a[n]
		}
	}
}

func partition(a []int32) int {
	last, i := len(a)-1, 0
	for j := 0; j < last; j++ {
		if a[j] <= a[last] {
			a[i], a[j] = a[j], a[i]
			i++
		}
	}
	a[i], a[last] = a[last], a[i]
	return i
}

// Other threads may take the task of the larger part.
func sortPart(a []int32) {
	if len(a) <= sortCutoff {
		byInsertion(a)
		return
	}
	mid := partition(a)
	larger, smaller := a[:mid], a[mid+1:]
	if len(larger) < len(smaller) {
		larger, smaller = smaller, larger
	}
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		sortPart(larger)
		wait.Done()
	}()
	sortPart(smaller)
	wait.Wait()
}

func sortRow(s *size) {
	a := make([]int32, s.n)
	for i := 0; i <= s.rounds; i++ {
		shuffle(a)
		b := begin()
		sortPart(a)
		if took := b.took(); i > 0 {
			show(s, took, 1)
		}
		for i, at := range a {
			if at != int32(i) {
				die("it is not sorted")
			}
		}
	}
}

// ---- nqueens: rows as sets of bits; a row with six rows or fewer below it is not split

type board struct{ down, left, right uint32 }

func (b board) free(n int) uint32 { return (1<<n - 1) &^ (b.down | b.left | b.right) }

func (b board) with(queen uint32) board {
	return board{b.down | queen, (b.left | queen) << 1, (b.right | queen) >> 1}
}

func (b board) count(n, rows int) (result uint64) {
	if rows == 0 {
		return 1
	}
	for free := b.free(n); free != 0; free &= free - 1 {
		result += b.with(free&-free).count(n, rows-1)
	}
	return
}

// The last square of a row has no goroutine of its own.
func nqueens(b board, n, rows int) uint64 {
	if rows <= 7 {
		return b.count(n, rows)
	}
	var result uint64
	var wait sync.WaitGroup
	free := b.free(n)
	for ; free&(free-1) != 0; free &= free - 1 {
		next := b.with(free & -free)
		wait.Add(1)
		go func() {
			atomic.AddUint64(&result, nqueens(next, n, rows-1))
			wait.Done()
		}()
	}
	last := uint64(0)
	if free != 0 {
		last = nqueens(b.with(free), n, rows-1)
	}
	wait.Wait()
	return result + last
}

func checkQueens(s *size, result uint64) {
	known := []uint64{1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184}
	if result != known[s.n] {
		die("the result is wrong")
	}
}

func nqueensRow(s *size) {
	timeN(s, 1, func() { checkQueens(s, nqueens(board{}, int(s.n), int(s.n))) })
}

// ---- matrix multiply: c = a * b, n by n, a goroutine a row

func matmul(s *size) {
	n := int(s.n)
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = float64(i%7), float64(i%5)
	}
	timeN(s, 1, func() {
		var wait sync.WaitGroup
		wait.Add(n)
		for i := 0; i < n; i++ {
			go func(i int) {
				multiplyRow(a[i*n:(i+1)*n], b, c[i*n:(i+1)*n])
				wait.Done()
			}(i)
		}
		wait.Wait()
	})
}

func multiplyRow(a, b, c []float64) {
	for i := range c {
		c[i] = 0
	}
	for k, x := range a {
		for i, y := range b[k*len(c) : (k+1)*len(c)] {
			c[i] += x * y
		}
	}
}
