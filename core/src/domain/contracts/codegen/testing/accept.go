// Command accept tells of each case whether its type accepts it, and whether what comes out is what went in.
//
// usage: accept FOLDER CASES; prints {"outcomes": [...], "names": {package: [top-level names]}, "unformatted": [...]}
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
)

type testCase struct {
	Module     string          `json:"module"`
	Capability string          `json:"capability"`
	Data       json.RawMessage `json:"data"`
}

type outcome struct {
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason,omitempty"`
	Problem  string `json:"problem,omitempty"`
}

func try(c testCase) outcome {
	payload := payloads[c.Module](c.Capability)
	if err := json.Unmarshal(c.Data, payload); err != nil {
		return outcome{Reason: err.Error()}
	}
	if err := payload.Validate(); err != nil {
		return outcome{Accepted: true, Problem: "decoded and then not valid: " + err.Error()}
	}
	text, err := json.Marshal(payload)
	if err != nil {
		return outcome{Accepted: true, Problem: err.Error()}
	}
	if !reflect.DeepEqual(parse(text), parse(c.Data)) {
		return outcome{Accepted: true, Problem: "became " + string(text)}
	}
	return outcome{Accepted: true}
}

func parse(text []byte) any {
	var value any
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&value); err != nil {
		panic(err)
	}
	return value
}

func topLevel(file string) []string {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		panic(err)
	}
	var names []string
	for _, declaration := range parsed.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

func isFormatted(file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	formatted, err := format.Source(text)
	return err == nil && bytes.Equal(text, formatted)
}

func main() {
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	var cases []testCase
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	outcomes := make([]outcome, 0, len(cases))
	for _, c := range cases {
		outcomes = append(outcomes, try(c))
	}
	names := map[string][]string{}
	unformatted := []string{}
	for module := range payloads {
		file := filepath.Join(os.Args[1], module, module+".go")
		names[module] = topLevel(file)
		if !isFormatted(file) {
			unformatted = append(unformatted, module)
		}
	}
	out, err := json.Marshal(map[string]any{"outcomes": outcomes, "names": names, "unformatted": unformatted})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
}
