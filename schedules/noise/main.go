// Noise is a program to measure: a small HTTP service, or workers that share a table.
package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// work keeps a core busy for some microseconds.
func work(seed uint64) [32]byte {
	var block [4096]byte
	block[0] = byte(seed)
	block[1] = byte(seed >> 8)
	return sha256.Sum256(block[:])
}

// serve answers on the address until it is killed.
func serve(address string) {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var sum [32]byte
		for i := uint64(0); i < 8; i++ {
			sum = work(i)
		}
		fmt.Fprintf(w, "%x\n", sum)
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(address, nil))
	os.Exit(1)
}

// run counts the operations of so many workers that share one table behind a lock.
func run(workers int, duration time.Duration) float64 {
	table := make(map[uint64][32]byte)
	var lock sync.Mutex
	var done atomic.Uint64
	var group sync.WaitGroup
	begin := time.Now()
	for w := 0; w < workers; w++ {
		group.Add(1)
		go func(next uint64) {
			defer group.Done()
			for time.Since(begin) < duration {
				sum := work(next)
				lock.Lock()
				table[next%65536] = sum
				lock.Unlock()
				done.Add(1)
				next += 7919
			}
		}(uint64(w))
	}
	group.Wait()
	return float64(done.Load()) / time.Since(begin).Seconds()
}

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "serve":
		serve(os.Args[2])
	case len(os.Args) == 4 && os.Args[1] == "run":
		workers, _ := strconv.Atoi(os.Args[2])
		repeats, _ := strconv.Atoi(os.Args[3])
		for i := 0; i < repeats; i++ {
			fmt.Printf("%.1f\n", run(workers, 500*time.Millisecond))
			runtime.GC()
		}
	default:
		fmt.Fprintln(os.Stderr, "usage: noise serve ADDRESS | noise run WORKERS REPEATS")
		os.Exit(2)
	}
}
