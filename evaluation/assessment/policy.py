"""Policies for missing values: the defaults, and choices that must not be left to the participants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation import problems
from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.model import POLICY_OUTCOMES, Policy, PolicyValue
from evaluation.assessment.reading import Place, is_number

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS = ("exclude", "worst", "perfect", "image_diagonal", "worst_rank")
_CAUSED_BY_PARTICIPANT = ("ref_empty", "pred_empty", "missing")


class Bounds:
    """Properties of a metric that a policy needs.

    They are its range in its own direction, and other sources of the worst value of a case.
    """

    def __init__(
        self,
        *,
        metric: str,
        direction: str,
        worst: float | None,
        best: float | None,
        unit: str | None,
        problem: str,
        rank_based: bool,
        worst_by_case: bool = False,
    ) -> None:
        self.metric = metric
        self.worst = worst
        self.best = best
        self.has_diagonal = unit == "mm" and direction == "lower" and problems.get(problem).metrics.has_image_diagonal
        self.rank_based = rank_based
        self.worst_by_case = worst_by_case


def read_policy(value: object, path: str, defaults: Mapping[str, Any], bounds: Bounds) -> Policy:
    """Check a policy and complete it by the defaults.

    An exclusion must depend on the reference alone. Otherwise every participant would be averaged over cases of
    their own choice. ``ref_empty`` may therefore be excluded only together with ``both_empty``: then all cases
    with an empty reference are excluded, regardless of the prediction.

    Raises
    ------
    AssessmentError
        For an unknown outcome or keyword, a keyword that this metric does not support, or an exclusion that
        invites gaming.
    """
    section = Place(value, path, (*POLICY_OUTCOMES, "allow_gaming"))
    allow_gaming = section.flag("allow_gaming", default=False)
    values: dict[str, PolicyValue | None] = {}
    for outcome in POLICY_OUTCOMES:
        if section.has(outcome):
            values[outcome] = _read_value(section.raw(outcome), section.at(outcome), bounds)
        else:
            values[outcome] = _default(defaults.get(outcome), bounds)
    _refuse_gaming(section, values, defaults, allow_gaming=allow_gaming)
    if values["missing"] is None and defaults.get("missing") is not None:
        raise AssessmentError(
            section.at("missing"), None, f"a number: {bounds.metric} has no worst value and its cases have no image"
        )
    return Policy(**values, allow_gaming=allow_gaming)


def _read_value(value: object, path: str, bounds: Bounds) -> PolicyValue:
    if is_number(value):
        return float(value)  # type: ignore[arg-type]
    allowed = "a number, " + ", ".join(f'"{word}"' for word in _words(bounds))
    if not isinstance(value, str) or value not in _words(bounds):
        raise AssessmentError(path, value, allowed)
    return _default(value, bounds)  # type: ignore[arg-type, return-value]


def _words(bounds: Bounds) -> list[str]:
    """Return the keywords that this metric supports."""
    impossible = set()
    if bounds.worst is None and not bounds.worst_by_case and not bounds.has_diagonal:
        impossible.add("worst")
    if bounds.best is None:
        impossible.add("perfect")
    if not bounds.has_diagonal:
        impossible.add("image_diagonal")
    if not bounds.rank_based:
        impossible.add("worst_rank")
    return [word for word in _WORDS if word not in impossible]


def _default(value: PolicyValue | None, bounds: Bounds) -> PolicyValue | None:
    """Spell out ``worst`` of an unbounded distance; ``None`` where the metric cannot fulfil the word."""
    if value == "worst" and bounds.worst is None and not bounds.worst_by_case:
        return "image_diagonal" if bounds.has_diagonal else None
    if value == "perfect" and bounds.best is None:
        return None
    return value


def _refuse_gaming(
    section: Place,
    values: Mapping[str, PolicyValue | None],
    defaults: Mapping[str, Any],
    *,
    allow_gaming: bool,
) -> None:
    if allow_gaming:
        return
    for outcome in _CAUSED_BY_PARTICIPANT:
        reference_alone = outcome == "ref_empty" and values["both_empty"] == "exclude"
        if values[outcome] == "exclude" and not reference_alone:
            raise AssessmentError(
                section.at(outcome),
                "exclude",
                "a value that participants cannot choose for themselves (a number, worst, …), "
                'unless "allow_gaming": true stands beside it',
            )
    if values["degenerate"] == "exclude" and defaults.get("degenerate") != "exclude":
        raise AssessmentError(
            section.at("degenerate"),
            "exclude",
            "a number or worst (values that are undefined because of the reference alone are left out for everyone "
            'anyway), unless "allow_gaming": true stands beside it',
        )
