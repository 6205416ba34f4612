"""Answers of organizers to questions about their problem."""

from collections.abc import Mapping
from typing import Any, Protocol


class Answers(Protocol):
    """Fingerprint of a task: answers and choices by the ids of the recommender.

    ``None`` means "I do not know". `classes` contains the answers that differ for a region or class, by its name.
    `reasons` contains the reasons for departures from the recommendation, by the text of the departure.
    """

    @property
    def answers(self) -> Mapping[str, Any]: ...
    @property
    def choices(self) -> Mapping[str, Any]: ...
    @property
    def classes(self) -> Mapping[str, Any]: ...
    @property
    def reasons(self) -> Mapping[str, Any]: ...
