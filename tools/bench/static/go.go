// SPDX-License-Identifier: MIT

package main

func main() {
	ran := make(chan struct{})
	go close(ran)
	<-ran
}
