def _is_uuid(text: str) -> bool:
    return re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text) is not None


def _is_date_time(text: str) -> bool:
    match = len(text) <= 256 and re.fullmatch(
        r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?"
        r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))",
        text,
    )
    if not match:
        return False
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    offset_hour, offset_minute = int(match[8] or 0), int(match[9] or 0)
    if not 1 <= month <= 12 or not 1 <= day <= days[month - 1]:
        return False
    if hour > 23 or minute > 59 or offset_hour > 23 or offset_minute > 59:
        return False
    offset = (offset_hour * 60 + offset_minute) * (-1 if match[7] == "-" else 1)
    # A leap second is only where one can be, at 23:59:60 UTC.
    return second < 60 or (second == 60 and (hour * 60 + minute - offset) % 1440 == 1439)


def _is_email(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    if not at or not local or len(text) > 1000:
        return False
    atoms = all(re.fullmatch(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+", part) for part in local.split("."))
    if not atoms and not re.fullmatch(r'"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"', local):
        return False
    if domain.startswith("[") and domain.endswith("]"):
        literal = domain[1:-1]
        return _is_ipv6(literal[5:]) if literal[:5].lower() == "ipv6:" else _is_ipv4(literal)
    label = r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"
    return len(domain) <= 255 and all(
        len(part) <= 63 and re.fullmatch(label, part) for part in domain.split(".")
    )


def _is_ipv4(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 4 and all(
        re.fullmatch(r"0|[1-9][0-9]{0,2}", part) and int(part) <= 255 for part in parts
    )


def _is_ipv6(text: str) -> bool:
    halves = text.split("::")
    if len(text) > 45 or len(halves) > 2:
        return False
    before = _groups(halves[0], len(halves) == 1)
    after = _groups(halves[-1], True) if len(halves) == 2 else 0
    if before < 0 or after < 0:
        return False
    return before == 8 if len(halves) == 1 else before + after <= 7


def _groups(text: str, may_end_in_ipv4: bool) -> int:
    parts = text.split(":") if text else []
    count = 0
    for i, part in enumerate(parts):
        if re.fullmatch(r"[0-9A-Fa-f]{1,4}", part):
            count += 1
        elif may_end_in_ipv4 and i == len(parts) - 1 and _is_ipv4(part):
            count += 2
        else:
            return -1
    return count


def _is_uri(text: str) -> bool:
    return _is_uri_reference(text, scheme_required=True)


def _is_uri_reference(text: str, scheme_required: bool = False) -> bool:
    match = re.fullmatch(r"(?:([^:/?#]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", text, re.DOTALL)
    if not match:
        return False
    scheme, authority, path, query, fragment = match.groups()
    if scheme is None:
        if scheme_required:
            return False
    elif not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme):
        return False
    if authority is not None and not _is_authority(authority):
        return False
    return _all_of("/:@", path) and _all_of("/:@?", query or "") and _all_of("/:@?", fragment or "")


def _is_authority(text: str) -> bool:
    user, at, rest = text.partition("@")
    if not at:
        user, rest = "", text
    if not _all_of(":", user):
        return False
    host = rest
    if rest.startswith("["):
        host = rest[: rest.find("]") + 1]
    elif ":" in rest:
        host = rest[: rest.rfind(":")]
    if not re.fullmatch(r"(?::[0-9]*)?", rest[len(host) :]):
        return False
    if not host.startswith("["):
        return _all_of("", host)
    future = r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+"
    return _is_ipv6(host[1:-1]) or re.fullmatch(future, host[1:-1]) is not None


def _all_of(more: str, text: str) -> bool:
    """RFC 3986's unreserved and sub-delimiters, percent-encoded octets, and what this part allows beside them."""
    return re.fullmatch(rf"(?:[A-Za-z0-9._~!$&'()*+,;=\-{more}]|%[0-9A-Fa-f]{{2}})*", text) is not None


_FORMATS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "uuid": ("a UUID", _is_uuid),
    "email": ("an email", _is_email),
    "uri": ("a URI", _is_uri),
    "uri-reference": ("a URI reference", _is_uri_reference),
    "date-time": ("an RFC-3339 date-time", _is_date_time),
}
