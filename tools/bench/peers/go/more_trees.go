// SPDX-License-Identifier: MIT

package main

import (
	"crypto/sha1"
	"encoding/binary"
	"math"
	"sync"
)

// ---- queens without a cut-off, as in common/trees.h: a goroutine for each square that is not attacked

type columns struct {
	of   [20]int8
	rows int8
}

func (c *columns) peaceful() bool {
	of := c.of[:c.rows]
	for row, p := range of {
		for distance, q := range of[row+1:] {
			across := q - p
			if d := int8(distance + 1); across == 0 || across == d || across == -d {
				return false
			}
		}
	}
	return true
}

func queens(board *columns, n int) uint64 {
	if int(board.rows) == n {
		return 1
	}
	var results [20]uint64
	var wait sync.WaitGroup
	for i := 0; i < n; i++ {
		next := *board
		next.of[next.rows] = int8(i)
		next.rows++
		if !next.peaceful() {
			continue
		}
		result := &results[i]
		wait.Add(1)
		go func() {
			*result = queens(&next, n)
			wait.Done()
		}()
	}
	wait.Wait()
	sum := uint64(0)
	for _, result := range results {
		sum += result
	}
	return sum
}

func queensRow(s *size) {
	timeN(s, 1, func() { checkQueens(s, queens(&columns{}, int(s.n))) })
}

// ---- uts, as in tools/works/uts.c, with SHA-1 of Go's library: a goroutine for each child but the last

const utsNodes, utsDepth, utsMost = 4130071, 10, 100

type utsNode struct {
	hash  [20]byte
	depth int
}

func (node *utsNode) child(i uint32) *utsNode {
	var message [24]byte
	copy(message[:], node.hash[:])
	binary.BigEndian.PutUint32(message[20:], i)
	return &utsNode{sha1.Sum(message[:]), node.depth + 1}
}

func (node *utsNode) children() int {
	if node.depth >= utsDepth {
		return 0
	}
	u := float64(binary.BigEndian.Uint32(node.hash[16:])&0x7fffffff) / 2147483648
	n := math.Floor(math.Log(1-u) / math.Log(1-1/(1+4.0)))
	return int(math.Min(n, utsMost))
}

func visit(node *utsNode) uint64 {
	n := node.children()
	if n == 0 {
		return 1
	}
	results := make([]uint64, n)
	var wait sync.WaitGroup
	wait.Add(n - 1)
	for i := 0; i < n-1; i++ {
		go func(i int) {
			results[i] = visit(node.child(uint32(i)))
			wait.Done()
		}(i)
	}
	results[n-1] = visit(node.child(uint32(n - 1)))
	wait.Wait()
	sum := uint64(1)
	for _, result := range results {
		sum += result
	}
	return sum
}

func utsRow(s *size) {
	var seed [20]byte
	seed[19] = 19
	timeN(s, 1, func() {
		if visit(&utsNode{hash: sha1.Sum(seed[:])}) != utsNodes {
			die("the result is wrong")
		}
	})
}
