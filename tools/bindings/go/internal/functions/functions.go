// SPDX-License-Identifier: MIT

// Package functions has functions of C for the package's tests, because cgo does not allow C in
// test files.
package functions

/*
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

static void add_one(void *arg)
{
	__atomic_fetch_add((uint32_t *)arg, 1, __ATOMIC_SEQ_CST);
}

// Waits until the number is a multiple of 2^16.
static void wait_for(void *arg)
{
	while (__atomic_load_n((uint32_t *)arg, __ATOMIC_SEQ_CST) & 0xffff)
		sched_yield();
}

typedef void (*function)(void *);
static function the_add_one(void) { return add_one; }
static function the_wait_for(void) { return wait_for; }
*/
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Number is a number in C's memory.
type Number struct{ at *uint32 }

// New makes a number.
func New() Number { return Number{(*uint32)(C.calloc(1, 4))} }

// Free gives the number's memory back.
func (n Number) Free() { C.free(unsafe.Pointer(n.at)) }

// Load returns the number.
func (n Number) Load() uint32 { return atomic.LoadUint32(n.at) }

// Store sets the number.
func (n Number) Store(value uint32) { atomic.StoreUint32(n.at, value) }

// Pointer returns the number's address.
func (n Number) Pointer() unsafe.Pointer { return unsafe.Pointer(n.at) }

// AddOne adds one to the number at its argument.
func AddOne() unsafe.Pointer { return unsafe.Pointer(C.the_add_one()) }

// WaitFor waits until the number at its argument is a multiple of 2^16.
func WaitFor() unsafe.Pointer { return unsafe.Pointer(C.the_wait_for()) }
