"""Digests of the values of rows: the same for equal values on every database."""

import base64
import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

LENGTH = 22
"""Characters of one digest: 128 bits of SHA-256 in base64."""
_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)
_QUOTED: Final = json.encoder.encode_basestring_ascii


def field_digest(model: str, key: str, field: str, value: object) -> str:
    """Return the digest of one value, bound to its model, row and field.

    Examples
    --------
    >>> field_digest("app.model", "1", "name", "Ada") == field_digest("app.model", "2", "name", "Ada")
    False
    >>> field_digest("app.model", "1", "share", 1.0) == field_digest("app.model", "1", "share", 1)
    True
    """
    text = f"[{_QUOTED(model)},{_QUOTED(key)},{_QUOTED(field)},{_json(value)}]"
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).decode().rstrip("=")


def _json(value: object) -> str:
    """Return a value as compact JSON with sorted keys; most values are short, and an encoder costs more than they do."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return _QUOTED(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    return _ENCODER.encode(plain(value))


def row_digest(model: str, key: str, fields: Sequence[str], values: Sequence[object]) -> str:
    """Return the digests of several values of a row, one behind the other."""
    return "".join(field_digest(model, key, field, value) for field, value in zip(fields, values, strict=True))


def plain(value: Any) -> Any:
    """Return a value as JSON has it; whole numbers are integers, as `jsonb` does not keep the difference."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(value)
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat() if value.tzinfo else value.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value)
