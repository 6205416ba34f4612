"""Cases that do not count: named one by one after their reference or image proved wrong, or by a registered quality grade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.model import NOTHING, Exclusions
from evaluation.assessment.reading import Place, distinct, name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REASONS: Final[Mapping[str, str]] = {
    "reference_error": "the reference is wrong",
    "image_damaged": "the image is damaged",
    "duplicate": "the case is a duplicate of another one",
    "outside_definition": "the case does not meet the registered definition of a case",
    "consent_withdrawn": "consent to the use of the data was withdrawn",
    "site_failure": "its site could not run all algorithms, by no fault of a team",
}
"""Reasons for excluding a case.

Each is a fact about the case or its site and none about a result.
"""
GRADES: Final = ("acceptable", "borderline", "insufficient")
"""Quality grades of a case, from good to bad."""
KEY: Final = "exclusions"
_MOST_CASES: Final = 100_000


def read_exclusions(value: object) -> Exclusions:
    """Read the key ``exclusions`` of an assessment document.

    If the key is absent, every case counts.

    Raises
    ------
    AssessmentError
        For a case that is listed twice, an unknown reason, or an unknown grade.

    Examples
    --------
    >>> read_exclusions({"cases": [{"case": "p7", "reason": "reference_error"}]}).cases
    {'p7': 'reference_error'}
    """
    if value is None:
        return NOTHING
    section = Place(value, KEY, ("cases", "quality"))
    pairs = section.items("cases", _case, empty=True) if section.has("cases") else ()
    if len(pairs) > _MOST_CASES:
        raise AssessmentError(section.at("cases"), len(pairs), f"at most {_MOST_CASES:,} cases")
    distinct([case for case, _ in pairs], section.at("cases"), "case")
    column = ""
    grades: tuple[str, ...] = ()
    if section.has("quality"):
        quality = Place(section.raw("quality"), section.at("quality"), ("column", "excluded"))
        column = name(quality.raw("column"), quality.at("column"))
        if column in ("case", "task", "region", "metric"):
            raise AssessmentError(quality.at("column"), column, "the name of a column of the case metadata")
        grades = quality.items("excluded", _grade, empty=True) if quality.has("excluded") else ()
        distinct(grades, quality.at("excluded"), "grade")
    return Exclusions(dict(pairs), column, tuple(grade for grade in GRADES if grade in grades))


def _case(value: object, path: str) -> tuple[str, str]:
    entry = Place(value, path, ("case", "reason"))
    case = entry.raw("case")
    if not isinstance(case, str) or not case.strip() or len(case) > 150:
        raise AssessmentError(entry.at("case"), case, "the name of a case")
    return case, entry.choice("reason", list(REASONS))


def _grade(value: object, path: str) -> str:
    if value not in GRADES:
        raise AssessmentError(path, value, f"one of {', '.join(GRADES)}")
    return str(value)


def counted_words(reasons: Sequence[str]) -> str:
    """Return the reasons for excluding cases as text, the most frequent first.

    Examples
    --------
    >>> counted_words(["duplicate", "reference_error", "reference_error"])
    'the reference is wrong (2), the case is a duplicate of another one (1)'
    """
    counts = {reason: list(reasons).count(reason) for reason in dict.fromkeys(reasons)}
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{REASONS[reason]} ({number})" for reason, number in ordered)
