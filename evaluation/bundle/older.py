"""Bundles of rankings of schema 1: what is still defined alike, and what was defined otherwise then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment

OLD_SCHEMA: Final = 1
_GROUPS: Final = ("group", "group_rule")
_RANGES: Final = ("rank_interval",)
_DRAWS: Final = (
    "rank_median", "rank_frequencies", "score_interval", "share_first", "winner_stays", "others_first",
    "others_first_1_percent", "kendall_tau", "drawn_units", "leave_one_out",
)  # fmt: skip
_TESTS: Final = ("p_values", "p_adjusted", "significantly_better", "tests")
_STEPS: Final = ("overall",)
_TOP: Final = ("schema", "resampling")


def still_alike(
    published: Mapping[str, Any], recomputed: Mapping[str, Any], assessment: Assessment
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Return both documents without parts that schema 1 defined differently, and the names of these parts.

    The following parts were defined differently:

    - groups and the ends of rank intervals, for all rankings;
    - resamples and rankings without single units, where a level of the assessment is now a stratum;
    - tests, where values are aggregated over levels;
    - combined rankings of several steps, between which scores were rounded.
    """
    left_out = [*_GROUPS, *_RANGES]
    if assessment.aggregation.fixed:
        left_out += _DRAWS
    if len(assessment.aggregation.levels) > 1 or assessment.uncertainty.strata:
        left_out += _TESTS
    if any(len(scheme.combine or ()) > 1 for scheme in assessment.rankings):
        left_out += _STEPS
    old = _without(published, left_out)
    new = _only_known(_without(recomputed, left_out), old)
    present = _keys(published)
    return old, new, tuple(name for name in left_out if name in present)


def _without(document: Mapping[str, Any], keys: list[str]) -> dict[str, Any]:
    plain: dict[str, Any] = _dropped({k: v for k, v in document.items() if k not in _TOP}, frozenset(keys))
    return plain


def _dropped(value: Any, keys: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {key: _dropped(inner, keys) for key, inner in value.items() if key not in keys}
    return [_dropped(inner, keys) for inner in value] if isinstance(value, list) else value


def _only_known(new: Any, old: Any) -> Any:
    """The recomputed document with the keys that the published one has, entry by entry."""
    if isinstance(new, dict) and isinstance(old, dict):
        return {key: _only_known(inner, old[key]) for key, inner in new.items() if key in old}
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        named = {
            entry["name"]: entry for entry in old if isinstance(entry, dict) and "name" in entry and "rank" in entry
        }
        pairs = [
            (entry, named.get(entry["name"], other) if named else other) for entry, other in zip(new, old, strict=True)
        ]
        return [_only_known(entry, other) for entry, other in pairs]
    return new


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(_keys(inner) for inner in value.values())) if value else set()
    return set().union(*(_keys(inner) for inner in value)) if isinstance(value, list) and value else set()
