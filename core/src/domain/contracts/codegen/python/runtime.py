def _plain(value: Any) -> Any:
    """The JSON that a value stands for: models become objects, and 1.0 is the integer 1."""
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(by_alias=True))
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _violations(names: tuple[str, ...], value: Any) -> list[str]:
    walk = _Walk()
    try:
        for name in names:
            walk.visit(name, value, "")
    except _TooMuch:
        return ["/: checking the value takes too many steps"]
    return walk.violations


class _TooMuch(Exception):
    pass


class _Walk:
    """Goes through a value along the rules and notes every violation."""

    def __init__(self) -> None:
        self.violations: list[str] = []
        self.steps = 4_000_000

    def fail(self, message: str, at: str, key: str | int | None = None) -> None:
        path = at if key is None else _child(at, key)
        self.violations.append(f"{path or '/'}: {message}")

    def holds(self, name: str, value: Any) -> bool:
        """A yes or no, without a word about why."""
        before, self.violations = self.violations, []
        self.visit(name, value, "")
        good = not self.violations
        self.violations = before
        return good

    def visit(self, name: str, value: Any, at: str) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise _TooMuch
        rule = _RULES[name]
        if "never" in rule:
            return self.fail("no value is allowed here", at)
        if "type" in rule and not any(_is_type(value, of) for of in rule["type"]):
            return self.fail(f"expected type {'|'.join(rule['type'])} but got {_type_name(value)}", at)
        if _type_name(value) == "no JSON":
            return self.fail(f"{type(value).__name__} is no JSON value", at)
        if "ref" in rule:
            self.visit(rule["ref"], value, at)
        for const in rule.get("const", ()):
            if _key(value) != _key(const):
                self.fail(f"expected const {_text(const)} but got {_text(value)}", at)
        if "enum" in rule and not any(_key(value) == _key(one) for one in rule["enum"]):
            self.fail(f"value not in enum [{', '.join(_text(one) for one in rule['enum'])}]", at)
        if isinstance(value, str):
            self.visit_string(rule, value, at)
        elif isinstance(value, list):
            self.visit_array(rule, value, at)
        elif isinstance(value, dict):
            self.visit_object(rule, value, at)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self.visit_number(rule, value, at)
        self.visit_combined(rule, value, at)

    def visit_combined(self, rule: dict[str, Any], value: Any, at: str) -> None:
        for name in rule.get("allOf", ()):
            self.visit(name, value, at)
        if "anyOf" in rule and not any(self.holds(name, value) for name in rule["anyOf"]):
            self.fail("anyOf matched zero schemas", at)
        if "oneOf" in rule:
            count = sum(self.holds(name, value) for name in rule["oneOf"])
            if count != 1:
                self.fail(f"oneOf matched {count} schemas (expected exactly 1)", at)
        if "not" in rule and self.holds(rule["not"], value):
            self.fail("not-schema matched", at)
        if "if" in rule:
            branch = rule.get("then" if self.holds(rule["if"], value) else "else")
            if branch:
                self.visit(branch, value, at)

    def visit_number(self, rule: dict[str, Any], value: int | float, at: str) -> None:
        if "minimum" in rule and value < rule["minimum"]:
            self.fail(f"{_text(value)} < minimum {_text(rule['minimum'])}", at)
        if "maximum" in rule and value > rule["maximum"]:
            self.fail(f"{_text(value)} > maximum {_text(rule['maximum'])}", at)
        if "exclusiveMinimum" in rule and value <= rule["exclusiveMinimum"]:
            self.fail(f"{_text(value)} <= exclusiveMinimum {_text(rule['exclusiveMinimum'])}", at)
        if "exclusiveMaximum" in rule and value >= rule["exclusiveMaximum"]:
            self.fail(f"{_text(value)} >= exclusiveMaximum {_text(rule['exclusiveMaximum'])}", at)
        # As the decimals they are written as: 0.3 is a multiple of 0.1, which binary division denies.
        if "multipleOf" in rule and Fraction(repr(value)) % Fraction(repr(rule["multipleOf"])) != 0:
            self.fail(f"{_text(value)} is not a multiple of {_text(rule['multipleOf'])}", at)

    def visit_string(self, rule: dict[str, Any], value: str, at: str) -> None:
        if "minLength" in rule and len(value) < rule["minLength"]:
            self.fail(f"string length {len(value)} < minLength {rule['minLength']}", at)
        if "maxLength" in rule and len(value) > rule["maxLength"]:
            self.fail(f"string length {len(value)} > maxLength {rule['maxLength']}", at)
        if "regex" in rule and not _matches(rule["regex"], value):
            self.fail(f"string does not match pattern /{rule['pattern']}/", at)
        if "format" in rule:
            noun, test = _FORMATS[rule["format"]]
            if not test(value):
                self.fail(f"format {rule['format']}: not {noun}", at)

    def visit_array(self, rule: dict[str, Any], value: list[Any], at: str) -> None:
        if "minItems" in rule and len(value) < rule["minItems"]:
            self.fail(f"array length {len(value)} < minItems {rule['minItems']}", at)
        if "maxItems" in rule and len(value) > rule["maxItems"]:
            self.fail(f"array length {len(value)} > maxItems {rule['maxItems']}", at)
        first = rule.get("prefixItems", ())
        for i, item in enumerate(value):
            name = first[i] if i < len(first) else rule.get("items")
            if name:
                self.visit(name, item, _child(at, i))
        if "contains" in rule:
            count = sum(self.holds(rule["contains"], item) for item in value)
            least = rule.get("minContains", 1)
            if count < least:
                self.fail(f"{count} items match contains (expected at least {least})", at)
            if count > rule.get("maxContains", count):
                self.fail(f"{count} items match contains (expected at most {rule['maxContains']})", at)
        if "uniqueItems" in rule:
            seen = set()
            for i, item in enumerate(value):
                key = _key(item)
                if key in seen:
                    self.fail("duplicate item", at, i)
                seen.add(key)

    def visit_object(self, rule: dict[str, Any], value: dict[Any, Any], at: str) -> None:
        if not all(isinstance(key, str) for key in value):
            return self.fail("the names of properties must be strings", at)
        for key in rule.get("required", ()):
            if key not in value:
                self.fail(f"missing required property {_text(key)}", at, key)
        for key, others in rule.get("dependentRequired", ()):
            for other in others if key in value else ():
                if other not in value:
                    self.fail(f"missing property {_text(other)}, required beside {_text(key)}", at, other)
        if len(value) < rule.get("minProperties", 0):
            self.fail(f"{len(value)} properties < minProperties {rule['minProperties']}", at)
        if len(value) > rule.get("maxProperties", len(value)):
            self.fail(f"{len(value)} properties > maxProperties {rule['maxProperties']}", at)
        for key, item in value.items():
            self.visit_property(rule, key, item, at)
        for key, name in rule.get("dependentSchemas", ()):
            if key in value:
                self.visit(name, value, at)

    def visit_property(self, rule: dict[str, Any], key: str, item: Any, at: str) -> None:
        if "propertyNames" in rule and not self.holds(rule["propertyNames"], key):
            self.fail(f"property name {_text(key)} is not allowed", at, key)
        names = [name for known, name in rule.get("properties", ()) if known == key]
        names += [name for regex, name in rule.get("patternProperties", ()) if _matches(regex, key)]
        if not names and "additionalProperties" in rule:
            if "never" in _RULES[rule["additionalProperties"]]:
                return self.fail(f"additional property {_text(key)} is not allowed", at, key)
            names.append(rule["additionalProperties"])
        for name in names:
            self.visit(name, item, _child(at, key))


def _is_type(value: Any, of: str) -> bool:
    name = _type_name(value)
    if of == "integer":
        return name == "number" and isinstance(value, int)
    return name == of


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number" if -_LARGEST <= value <= _LARGEST else "no JSON"
    for name, kind in (("string", str), ("array", list), ("object", dict)):
        if isinstance(value, kind):
            return name
    return "no JSON"


def _key(value: Any) -> Hashable:
    """Equal for values that are equal in JSON, where true is not 1."""
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, list):
        return (list, tuple(_key(item) for item in value))
    if isinstance(value, dict):
        return (dict, frozenset((key, _key(item)) for key, item in value.items()))
    return value if isinstance(value, Hashable) else id(value)


def _text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return text if len(text) <= 1000 else f"{text[:1000]}…"


def _child(at: str, key: str | int) -> str:
    token = str(key).replace("~", "~0").replace("/", "~1")
    return f"{at}/{token}"


_LARGEST = sys.float_info.max


@cache
def _pattern(regex: str) -> TypeAdapter[str]:
    # Pydantic's own engine takes time linear in the text, which Python's `re` does not promise.
    return TypeAdapter(Annotated[str, Field(pattern=regex, strict=True)])


def _matches(regex: str, value: str) -> bool:
    try:
        _pattern(regex).validate_python(value)
    except ValidationError:
        return False
    return True
