class _Checked(BaseModel):
    """What every type here has in common: the whole of its schema is checked, not only what a type can say."""

    _rules: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        # Whoever comes first checks all of it; the types inside have nothing to add.
        if isinstance(data, cls) or _inside.get():
            return handler(data)
        try:
            value = _plain(data)
            violations = _violations(cls._rules, value)
        except RecursionError:
            raise ValueError("/: the value is nested too deeply to be checked") from None
        if violations:
            # Half a surrogate pair in a payload must not keep its refusal from being told.
            raise ValueError("; ".join(violations).encode("utf-8", "backslashreplace").decode())
        token = _inside.set(True)
        try:
            return handler(value)
        finally:
            _inside.reset(token)


class _Model(_Checked):
    model_config = ConfigDict(extra="allow", serialize_by_alias=True, protected_namespaces=())

    @model_serializer(mode="wrap")
    def _without_unset(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        # A property that was never given is absent, which is not the same as null.
        out: dict[str, Any] = handler(self)
        for name, field in type(self).model_fields.items():
            if name not in self.model_fields_set:
                out.pop(name if info.by_alias is False or field.alias is None else field.alias, None)
        return out


class _Root(_Checked, RootModel[Any]):
    """A payload that is no object, or not always: its value is `root`."""


_inside: ContextVar[bool] = ContextVar("_inside", default=False)
