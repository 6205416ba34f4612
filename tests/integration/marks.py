"""Marks of tests that do not all run on both databases."""

from collections.abc import Collection, Iterable

import pytest


def on_both(values: Iterable[str], both: Collection[str], reason: str) -> list[object]:
    """Return the values of a parameter; those outside `both` are tested on the default database alone."""
    alone = pytest.mark.any_database(reason)
    return [value if value in both else pytest.param(value, marks=alone) for value in values]
