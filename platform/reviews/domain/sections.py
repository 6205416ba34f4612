"""Sections of a review, each with its questions and parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from evaluation.designs.catalogue import Parameter, shipped

ORGANIZATION: Final = "challenge_organization"


def _in(*sections: str) -> Callable[[Parameter], bool]:
    return lambda parameter: parameter.section in sections


def _is_annotation(parameter: Parameter) -> bool:
    return parameter.section == "data_sets" and ("annotat" in parameter.id or "reference_method" in parameter.id)


def _is_data(parameter: Parameter) -> bool:
    return parameter.section == "data_sets" and not _is_annotation(parameter)


@dataclass(frozen=True)
class ReviewSection:
    """A page of the review form."""

    key: str
    label: str
    shows: Callable[[Parameter], bool]


SECTIONS: Final = (
    ReviewSection("mission", "Mission", _in("summary", "mission")),
    ReviewSection("organization", "Organization", _in(ORGANIZATION)),
    ReviewSection("participation", "Participation", _in("participation_conditions", "event_planning")),
    ReviewSection("data", "Data", _is_data),
    ReviewSection("annotation", "Annotation", _is_annotation),
    ReviewSection("assessment", "Assessment", _in("assessment_method")),
    ReviewSection("clinical", "Clinical relevance", _in("mission", "assessment_method")),
    ReviewSection("general", "The design as a whole", _in("summary")),
)
BY_KEY: Final = {section.key: section for section in SECTIONS}
CHOICES: Final = [(section.key, section.label) for section in SECTIONS]
# Hidden from double-blind reviewers, and with it its questions.
HIDDEN_IN_DOUBLE: Final = "organization"


def section_of(parameter: Parameter) -> str:
    """The page on which a parameter is discussed."""
    return next(section.key for section in SECTIONS if section.shows(parameter))


def hidden_in_double() -> frozenset[str]:
    """Parameters that double-blind reviewers do not see."""
    return frozenset(parameter.id for parameter in shipped().in_section(ORGANIZATION))
