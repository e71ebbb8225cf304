package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
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

// rule is one subschema. The names of others are keys of the same table.
type rule struct {
	Never                bool            `json:"never"`
	Type                 []string        `json:"type"`
	Ref                  string          `json:"ref"`
	Const                []value         `json:"const"`
	Enum                 []value         `json:"enum"`
	Minimum              *float64        `json:"minimum"`
	Maximum              *float64        `json:"maximum"`
	ExclusiveMinimum     *float64        `json:"exclusiveMinimum"`
	ExclusiveMaximum     *float64        `json:"exclusiveMaximum"`
	MultipleOf           *float64        `json:"multipleOf"`
	MinLength            *float64        `json:"minLength"`
	MaxLength            *float64        `json:"maxLength"`
	Pattern              string          `json:"pattern"`
	Regex                *pattern        `json:"regex"`
	Format               string          `json:"format"`
	PrefixItems          []string        `json:"prefixItems"`
	Items                string          `json:"items"`
	MinItems             *float64        `json:"minItems"`
	MaxItems             *float64        `json:"maxItems"`
	UniqueItems          bool            `json:"uniqueItems"`
	Contains             string          `json:"contains"`
	MinContains          *float64        `json:"minContains"`
	MaxContains          *float64        `json:"maxContains"`
	Properties           pairs[string]   `json:"properties"`
	PatternProperties    [][2]string     `json:"patternProperties"`
	AdditionalProperties string          `json:"additionalProperties"`
	PropertyNames        string          `json:"propertyNames"`
	Required             []string        `json:"required"`
	MinProperties        *float64        `json:"minProperties"`
	MaxProperties        *float64        `json:"maxProperties"`
	DependentRequired    pairs[[]string] `json:"dependentRequired"`
	DependentSchemas     pairs[string]   `json:"dependentSchemas"`
	AllOf                []string        `json:"allOf"`
	AnyOf                []string        `json:"anyOf"`
	OneOf                []string        `json:"oneOf"`
	Not                  string          `json:"not"`
	If                   string          `json:"if"`
	Then                 string          `json:"then"`
	Else                 string          `json:"else"`
}

var rules = sync.OnceValue(func() map[string]*rule {
	var table map[string]*rule
	if err := json.Unmarshal([]byte(rulesJSON), &table); err != nil {
		panic(err)
	}
	return table
})

// value is a constant of a schema: its text for messages, its key for comparison.
type value struct {
	text, key string
}

func (v *value) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var x any
	if err := decoder.Decode(&x); err != nil {
		return err
	}
	v.text, v.key = text(x), key(x)
	return nil
}

type pattern struct {
	*regexp.Regexp
}

func (p *pattern) UnmarshalJSON(data []byte) error {
	var source string
	if err := json.Unmarshal(data, &source); err != nil {
		return err
	}
	compiled, err := regexp.Compile(source)
	p.Regexp = compiled
	return err
}

// pairs is a map written as a list, in its order.
type pairs[T any] struct {
	keys   []string
	values map[string]T
}

func (p *pairs[T]) UnmarshalJSON(data []byte) error {
	var list [][2]json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	p.values = make(map[string]T, len(list))
	for _, entry := range list {
		var key string
		var value T
		if err := json.Unmarshal(entry[0], &key); err != nil {
			return err
		}
		if err := json.Unmarshal(entry[1], &value); err != nil {
			return err
		}
		p.keys = append(p.keys, key)
		p.values[key] = value
	}
	return nil
}

// walk goes through a value along the rules and notes every violation.
type walk struct {
	rules      map[string]*rule
	violations []Violation
	steps      int
}

func (w *walk) fail(at string, format string, args ...any) {
	if at == "" {
		at = "/"
	}
	w.violations = append(w.violations, Violation{at, fmt.Sprintf(format, args...)})
}

// holds is a yes or no, without a word about why.
func (w *walk) holds(name string, x any) bool {
	before := w.violations
	w.violations = nil
	w.visit(name, x, "")
	good := len(w.violations) == 0
	w.violations = before
	return good
}

// count tells how many of the rules hold, and stops counting at most.
func (w *walk) count(names []string, x any, most int) int {
	count := 0
	for _, name := range names {
		if count < most && w.holds(name, x) {
			count++
		}
	}
	return count
}

func (w *walk) visit(name string, x any, at string) {
	if w.steps--; w.steps < 0 {
		return
	}
	r := w.rules[name]
	if r.Never {
		w.fail(at, "no value is allowed here")
		return
	}
	if len(r.Type) > 0 && !isOneOf(r.Type, x) {
		w.fail(at, "expected type %s but got %s", strings.Join(r.Type, "|"), typeName(x))
		return
	}
	if typeName(x) == "" {
		w.fail(at, "%T has no JSON", x)
		return
	}
	if r.Ref != "" {
		w.visit(r.Ref, x, at)
	}
	for _, c := range r.Const {
		if c.key != key(x) {
			w.fail(at, "expected const %s but got %s", c.text, text(x))
		}
	}
	if r.Enum != nil {
		w.visitEnum(r.Enum, x, at)
	}
	switch x := x.(type) {
	case string:
		w.visitString(r, x, at)
	case []any:
		w.visitArray(r, x, at)
	case map[string]any:
		w.visitObject(r, x, at)
	default:
		if f, ok := number(x); ok {
			w.visitNumber(r, f, at)
		}
	}
	w.visitCombined(r, x, at)
}

func (w *walk) visitEnum(values []value, x any, at string) {
	k := key(x)
	texts := make([]string, 0, len(values))
	for _, v := range values {
		if v.key == k {
			return
		}
		texts = append(texts, v.text)
	}
	w.fail(at, "value not in enum [%s]", strings.Join(texts, ", "))
}

func (w *walk) visitCombined(r *rule, x any, at string) {
	for _, name := range r.AllOf {
		w.visit(name, x, at)
	}
	if r.AnyOf != nil && w.count(r.AnyOf, x, 1) == 0 {
		w.fail(at, "anyOf matched zero schemas")
	}
	if r.OneOf != nil {
		if count := w.count(r.OneOf, x, len(r.OneOf)); count != 1 {
			w.fail(at, "oneOf matched %d schemas (expected exactly 1)", count)
		}
	}
	if r.Not != "" && w.holds(r.Not, x) {
		w.fail(at, "not-schema matched")
	}
	if r.If != "" {
		branch := r.Else
		if w.holds(r.If, x) {
			branch = r.Then
		}
		if branch != "" {
			w.visit(branch, x, at)
		}
	}
}

func (w *walk) visitNumber(r *rule, f float64, at string) {
	if r.Minimum != nil && f < *r.Minimum {
		w.fail(at, "%s < minimum %s", text(f), text(*r.Minimum))
	}
	if r.Maximum != nil && f > *r.Maximum {
		w.fail(at, "%s > maximum %s", text(f), text(*r.Maximum))
	}
	if r.ExclusiveMinimum != nil && f <= *r.ExclusiveMinimum {
		w.fail(at, "%s <= exclusiveMinimum %s", text(f), text(*r.ExclusiveMinimum))
	}
	if r.ExclusiveMaximum != nil && f >= *r.ExclusiveMaximum {
		w.fail(at, "%s >= exclusiveMaximum %s", text(f), text(*r.ExclusiveMaximum))
	}
	if r.MultipleOf != nil && !isMultiple(f, *r.MultipleOf) {
		w.fail(at, "%s is not a multiple of %s", text(f), text(*r.MultipleOf))
	}
}

func (w *walk) visitString(r *rule, s string, at string) {
	length := utf8.RuneCountInString(s)
	if r.MinLength != nil && float64(length) < *r.MinLength {
		w.fail(at, "string length %d < minLength %s", length, text(*r.MinLength))
	}
	if r.MaxLength != nil && float64(length) > *r.MaxLength {
		w.fail(at, "string length %d > maxLength %s", length, text(*r.MaxLength))
	}
	if r.Regex != nil && !r.Regex.MatchString(s) {
		w.fail(at, "string does not match pattern /%s/", r.Pattern)
	}
	if f, ok := formats[r.Format]; ok && !f.test(s) {
		w.fail(at, "format %s: not %s", r.Format, f.noun)
	}
}

func (w *walk) visitArray(r *rule, list []any, at string) {
	length := float64(len(list))
	if r.MinItems != nil && length < *r.MinItems {
		w.fail(at, "array length %d < minItems %s", len(list), text(*r.MinItems))
	}
	if r.MaxItems != nil && length > *r.MaxItems {
		w.fail(at, "array length %d > maxItems %s", len(list), text(*r.MaxItems))
	}
	seen := map[string]bool{}
	contained := 0
	for i, x := range list {
		name := r.Items
		if i < len(r.PrefixItems) {
			name = r.PrefixItems[i]
		}
		if name != "" {
			w.visit(name, x, child(at, strconv.Itoa(i)))
		}
		if r.Contains != "" && w.holds(r.Contains, x) {
			contained++
		}
		if r.UniqueItems {
			k := key(x)
			if seen[k] {
				w.fail(child(at, strconv.Itoa(i)), "duplicate item")
			}
			seen[k] = true
		}
	}
	if r.Contains != "" {
		least := 1.0
		if r.MinContains != nil {
			least = *r.MinContains
		}
		if float64(contained) < least {
			w.fail(at, "%d items match contains (expected at least %s)", contained, text(least))
		}
		if r.MaxContains != nil && float64(contained) > *r.MaxContains {
			w.fail(at, "%d items match contains (expected at most %s)", contained, text(*r.MaxContains))
		}
	}
}

func (w *walk) visitObject(r *rule, object map[string]any, at string) {
	for _, name := range r.Required {
		if _, ok := object[name]; !ok {
			w.fail(child(at, name), "missing required property %s", text(name))
		}
	}
	for _, because := range r.DependentRequired.keys {
		if _, ok := object[because]; !ok {
			continue
		}
		for _, name := range r.DependentRequired.values[because] {
			if _, ok := object[name]; !ok {
				w.fail(child(at, name), "missing property %s, required beside %s", text(name), text(because))
			}
		}
	}
	if r.MinProperties != nil && float64(len(object)) < *r.MinProperties {
		w.fail(at, "%d properties < minProperties %s", len(object), text(*r.MinProperties))
	}
	if r.MaxProperties != nil && float64(len(object)) > *r.MaxProperties {
		w.fail(at, "%d properties > maxProperties %s", len(object), text(*r.MaxProperties))
	}
	for _, name := range sortedKeys(object) {
		w.visitProperty(r, name, object[name], at)
	}
	for _, because := range r.DependentSchemas.keys {
		if _, ok := object[because]; ok {
			w.visit(r.DependentSchemas.values[because], object, at)
		}
	}
}

func (w *walk) visitProperty(r *rule, property string, x any, at string) {
	if r.PropertyNames != "" && !w.holds(r.PropertyNames, property) {
		w.fail(child(at, property), "property name %s is not allowed", text(property))
	}
	name, known := r.Properties.values[property]
	if known {
		w.visit(name, x, child(at, property))
	}
	for _, entry := range r.PatternProperties {
		if compiled(entry[0]).MatchString(property) {
			known = true
			w.visit(entry[1], x, child(at, property))
		}
	}
	if known || r.AdditionalProperties == "" {
		return
	}
	if w.rules[r.AdditionalProperties].Never {
		w.fail(child(at, property), "additional property %s is not allowed", text(property))
		return
	}
	w.visit(r.AdditionalProperties, x, child(at, property))
}

var patterns sync.Map

func compiled(source string) *regexp.Regexp {
	if found, ok := patterns.Load(source); ok {
		return found.(*regexp.Regexp)
	}
	found, _ := patterns.LoadOrStore(source, regexp.MustCompile(source))
	return found.(*regexp.Regexp)
}

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
