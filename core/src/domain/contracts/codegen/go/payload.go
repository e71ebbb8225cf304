package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Payload is what every type of this package can do.
type Payload interface {
	json.Marshaler
	// UnmarshalJSON refuses what Validate would refuse.
	json.Unmarshaler
	// Validate says everything that is wrong with the value, as a *ValidationError.
	Validate() error
}

// Violation is one way in which a value fails its schema. Path is an RFC 6901 pointer, and "/" for the root.
type Violation struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// ValidationError lists all violations of a value.
type ValidationError struct {
	Violations []Violation
}

func (e *ValidationError) Error() string {
	texts := make([]string, 0, len(e.Violations))
	for _, v := range e.Violations {
		texts = append(texts, v.Path+": "+v.Message)
	}
	return strings.Join(texts, "; ")
}

// Nullable is a value that may be null. Its zero value is null.
type Nullable[T any] struct {
	Value T
	Valid bool
}

// Capability is what a capability's payloads are decoded into.
type Capability struct {
	Request  func() Payload
	Response func() Payload
}

// Ptr gives an optional property its value.
func Ptr[T any](value T) *T {
	return &value
}

// decode reads JSON, checks it against the rules, and hands it to read.
func decode[T any](data []byte, into *T, read func(*reader, any) T, names ...string) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the end of the JSON value")
	}
	if err := check(value, names...); err != nil {
		return err
	}
	var r reader
	result := read(&r, value)
	if r.err != nil {
		return r.err
	}
	*into = result
	return nil
}

func check(value any, names ...string) error {
	w := walk{rules: rules(), steps: 4_000_000}
	for _, name := range names {
		w.visit(name, value, "")
	}
	if w.steps < 0 {
		w.violations = []Violation{{"/", "checking the value takes too many steps"}}
	}
	if len(w.violations) > 0 {
		return &ValidationError{w.violations}
	}
	return nil
}

// reader turns checked JSON into Go values. What can still go wrong is a number that its type cannot hold.
type reader struct {
	err error
}

func readAny(_ *reader, x any) any {
	switch x := x.(type) {
	case json.Number:
		f, _ := x.Float64()
		return f
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = readAny(nil, item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for key, item := range x {
			out[key] = readAny(nil, item)
		}
		return out
	}
	return x
}

func readText[T ~string](_ *reader, x any) T {
	s, _ := x.(string)
	return T(s)
}

func readBool(_ *reader, x any) bool {
	b, _ := x.(bool)
	return b
}

func readFloat(_ *reader, x any) float64 {
	f, _ := number(x)
	return f
}

func readInt(r *reader, x any) int64 {
	if text, ok := x.(json.Number); ok {
		if n, err := strconv.ParseInt(text.String(), 10, 64); err == nil {
			return n
		}
	}
	f, _ := number(x)
	if f < -(1<<63) || f >= 1<<63 {
		r.err = fmt.Errorf("the integer %v does not fit into 64 bits", x)
		return 0
	}
	return int64(f)
}

func readList[T any](item func(*reader, any) T) func(*reader, any) []T {
	return func(r *reader, x any) []T {
		list, _ := x.([]any)
		out := make([]T, len(list))
		for i, x := range list {
			out[i] = item(r, x)
		}
		return out
	}
}

func readMap[T any](item func(*reader, any) T) func(*reader, any) map[string]T {
	return func(r *reader, x any) map[string]T {
		object, _ := x.(map[string]any)
		out := make(map[string]T, len(object))
		for key, x := range object {
			out[key] = item(r, x)
		}
		return out
	}
}

func readNullable[T any](item func(*reader, any) T) func(*reader, any) Nullable[T] {
	return func(r *reader, x any) Nullable[T] {
		if x == nil {
			return Nullable[T]{}
		}
		return Nullable[T]{item(r, x), true}
	}
}

func readPtr[T any](item func(*reader, any) T) func(*reader, any) *T {
	return func(r *reader, x any) *T {
		value := item(r, x)
		return &value
	}
}

// as reads a value once more, into a type that fits it.
func as(v any, target any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, target)
}

// unfit stands for a Go value that has no JSON.
type unfit struct {
	err error
}

func (u unfit) MarshalJSON() ([]byte, error) {
	return nil, u.err
}

func plainAny(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return unfit{err}
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		return unfit{err}
	}
	return out
}

func plainText[T ~string](v T) any {
	return string(v)
}

func plainBool(v bool) any {
	return v
}

func plainFloat(v float64) any {
	return v
}

func plainInt(v int64) any {
	return json.Number(strconv.FormatInt(v, 10))
}

func plainList[T any](item func(T) any) func([]T) any {
	return func(list []T) any {
		out := make([]any, len(list))
		for i, v := range list {
			out[i] = item(v)
		}
		return out
	}
}

func plainMap[T any](item func(T) any) func(map[string]T) any {
	return func(object map[string]T) any {
		out := make(map[string]any, len(object))
		for key, v := range object {
			out[key] = item(v)
		}
		return out
	}
}

func plainNullable[T any](item func(T) any) func(Nullable[T]) any {
	return func(v Nullable[T]) any {
		if !v.Valid {
			return nil
		}
		return item(v.Value)
	}
}

func plainPtr[T any](item func(T) any) func(*T) any {
	return func(v *T) any {
		if v == nil {
			return nil
		}
		return item(*v)
	}
}
