package main

import (
	"sort"
	"sync"
	"testing"
)

// BenchmarkHash needs the cores and nothing else.
func BenchmarkHash(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for seed := uint64(0); pb.Next(); seed++ {
			work(seed)
		}
	})
}

// BenchmarkSort allocates, so that the garbage collector has a part in it.
func BenchmarkSort(b *testing.B) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for seed := uint32(1); pb.Next(); seed++ {
			numbers := make([]int, 16384)
			state := seed
			for i := range numbers {
				state = state*1664525 + 1013904223
				numbers[i] = int(state >> 8)
			}
			sort.Ints(numbers)
		}
	})
}

// BenchmarkTable has all workers wait for one lock.
func BenchmarkTable(b *testing.B) {
	var lock sync.Mutex
	table := make(map[uint64]uint64)
	b.RunParallel(func(pb *testing.PB) {
		for key := uint64(0); pb.Next(); key++ {
			lock.Lock()
			table[key%65536] = key
			lock.Unlock()
		}
	})
}
