package runtime

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

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
