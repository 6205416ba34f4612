"""Merging of the references of several annotators into the scored reference (MAN-5).

The registered design sets the rule (parameter `annotation_aggregation_test`). Some rules that a design
may name cannot be computed by a program alone, such as a consensus, or a further annotator who decides.
For these, the merged result is submitted next to the references of each annotator.
"""

from collections.abc import Mapping
from typing import Final

from evaluation import problems
from evaluation.problems.label_merging import MAJORITY, STAPLE, STRICT

EACH: Final = {
    "ranking_per_annotator": "no merging; the first annotator's references are scored, and each annotator's beside them",
    "no_aggregation": "no merging; the first annotator's references are scored, and each annotator's beside them",
}
GIVEN: Final = {
    "additional_annotator": "an additional annotator decides; sent merged",
    "consensus": "a consensus; sent merged",
    "average": "an average; sent merged",
    "simple": "SIMPLE; sent merged",
    "lsml": "LSML; sent merged",
}
SINGLE: Final = "single_annotator"
_ALL_GIVEN: Final = {
    MAJORITY: "majority vote; sent merged",
    STAPLE: "STAPLE; sent merged",
    STRICT: "strict combination; sent merged",
    **GIVEN,
}
"""Rules whose result must be submitted, for problems in which no rule is computed.

Objects of several annotators must first be matched, and no rule of a design states how.
"""
RULES: Final = (MAJORITY, STAPLE, STRICT, *EACH, *GIVEN)


def computed(problem: str) -> Mapping[str, str]:
    """Rules that are computed here from the annotators' references, with what they do, by the kind of problem."""
    return problems.get(problem).references.merging.computed


def given(problem: str) -> Mapping[str, str]:
    """Return the rules whose result is submitted next to the annotators' references."""
    return {rule: words for rule, words in _ALL_GIVEN.items() if rule not in computed(problem)}


def words(problem: str) -> dict[str, str]:
    """All rules that a test set with several annotators may have, with what becomes of the references."""
    words_by_rule = {**computed(problem), **EACH, **given(problem)}
    return {rule: words_by_rule[rule] for rule in RULES}
