"""JSON that is bounded before it is read, and holds nothing that no column holds."""

import json
import math
import re
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer

from api.errors import TooMuchError

MOST_LEVELS = 64
MOST_DIGITS = 19
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


class BoundedJSONParser(JSONParser):
    """JSON of at most `DATA_UPLOAD_MAX_MEMORY_SIZE` bytes and 64 levels, with numbers and characters that can be stored.

    Refused are NUL and single surrogates in texts and keys (no database stores them), whole numbers beyond 64 bits, and
    numbers that are infinite or none.
    """

    renderer_class = JSONRenderer

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002 (the framework's signature)
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:
        """Read a body.

        Raises
        ------
        ParseError
            When it is no JSON or holds what is refused.
        TooMuchError
            When it is too long.
        """
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        content = stream.read(most + 1)
        if len(content) > most:
            raise TooMuchError
        if levels(content) > MOST_LEVELS:
            raise ParseError(f"The JSON is nested deeper than {MOST_LEVELS} levels.")
        try:
            document = json.loads(
                content.decode("utf-8"), parse_int=_whole, parse_float=_finite, parse_constant=_no_constant
            )
        except ValueError as error:
            raise ParseError(f"The body is not readable as JSON: {error}") from error
        _check_texts(document)
        return document


def levels(content: bytes) -> int:
    """Count how deep lists and objects are nested, without parsing.

    Examples
    --------
    >>> levels(b'{"a": [1, "[[["]}')
    2
    """
    deepest = level = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", content)):
        level += 1 if bracket in b"[{" else -1
        deepest = max(deepest, level)
    return deepest


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS + 1 or not -(2**63) <= int(digits) < 2**63:
        raise ValueError("a whole number has more than 64 bits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _check_texts(document: Any) -> None:
    waiting = [document]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str) and _UNREADABLE.search(item):
            raise ParseError("A text has a NUL character or half of a character (a single surrogate).")
        if isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item
