// Command benchfmt_rows prints what golang.org/x/perf/benchfmt, the parser of
// benchstat, reads from each file named: one JSON object a record.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/perf/benchfmt"
)

// A value is given by its bits: equal text would not show equal floats.
type value struct {
	Bits, OriginalBits string
	Unit, OriginalUnit string
}

type record struct {
	File    string
	Line    int
	Kind    string
	Message string            `json:",omitempty"`
	Name    string            `json:",omitempty"`
	Count   string            `json:",omitempty"`
	Values  []value           `json:",omitempty"`
	Config  map[string]string `json:",omitempty"`
}

func bits(x float64) string { return strconv.FormatUint(math.Float64bits(x), 16) }

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	write := json.NewEncoder(out)
	for _, path := range os.Args[1:] {
		file, err := os.Open(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		reader := benchfmt.NewReader(file, path)
		for reader.Scan() {
			one := record{File: path}
			switch found := reader.Result().(type) {
			case *benchfmt.Result:
				_, one.Line = found.Pos()
				one.Kind, one.Name, one.Count = "result", string(found.Name), strconv.Itoa(found.Iters)
				one.Config = map[string]string{}
				for _, c := range found.Config {
					one.Config[c.Key] = string(c.Value)
				}
				for _, v := range found.Values {
					it := value{bits(v.Value), bits(v.OrigValue), v.Unit, v.OrigUnit}
					if v.OrigUnit == "" {
						it.OriginalBits, it.OriginalUnit = it.Bits, v.Unit
					}
					one.Values = append(one.Values, it)
				}
			case *benchfmt.SyntaxError:
				one.Line, one.Kind, one.Message = found.Line, "error", found.Msg
			case *benchfmt.UnitMetadata:
				_, one.Line = found.Pos()
				one.Kind, one.Name, one.Message = "unit", found.Unit, found.Key+"="+found.Value
			}
			write.Encode(one)
		}
		if err := reader.Err(); err != nil {
			write.Encode(record{File: path, Kind: "aborted", Message: err.Error()})
		}
		file.Close()
	}
}
