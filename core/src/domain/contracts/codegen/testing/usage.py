"""How a caller uses the models. mypy --strict checks the lines that are wrong on purpose by their ignores."""

from prreviewer import CAPABILITIES, ReviewPrRequest, ReviewPrRequestTarget, ReviewPrResponse
from pydantic import BaseModel, ValidationError


def refused(make: type[BaseModel], payload: object) -> str:
    try:
        make.model_validate(payload)
    except ValidationError as error:
        return str(error)
    raise AssertionError(f"{payload} was accepted")


request = ReviewPrRequest(prUrl="https://example.com/1", severity="low", target=ReviewPrRequestTarget(branch="main"))
severity: str = request.severity
note: str | None = request.note
ReviewPrRequest.model_construct(severity="none")
try:
    ReviewPrRequest(prUrl="x", severity="none")  # type: ignore[arg-type]
    ReviewPrRequest(severity="low")  # type: ignore[call-arg]
    raise AssertionError("accepted")
except ValidationError:
    pass

assert request.model_dump_json() == '{"prUrl":"https://example.com/1","severity":"low","target":{"branch":"main"}}'
request.note = "later"
assert request.model_dump() == {**request.model_dump(), "note": "later"}
assert ReviewPrRequest.model_validate_json(request.model_dump_json()) == request
assert ReviewPrRequest.model_validate(request) is request

assert "/severity: value not in enum" in refused(ReviewPrRequest, {"prUrl": "https://a/", "severity": "none"})
assert "/prUrl: format uri: not a URI" in refused(ReviewPrRequest, {"prUrl": "a", "severity": "low"})
assert '/note: expected type string but got null' in refused(
    ReviewPrRequest, {"prUrl": "https://a/", "severity": "low", "note": None}
)
assert '/more: additional property "more" is not allowed' in refused(
    ReviewPrRequest, {"prUrl": "https://a/", "severity": "low", "more": 1}
)
assert "missing required property" in refused(ReviewPrRequestTarget, {})

response = ReviewPrResponse.model_validate({"verdict": "approve", "score": 3.0, "trace": "t"})
assert response.score == 3 and response.model_extra == {"trace": "t"}
assert CAPABILITIES["review-pr"] == (ReviewPrRequest, ReviewPrResponse)

deep: object = {}
for _ in range(3000):
    deep = {"a": deep}
assert "nested too deeply" in refused(ReviewPrResponse, {"verdict": "approve", "trace": deep})
print("ok")
