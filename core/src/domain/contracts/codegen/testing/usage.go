// Command usage shows how a caller uses the types.
package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.test/go/prreviewer"
)

func must(condition bool, what string) {
	if !condition {
		panic(what)
	}
}

func main() {
	request := prreviewer.ReviewPrRequest{
		PrUrl:    "https://example.com/1",
		Severity: prreviewer.ReviewPrRequestSeverityLow,
		Target:   &prreviewer.ReviewPrRequestTarget{Branch: "main"},
	}
	must(request.Validate() == nil, "valid")
	text, err := json.Marshal(request)
	must(err == nil && string(text) == `{"prUrl":"https://example.com/1","severity":"low","target":{"branch":"main"}}`, string(text))

	request.Severity = "none"
	request.Note = prreviewer.Ptr("")
	var problem *prreviewer.ValidationError
	must(errors.As(request.Validate(), &problem) && len(problem.Violations) == 2, "all violations")
	must(problem.Violations[0] == prreviewer.Violation{Path: "/note", Message: "string length 0 < minLength 1"}, fmt.Sprint(problem))

	for _, bad := range []string{
		`{"prUrl":"a","severity":"low"}`,
		`{"prUrl":"https://a/","severity":"low","note":null}`,
		`{"prUrl":"https://a/","severity":"low","more":1}`,
		`{"PRURL":"https://a/","severity":"low"}`,
		`{"prUrl":"https://a/","severity":"low"} trailing`,
		`null`,
		`[]`,
	} {
		before := prreviewer.ReviewPrRequest{PrUrl: "kept"}
		must(json.Unmarshal([]byte(bad), &before) != nil, bad)
		must(before.PrUrl == "kept", "a refused payload changes nothing")
	}

	var response prreviewer.ReviewPrResponse
	must(json.Unmarshal([]byte(`{"verdict":"approve","score":3.0,"id":9007199254740993,"trace":"t"}`), &response) == nil, "response")
	must(*response.Score == 3 && *response.Id == 9007199254740993 && response.Extra["trace"] == "t", "fields")
	must(json.Unmarshal([]byte(`{"verdict":"approve","id":1e30}`), &response) != nil, "too large for an int64")

	_, ok := prreviewer.Capabilities["review-pr"].Response().(*prreviewer.ReviewPrResponse)
	must(ok, "by name")
	fmt.Println("ok")
}
