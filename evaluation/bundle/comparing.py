"""Differences between two ranking documents, as text that names metric, region and algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.canonical import canonical_json
from evaluation.ranking.document import DIGEST_DIGITS
from evaluation.ranking.reading import Entry, entries, label, overall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST: Final = 20
_OF_ALGORITHMS: Final = "algorithms"


def differences(published: Mapping[str, Any], recomputed: Mapping[str, Any]) -> list[str]:
    """Return the first twenty differences between a recomputed document and the published one.

    Versions are ignored, and numbers are compared to the digits that the digest covers.

    Examples
    --------
    >>> def document(rank):
    ...     ranked = {"metric": "dsc", "region": "liver", "task": None, "algorithms": [{"name": "a", "rank": rank}]}
    ...     return {"rankings": [ranked], "overall": None}
    >>> differences(document(1), document(2))
    ['dsc, liver: a has rank 2, published is 1.']
    """
    first_differences = []
    for difference in _walk(published, recomputed):
        first_differences.append(difference)
        if len(first_differences) == _MOST:
            break
    return first_differences


def _walk(published: Mapping[str, Any], recomputed: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted((set(published) | set(recomputed)) - {"versions", "rankings", "overall"}):
        yield from _value(key, published.get(key), recomputed.get(key))
    for kind in (overall, entries):
        old = {label(entry): entry for entry in kind(published)}
        new = {label(entry): entry for entry in kind(recomputed)}
        for name in [*old, *(name for name in new if name not in old)]:
            if name not in new:
                yield f"{name}: this ranking was published, but does not follow from the results."
            elif name not in old:
                yield f"{name}: this ranking follows from the results, but was not published."
            else:
                yield from _entry(name, old[name], new[name])


def _entry(name: str, published: Entry, recomputed: Entry) -> Iterator[str]:
    old = {algorithm["name"]: algorithm for algorithm in published[_OF_ALGORITHMS]}
    new = {algorithm["name"]: algorithm for algorithm in recomputed[_OF_ALGORITHMS]}
    for algorithm in [*old, *(other for other in new if other not in old)]:
        if algorithm not in new or algorithm not in old:
            where = "in the published ranking only" if algorithm in old else "in the recomputed ranking only"
            yield f"{name}: {algorithm} is {where}."
            continue
        for key in sorted(set(old[algorithm]) | set(new[algorithm])):
            yield from _value(key, old[algorithm].get(key), new[algorithm].get(key), f"{name}: {algorithm} has ")
    for key in sorted((set(published) | set(recomputed)) - {_OF_ALGORITHMS}):
        yield from _value(key, published.get(key), recomputed.get(key), f"{name}: ")


def _value(key: str, published: Any, recomputed: Any, lead: str = "") -> Iterator[str]:
    old, new = (canonical_json(value, digits=DIGEST_DIGITS) for value in (published, recomputed))
    if old != new:
        name = key.replace("_", " ")
        long = max(len(old), len(new)) > 80
        yield f"{lead}{name} {'differs' if long else f'{new}, published is {old}'}."
