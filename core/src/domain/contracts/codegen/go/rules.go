package runtime

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"
)

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
