package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
)

func isOneOf(types []string, x any) bool {
	name := typeName(x)
	for _, t := range types {
		if t == name {
			return true
		}
		if f, ok := number(x); ok && t == "integer" && f == math.Trunc(f) {
			return true
		}
	}
	return false
}

// typeName is empty where the value is no JSON: a number that is none, or too large to be one.
func typeName(x any) string {
	switch x.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	if _, ok := number(x); ok {
		return "number"
	}
	return ""
}

func number(x any) (float64, bool) {
	f, ok := x.(float64)
	if n, isText := x.(json.Number); isText {
		parsed, err := n.Float64()
		f, ok = parsed, err == nil
	}
	return f, ok && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// isMultiple works on the decimals as they are written: 0.3 is a multiple of 0.1, which binary division denies.
func isMultiple(f, of float64) bool {
	a, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	b, _ := new(big.Rat).SetString(strconv.FormatFloat(of, 'g', -1, 64))
	return new(big.Rat).Quo(a, b).IsInt()
}

// key is equal for values that are equal in JSON, and for no others.
func key(x any) string {
	switch x := x.(type) {
	case []any:
		parts := make([]string, len(x))
		for i, item := range x {
			parts[i] = key(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		parts := make([]string, 0, len(x))
		for _, name := range sortedKeys(x) {
			parts = append(parts, strconv.Quote(name)+":"+key(x[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case string:
		return strconv.Quote(x)
	}
	if f, ok := number(x); ok {
		return strconv.FormatFloat(f+0, 'g', -1, 64)
	}
	return fmt.Sprint(x)
}

func text(x any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(x); err != nil {
		return fmt.Sprintf("%T", x)
	}
	s := strings.TrimSuffix(out.String(), "\n")
	if len(s) > 1000 {
		return strings.ToValidUTF8(s[:1000], "") + "…"
	}
	return s
}

func child(at string, name string) string {
	return at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
