// SPDX-License-Identifier: MIT

// Lines counts the lines of the files that are its arguments. A goroutine for each file reads it,
// and a function of C counts on a worker.
package main

/*
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct text {
	char *bytes;
	size_t size;
	size_t lines;
};

static void count(void *arg)
{
	struct text *text = arg;
	char *at = text->bytes, *end = at + text->size;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		text->lines++;
		at++;
	}
}

static void *the_count(void) { return (void *)count; }
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"

	"nap.invalid/nap"
)

// lines counts the lines of a file.
func lines(pool *nap.Pool, name string) (int, error) {
	bytes, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	// The work's argument is in C's memory: Go's memory may move.
	text := (*C.struct_text)(C.calloc(1, C.sizeof_struct_text))
	defer C.free(unsafe.Pointer(text))
	text.bytes = (*C.char)(C.CBytes(bytes))
	defer C.free(unsafe.Pointer(text.bytes))
	text.size = C.size_t(len(bytes))
	work, err := pool.Call(C.the_count(), unsafe.Pointer(text))
	if err != nil {
		return 0, err
	}
	end := <-work.End()
	return int(text.lines), end.Err
}

func main() {
	pool, err := nap.New(0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	type result struct {
		n   int
		err error
	}
	results := make([]chan result, len(os.Args)-1)
	for i, name := range os.Args[1:] {
		results[i] = make(chan result, 1)
		go func(to chan<- result, name string) {
			n, err := lines(pool, name)
			to <- result{n, err}
		}(results[i], name)
	}
	total, status := 0, 0
	for i, name := range os.Args[1:] {
		r := <-results[i]
		if r.err != nil {
			fmt.Fprintln(os.Stderr, r.err)
			status = 1
			continue
		}
		fmt.Println(r.n, name)
		total += r.n
	}
	fmt.Println(total, "total")
	pool.Close()
	os.Exit(status)
}
