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

func echo(s *size) {
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
	self, err := os.Executable()
	if err != nil {
		die("no executable")
	}
	client := filepath.Join(filepath.Dir(self), "echo-client")
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	how := s.how
	if how == "" {
		how = "1"
	}
	timeAll(s, func() {
		if exec.Command(client, port, how, strconv.FormatUint(s.n, 10)).Run() != nil {
			die("the client found a wrong answer")
		}
	})
}
