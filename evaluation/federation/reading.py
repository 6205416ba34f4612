"""Reading JSON that a stranger made: bounds first, then form; nothing is guessed.

The part of JSON Schema that `evaluation.federation.schemas` uses is checked here, so that a message can name the first place
that is wrong, and so that scoring at a site needs no further package.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final

from evaluation.canonical import canonical_json
from evaluation.federation.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_BYTES: Final = 5 * 2**20
"""Size of the largest message, in bytes."""
_MOST_EXACT: Final = 2**53
_MOST_DEPTH: Final = 40
_SHOWN: Final = 40
_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_WORDS: Final = {"object": "an object", "array": "a list", "string": "text", "integer": "a whole number",
                 "number": "a number", "boolean": "true or false", "null": "null"}  # fmt: skip


def read_json(data: bytes, *, most: int = MOST_BYTES) -> dict[str, Any]:
    """Parse an object of a JSON document.

    Parameters
    ----------
    data
        The bytes as they were received.
    most
        Maximum number of bytes that are parsed.

    Raises
    ------
    Refusal
        ``malformed``: too large, no UTF-8, no JSON, cut off, nested too deeply, a key that appears twice, a number
        that is not finite or beyond 2**53, or no object.
    """
    if len(data) > most:
        raise Refusal("malformed", f"the message has {len(data)} bytes; at most {most} are read")
    try:
        document = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_without_doubles,
            parse_constant=_no_constant,
            parse_int=_whole,
            parse_float=_finite,
        )
    except UnicodeDecodeError:
        raise Refusal("malformed", "the message is no UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Refusal("malformed", f"the message is no complete JSON document: {error}") from None
    except RecursionError:
        raise Refusal("malformed", "the message is nested too deeply") from None
    if not isinstance(document, dict):
        raise Refusal("malformed", "the message is no JSON object")
    if _depth(document) > _MOST_DEPTH:
        raise Refusal("malformed", f"the message is nested more than {_MOST_DEPTH} deep")
    return document


def read_canonical(data: bytes, *, most: int = MOST_BYTES) -> dict[str, Any]:
    """Parse an object and require that it is written in canonical form (`evaluation.canonical`).

    Raises
    ------
    Refusal
        As `read_json`, or ``not_canonical``.
    """
    document = read_json(data, most=most)
    if canonical_json(document).encode() != data:
        raise Refusal(
            "not_canonical", "the message is not in canonical form: same content, but other bytes than signed"
        )
    return document


def check_form(value: object, schema: Mapping[str, Any], json_path: str = "") -> None:
    """Check a value against a JSON Schema of `evaluation.federation.schemas`.

    Raises
    ------
    Refusal
        ``invalid``; names the first place that does not fit, and what would.
    """
    if "anyOf" in schema:
        _any_of(value, schema["anyOf"], json_path)
        return
    kinds = schema.get("type")
    if kinds is not None:
        allowed = [kinds] if isinstance(kinds, str) else list(kinds)
        if not any(_is(value, kind) for kind in allowed):
            _refuse(json_path, value, " or ".join(_WORDS[kind] for kind in allowed))
    if "const" in schema and value != schema["const"]:
        _refuse(json_path, value, json.dumps(schema["const"]))
    if "enum" in schema and value not in schema["enum"]:
        _refuse(json_path, value, "one of " + ", ".join(json.dumps(item) for item in schema["enum"]))
    if isinstance(value, str):
        if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
            _refuse(json_path, value, schema.get("title", f"text of the form {schema['pattern']}"))
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            _refuse(
                json_path, value, f"text of {schema.get('minLength', 0)} to {schema.get('maxLength', 'any')} characters"
            )
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            _refuse(json_path, value, f"a number from {schema.get('minimum', '-∞')} to {schema.get('maximum', '∞')}")
    elif isinstance(value, list):
        _check_list(value, schema, json_path)
    elif isinstance(value, dict):
        _check_object(value, schema, json_path)


def _check_list(value: list[Any], schema: Mapping[str, Any], json_path: str) -> None:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        _refuse(
            json_path,
            f"{len(value)} entries",
            f"{schema.get('minItems', 0)} to {schema.get('maxItems', 'any')} entries",
        )
    for index, item in enumerate(value):
        inner = schema["prefixItems"][index] if "prefixItems" in schema else schema.get("items", {})
        if inner:
            check_form(item, inner, f"{json_path}[{index}]")
    if schema.get("uniqueItems") and len(set(map(str, value))) < len(value):
        _refuse(json_path, "a list", "entries that stand there once")


def _check_object(value: dict[str, Any], schema: Mapping[str, Any], json_path: str) -> None:
    properties = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            raise Refusal("invalid", f"{_at(json_path, key)} is missing")
    for key, item in value.items():
        if key in properties:
            check_form(item, properties[key], _at(json_path, key))
        elif schema.get("additionalProperties", True) is False:
            raise Refusal("invalid", f"{_at(json_path, key[:_SHOWN])} is no key that this message has")
        elif isinstance(schema.get("additionalProperties"), dict):
            check_form(item, schema["additionalProperties"], _at(json_path, key[:_SHOWN]))


def _any_of(value: object, schemas: list[Mapping[str, Any]], json_path: str) -> None:
    failures = []
    for schema in schemas:
        try:
            check_form(value, schema, json_path)
        except Refusal as refusal:
            failures.append(refusal)
        else:
            return
    raise failures[0]


def _is(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS[kind])


def _at(json_path: str, key: str) -> str:
    return f"{json_path}.{key}" if json_path else key


def _refuse(json_path: str, value: object, allowed: str) -> None:
    text = json.dumps(value, ensure_ascii=False)
    shortened = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    raise Refusal("invalid", f"{json_path or 'the message'} is {shortened}; allowed is {allowed}")


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for key, value in pairs:
        if key in document:
            raise Refusal("malformed", f"the key {key[:_SHOWN]!r} stands there twice")
        document[key] = value
    return document


def _no_constant(word: str) -> Any:
    raise Refusal("malformed", f"{word} is no number of JSON")


def _whole(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > _MOST_EXACT:
        raise Refusal("malformed", f"the number {text[:_SHOWN]} is beyond 2**53")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or abs(value) > _MOST_EXACT:
        raise Refusal("malformed", f"the number {text[:_SHOWN]} is beyond 2**53")
    return value


def _depth(value: object) -> int:
    deepest, open_ = 0, [(value, 1)]
    while open_:
        item, depth = open_.pop()
        deepest = max(deepest, depth)
        if isinstance(item, dict):
            open_ += [(inner, depth + 1) for inner in item.values()]
        elif isinstance(item, list):
            open_ += [(inner, depth + 1) for inner in item if isinstance(inner, (dict, list))]
    return deepest
