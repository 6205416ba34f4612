"""Digests of values are those of plain JSON, also where a short way writes it."""

import base64
import hashlib
import json
from enum import IntEnum, StrEnum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.audit.domain.values import field_digest, plain


class Word(StrEnum):
    OPEN = "open"


class Number(IntEnum):
    SEVEN = 7


def by_json(model: str, key: str, field: str, value: object) -> str:
    """Return the digest as a reader of the documentation computes it."""
    text = json.dumps([model, key, field, plain(value)], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).decode().rstrip("=")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@settings(max_examples=300, deadline=None)
@given(st.text(), st.text(), st.text(), VALUES)
def test_a_digest_is_that_of_compact_json(model, key, field, value):
    assert field_digest(model, key, field, value) == by_json(model, key, field, value)


@pytest.mark.parametrize("value", [Word.OPEN, Number.SEVEN, "\ud83d\ude00", 'é\u2028\x00"\\', -(2**70), b"\x00\xff"])
def test_values_of_special_types_have_the_same_digest(value):
    assert field_digest("a.b", "1", "x", value) == by_json("a.b", "1", "x", value)
