// SPDX-License-Identifier: MIT

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// Connections that are goroutines, in place of tools/bench/nap/echo.c.

func serve(conn net.Conn) {
	bytes := make([]byte, 4096)
	for {
		n, err := conn.Read(bytes)
		if err == nil {
			_, err = conn.Write(bytes[:n])
		}
		if err != nil {
			conn.Close()
			return
		}
	}
}

// Starts a service; returns its port.
func serveAll() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		die("no socket")
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// Runs a client, which is a program in the folder of this one.
func client(name string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		die("no executable")
	}
	return exec.Command(filepath.Join(filepath.Dir(self), name), args...)
}

func runClient(command *exec.Cmd) {
	if command.Run() != nil {
		die("the client found a wrong answer")
	}
}

func echo(s *size) {
	port := serveAll()
	how := s.how
	if how == "" {
		how = "1"
	}
	timeAll(s, func() { runClient(client("echo-client", port, how, strconv.FormatUint(s.n, 10))) })
}
